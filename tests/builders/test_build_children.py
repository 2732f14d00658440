import pytest

from tests.asked import ask, component, laid_over, main_container

WORKER = {"componentType": "worker"}
STRATEGY = "nvidia.com/deployment-strategy"


# Deployment


def test_a_deployment_selects_its_pods_by_one_label_alone_since_that_cannot_change():
    spec = ask(component(WORKER | {"labels": {"a": "b"}})).child("Deployment")["spec"]
    assert spec["selector"] == {"matchLabels": {"nvidia.com/selector": "g-decode"}}


QUARTER = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}
RAMPED = {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}


@pytest.mark.parametrize(
    ("annotations", "metadata", "expected"),
    [
        pytest.param({}, {}, QUARTER, id="none given"),
        pytest.param({STRATEGY: "RollingUpdate"}, {}, QUARTER, id="RollingUpdate"),
        pytest.param({STRATEGY: "Recreate"}, {}, {"type": "Recreate"}, id="Recreate"),
        pytest.param({STRATEGY: "RampedSlowRollout"}, {}, RAMPED, id="RampedSlowRollout"),
        pytest.param(
            {STRATEGY: "BestEffortControlledRollout"},
            {},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "20%"}},
            id="BestEffortControlledRollout",
        ),
        pytest.param({}, {STRATEGY: "Recreate"}, {"type": "Recreate"}, id="in its metadata"),
        pytest.param({STRATEGY: "RampedSlowRollout"}, {STRATEGY: "Recreate"}, RAMPED, id="the spec's counts first"),
    ],
)
def test_how_a_deployment_rolls_out(annotations, metadata, expected):
    answer = ask(component({"annotations": annotations}, annotations=metadata))
    assert answer.child("Deployment")["spec"]["strategy"] == expected


@pytest.mark.parametrize("place", ["spec", "metadata"])
@pytest.mark.parametrize("value", ["recreate", ""])
def test_another_strategy_is_an_invalid_spec(place, value):
    given = {STRATEGY: value}
    parent = component({"annotations": given}) if place == "spec" else component(annotations=given)
    answer = ask(parent)
    assert answer.condition["reason"] == "InvalidSpec"
    assert answer.message == (
        f"annotation {STRATEGY}: has the value '{value}'; "
        "write one of RollingUpdate, Recreate, RampedSlowRollout, BestEffortControlledRollout"
    )


# HorizontalPodAutoscaler


def autoscaler(spec=WORKER, settings=None, **autoscaling):
    scaling = {"autoscaling": {"enabled": True, "maxReplicas": 4, **autoscaling}}
    return ask(component(spec | scaling), settings=settings).child("HorizontalPodAutoscaler")


def cpu_at(percent):
    target = {"type": "Utilization", "averageUtilization": percent}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def test_an_autoscaler_without_bounds_and_metrics_of_its_own():
    made = autoscaler()
    assert (made["apiVersion"], made["metadata"]["name"]) == ("autoscaling/v2", "g-decode")
    assert made["spec"] == {
        "scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "g-decode"},
        "minReplicas": 1,
        "maxReplicas": 4,
        "metrics": [cpu_at(80)],
    }


def test_an_autoscaler_of_a_component_that_spans_nodes_scales_its_groups():
    assert autoscaler(WORKER | {"multinode": {}})["spec"]["scaleTargetRef"] == {
        "apiVersion": "leaderworkerset.x-k8s.io/v1",
        "kind": "LeaderWorkerSet",
        "name": "g-decode-lws",
    }


def test_the_platforms_utilization_takes_the_place_of_ours():
    made = autoscaler(settings={"defaults": {"autoscalingCpuUtilization": 50}})
    assert made["spec"]["metrics"] == [cpu_at(50)]


