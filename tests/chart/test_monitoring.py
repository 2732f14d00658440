"""What Prometheus and Grafana get."""

import json
import re

import pytest
import yaml

from hooks import metrics
from hooks.pods.component import WORKER_TYPES
from tests.asked import ask, component
from tests.chart import rendered
from tests.chart.rendered import RESTRICTED, TLS

ON = {"metrics": {part: {"enabled": True} for part in ("serviceMonitor", "podMonitors", "rules", "dashboard")}}
FUNCTIONS = {"absent", "by", "histogram_quantile", "rate", "sum"}
# Names of the families in the exposition, and what each kind of them adds.
SUFFIXES = {"counter": ["_total"], "histogram": ["_bucket", "_count", "_sum"]}
SERIES = {
    family.name + suffix: set(metric._labelnames)
    for metric in (metrics.CALLS, metrics.DURATION, metrics.REQUEST_SIZE, metrics.ANSWERS, metrics.ADAPTER_CALLS)
    for family in metric.describe()
    for suffix in SUFFIXES[family.type]
}


def expressions():
    rules = yaml.safe_load((rendered.CHART / "monitoring" / "rules.yaml").read_text())
    yield from (rule["expr"] for group in rules["groups"] for rule in group["rules"])
    dashboard = json.loads((rendered.CHART / "monitoring" / "dashboard.json").read_text())
    yield from (target["expr"] for panel in dashboard["panels"] for target in panel["targets"])


def test_expressions_name_metrics_and_labels_that_the_service_has():
    used = set()
    for expression in expressions():
        plain = re.sub(r'"[^"]*"|\[[^]]*]', "", expression)
        words = set(re.findall(r"\$?[a-z_]\w*", plain)) - FUNCTIONS
        series = words & SERIES.keys()
        assert len(series) == 1, expression
        (name,) = series
        assert words - series <= SERIES[name] | {"le"}, expression
        assert expression.count("(") == expression.count(")")
        used.add(name.removesuffix("_total").removesuffix("_bucket"))
    assert used == {re.sub("_(total|bucket|count|sum)$", "", name) for name in SERIES}


def test_nothing_of_it_is_there_unless_it_is_asked_for():
    kinds = {item["kind"] for item in rendered.objects()}
    assert not kinds & {"ServiceMonitor", "PodMonitor", "PrometheusRule"}
    assert set(rendered.of_kind("ConfigMap")) == {"dynamo-hooks-settings"}


def test_the_labels_of_alerts_reach_prometheus_as_they_stand():
    (rules,) = rendered.of_kind("PrometheusRule", ON).values()
    source = yaml.safe_load((rendered.CHART / "monitoring" / "rules.yaml").read_text())
    assert rules["spec"] == source
    assert "{{ $labels.controller }}" in source["groups"][0]["rules"][1]["annotations"]["summary"]


def test_the_dashboard_is_found_by_its_label():
    found = rendered.of_kind("ConfigMap", ON)["dynamo-hooks-dashboard"]
    assert found["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert json.loads(found["data"]["dynamo-hooks.json"])["title"] == "Dynamo hooks"


def selects(monitor, labels):
    selector = monitor["spec"]["selector"]
    (among,) = selector["matchExpressions"]
    assert among["operator"] == "In"
    return selector["matchLabels"].items() <= labels.items() and labels[among["key"]] in among["values"]


@pytest.mark.parametrize("component_type", ["frontend", "planner", *sorted(WORKER_TYPES)])
def test_pods_of_users_are_found_by_the_labels_and_the_port_that_they_get(component_type):
    answer = ask(component({"componentType": component_type}))
    labels = answer.template["metadata"]["labels"]
    (monitor,) = [item for item in rendered.of_kind("PodMonitor", ON).values() if selects(item, labels)]
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert endpoint["port"] in [port["name"] for port in answer.main["ports"]]
    assert monitor["spec"]["namespaceSelector"] == {"any": True}


def test_a_restricted_installation_looks_at_pods_of_its_own_namespaces():
    for item in rendered.of_kind("PodMonitor", RESTRICTED | ON).values():
        assert item["spec"]["namespaceSelector"] == {"matchNames": ["team-a", "team-b"]}


def test_the_service_s_own_numbers_are_read_over_tls_where_it_has_a_certificate():
    (monitor,) = rendered.of_kind("ServiceMonitor", TLS | ON).values()
    (service,) = rendered.of_kind("Service", TLS).values()
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    (endpoint,) = monitor["spec"]["endpoints"]
    assert (endpoint["port"], endpoint["path"], endpoint["scheme"]) == ("hooks", "/metrics", "https")
    assert endpoint["tlsConfig"] == {
        "serverName": "dynamo-hooks.dynamo-hooks.svc",
        "ca": {"secret": {"name": "certificate", "key": "ca.crt"}},
    }