def test_bounds_metrics_and_behavior_of_the_users():
    target = {"type": "AverageValue", "averageValue": "1000m"}
    metric = {"type": "Pods", "pods": {"metric": {"name": "queue"}, "target": target}}
    behavior = {"scaleDown": {"stabilizationWindowSeconds": 0}}
    spec = autoscaler(minReplicas=2, metrics=[metric], behavior=behavior)["spec"]
    assert (spec["minReplicas"], spec["maxReplicas"]) == (2, 4)
    assert spec["metrics"] == [laid_over(metric, {"pods": {"target": {"averageValue": "1"}}})]
    assert spec["behavior"] == behavior


@pytest.mark.parametrize("metrics", [[], None])
def test_empty_metrics_count_as_none(metrics):
    assert autoscaler(metrics=metrics)["spec"]["metrics"] == [cpu_at(80)]


@pytest.mark.parametrize(
    ("autoscaling", "message"),
    [
        (
            {"minReplicas": 5, "maxReplicas": 2},
            "spec.autoscaling.maxReplicas: has the value 2, less than minReplicas (5); raise it, or lower minReplicas",
        ),
        (
            {"maxReplicas": 0},
            "spec.autoscaling.maxReplicas: has the value 0, less than minReplicas (1); raise it, or lower minReplicas",
        ),
        (
            {"maxReplicas": None},
            ("spec.autoscaling.maxReplicas: is required when autoscaling is enabled; add it, or set enabled to false"),
        ),
        (
            {"minReplicas": 0, "maxReplicas": 2},
            "spec.autoscaling.minReplicas: has the value 0; it should be greater than or equal to 1",
        ),
        (
            {"maxReplicas": 2, "metrics": [{"type": "Pods", "pods": {"target": {"averageValue": "lots"}}}]},
            (
                "spec.autoscaling.metrics[0].pods.target.averageValue: 'lots' is no quantity; "
                "write one such as 2, 500m or 20Gi"
            ),
        ),
    ],
)
def test_bounds_and_metrics_that_cannot_be_are_an_invalid_spec(autoscaling, message):
    answer = ask(component({"autoscaling": {"enabled": True, **autoscaling}}))
    assert (answer.condition["reason"], answer.message) == ("InvalidSpec", message)


def test_bounds_of_an_autoscaler_that_is_switched_off_do_not_matter():
    off = {"enabled": False, "minReplicas": 5, "maxReplicas": 2}
    assert ask(component({"autoscaling": off})).names == {("Deployment", "g-decode")}


# Ingress and VirtualService


def exposed(settings=None, spec=WORKER, **ingress):
    given = spec | {"ingress": {"enabled": True, "host": "chat", **ingress}}
    answer = ask(component(given), settings={"ingress": settings or {}})
    return answer.child("VirtualService" if ingress.get("useVirtualService") else "Ingress")


def test_an_ingress_leads_from_its_host_to_the_services_first_port():
    made = exposed()
    backend = {"service": {"name": "g-decode", "port": {"number": 9090}}}
    assert made["apiVersion"] == "networking.k8s.io/v1"
    assert made["spec"] == {
        "rules": [
            {"host": "chat", "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}},
        ]
    }


def test_a_virtual_service_does_the_same():
    made = exposed(useVirtualService=True)
    destination = {"host": "g-decode", "port": {"number": 9090}}
    assert made["apiVersion"] == "networking.istio.io/v1"
    assert made["spec"]["hosts"] == ["chat"]
    assert [route["route"] for route in made["spec"]["http"]] == [[{"destination": destination}]]
    assert "gateways" not in made["spec"]


@pytest.mark.parametrize(
    ("ingress", "settings", "host"),
    [
        pytest.param({}, {}, "chat", id="the host alone"),
        pytest.param({"hostPrefix": "my-"}, {}, "my-chat", id="a prefix"),
        pytest.param({"hostSuffix": "example.com"}, {}, "chat.example.com", id="a suffix"),
        pytest.param({"hostSuffix": ".example.com"}, {}, "chat.example.com", id="a suffix with its dot"),
        pytest.param({}, {"hostSuffix": "example.com"}, "chat.example.com", id="the platform's"),
        pytest.param(
            {"hostPrefix": "a.", "hostSuffix": "own.com"}, {"hostSuffix": "example.com"}, "a.chat.own.com", id="all"
        ),
        pytest.param({"hostPrefix": "*."}, {}, "*.chat", id="every host below"),
    ],
)
def test_the_host_of_an_ingress_and_of_a_virtual_service(ingress, settings, host):
    assert exposed(settings, **ingress)["spec"]["rules"][0]["host"] == host
    assert exposed(settings, useVirtualService=True, **ingress)["spec"]["hosts"] == [host]


@pytest.mark.parametrize(
    ("ingress", "settings", "expected"),
    [
        pytest.param({"ingressControllerClassName": "nginx"}, {}, "nginx", id="its own"),
        pytest.param({}, {"className": "traefik"}, "traefik", id="the platform's"),
        pytest.param({"ingressControllerClassName": "nginx"}, {"className": "traefik"}, "nginx", id="its own first"),
        pytest.param({}, {}, None, id="none"),
    ],
)
def test_the_class_of_an_ingress(ingress, settings, expected):
    assert exposed(settings, **ingress)["spec"].get("ingressClassName") == expected


@pytest.mark.parametrize(
    ("ingress", "settings", "secret"),
    [
        pytest.param({"tls": {"secretName": "s"}}, {}, "s", id="its own"),
        pytest.param({}, {"tlsSecretName": "p"}, "p", id="the platform's"),
        pytest.param({"tls": {}}, {"tlsSecretName": "p"}, "p", id="an empty one counts as none"),
        pytest.param({"tls": {"secretName": "s"}}, {"tlsSecretName": "p"}, "s", id="its own first"),
        pytest.param({}, {}, None, id="none"),
    ],
)
def test_the_certificate_of_an_ingress(ingress, settings, secret):
    tls = exposed(settings, **ingress)["spec"].get("tls")
    assert tls == ([{"hosts": ["chat"], "secretName": secret}] if secret else None)


@pytest.mark.parametrize(
    ("ingress", "settings", "gateways"),
    [
        ({"virtualServiceGateway": "ns/own"}, {"virtualServiceGateway": "ns/platform"}, ["ns/own"]),
        ({}, {"virtualServiceGateway": "ns/platform"}, ["ns/platform"]),
        ({}, {}, None),
    ],
)
def test_the_gateway_of_a_virtual_service(ingress, settings, gateways):
    assert exposed(settings, useVirtualService=True, **ingress)["spec"].get("gateways") == gateways


@pytest.mark.parametrize("kind", [{}, {"useVirtualService": True}])
def test_labels_and_annotations_of_an_ingress_lie_over_those_of_the_component(kind):
    spec = WORKER | {"labels": {"a": "1", "b": "1"}, "annotations": {"c": "1", "d": "1"}}
    metadata = exposed(spec=spec, labels={"b": "2"}, annotations={"d": "2"}, **kind)["metadata"]
    assert (metadata["labels"]["a"], metadata["labels"]["b"]) == ("1", "2")
    assert (metadata["annotations"]["c"], metadata["annotations"]["d"]) == ("1", "2")


def test_any_component_with_a_port_can_have_an_ingress():
    spec = main_container(ports=[{"containerPort": 5000}])
    made = exposed(spec=spec)
    assert made["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]["port"] == {"number": 5000}


@pytest.mark.parametrize("kind", [{}, {"useVirtualService": True}])
def test_what_comes_from_outside_leads_to_the_first_port_that_speaks_tcp(kind):
    ports = [{"containerPort": 53, "protocol": "UDP"}, {"containerPort": 5000}, {"containerPort": 5001}]
    made = exposed(spec=main_container(ports=ports), **kind)
    assert "'number': 5000" in str(made["spec"])
    assert "53" not in str(made["spec"])


@pytest.mark.parametrize(
    ("spec", "ingress", "message"),
    [
        pytest.param(
            main_container(ports=[{"containerPort": 53, "protocol": "UDP"}]),
            {},
            "spec.ingress: is enabled, but the main container has no TCP port; add the port to "
            "extraPodSpec.mainContainer.ports",
            id="UDP alone",
        ),
        pytest.param(
            WORKER,
            {"host": None},
            "spec.ingress.host: is required when the ingress is enabled; add the host name",
            id="no host",
        ),
        pytest.param(
            WORKER,
            {"host": ""},
            "spec.ingress.host: is required when the ingress is enabled; add the host name",
            id="an empty host",
        ),
        pytest.param(
            {},
            {},
            (
                "spec.ingress: is enabled, but the main container has no TCP port; "
                "add the port to extraPodSpec.mainContainer.ports"
            ),
            id="no port",
        ),
        pytest.param(
            WORKER,
            {"host": "Chat", "hostSuffix": "example.com"},
            (
                "spec.ingress.host: with prefix and suffix 'Chat.example.com' must begin and end with a letter or "
                "digit and have only a-z, 0-9, '-' and '.'; write a DNS name"
            ),
            id="no host name",
        ),
        pytest.param(
            WORKER,
            {"ingressControllerClassName": "a b"},
            (
                "spec.ingress.ingressControllerClassName: 'a b' must begin and end with a letter or digit and have "
                "only a-z, 0-9, '-' and '.'; write the name of an object"
            ),
            id="no class",
        ),
    ],
)
def test_an_ingress_that_cannot_be_is_an_invalid_spec(spec, ingress, message):
    answer = ask(component(spec | {"ingress": {"enabled": True, "host": "chat", **ingress}}))
    assert (answer.condition["reason"], answer.message) == ("InvalidSpec", message)


# What is the same for every child


def test_each_child_that_is_updated_in_place_carries_the_hash_of_what_it_is_and_its_pods_do_not():
    spec = WORKER | {"autoscaling": {"enabled": True, "maxReplicas": 2}, "ingress": {"enabled": True, "host": "h"}}
    answer = ask(component(spec))
    hashes = {child["metadata"]["annotations"]["nvidia.com/desired-hash"] for child in answer.children}
    assert len(hashes) == len(answer.children) == 4
    assert "annotations" not in answer.template["metadata"]


@pytest.mark.parametrize(
    ("spec", "changed"),
    [
        pytest.param(WORKER | {"replicas": 3}, {"Deployment"}, id="replicas that are given"),
        pytest.param(WORKER | {"envs": [{"name": "A", "value": "b"}]}, {"Deployment"}, id="a variable"),
        pytest.param(WORKER | {"labels": {"a": "b"}}, {"Deployment", "Service"}, id="a label"),
        pytest.param(WORKER, set(), id="nothing"),
    ],
)
def test_the_hash_changes_with_what_is_asked_for(spec, changed):
    def hashes(given):
        annotations = {child["kind"]: child["metadata"]["annotations"] for child in ask(component(given)).children}
        return {kind: found["nvidia.com/desired-hash"] for kind, found in annotations.items()}

    before, after = hashes(WORKER), hashes(spec)
    assert {kind for kind in before if before[kind] != after[kind]} == changed


def test_the_hash_does_not_change_with_what_is_observed_or_found():
    account = {
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {"name": "a", "namespace": "default", "labels": {"nvidia.com/dynamo-component-pod": "true"}},
    }
    plain = ask(component(WORKER))
    there = plain.observed(Deployment={"spec": {"replicas": 7}})
    found = ask(component(WORKER), observed=there, related=[account])
    assert found.child("Deployment")["spec"]["replicas"] == 7
    assert found.pod["serviceAccountName"] == "a"
    assert found.child("Deployment")["metadata"] == plain.child("Deployment")["metadata"]
