"""The chart, rendered by Helm itself."""

import json
import re
from functools import cache

import pytest
import yaml

from hooks.configuration import settings_of
from hooks.packaged import packaged
from hooks.settings import Settings
from hooks.settings_faults import settings_faults
from tests import published
from tests.chart import rendered
from tests.chart.rendered import EVERY_VALUE, RESTRICTED, VALUES, every_variant

OPTIONAL = {
    "leaderWorkerSet": {"apiVersion": "leaderworkerset.x-k8s.io/v1", "resource": "leaderworkersets"},
    "istio": {"apiVersion": "networking.istio.io/v1", "resource": "virtualservices"},
}


@every_variant
def test_helm_lints_it(values):
    report = rendered.helm.lint(rendered.CHART, values, strict=True, kube_version="v1.29.0")
    assert report["errors"] == []
    assert [message["error"] for message in report["messages"]] == ["icon is recommended"]


@every_variant
def test_objects_are_what_kubernetes_takes(values):
    found = rendered.objects(values)
    known = [(item["kind"], published.faults(item)) for item in found]
    assert {kind for kind, faults in known if faults is None} <= {
        "CompositeController",
        "DecoratorController",
        "PodMonitor",
        "PrometheusRule",
        "ServiceMonitor",
    }
    assert [faults for _, faults in known if faults] == []
    names = [(item["kind"], item["metadata"]["name"]) for item in found]
    assert len(names) == len(set(names))


def leaves(values, path=()):
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def test_every_value_is_tried_with_another_than_its_default():
    assert [path for path, default in leaves(VALUES) if at(EVERY_VALUE, path) in (default, {})] == []


def at(values, path):
    for key in path:
        values = values.get(key, {})
    return values


def with_value(values, path, value):
    key, *below = path
    return values | {key: with_value(values.get(key, {}), below, value) if below else value}


EVERYTHING_SHOWS = {
    "namespaceRestriction": {"enabled": True},
    "autoscaling": {"enabled": True},
    "auth": {"existingSecret": "other"},  # a token of the chart's own is another one each time
    "tls": {"secretName": "other"},
    "crds": {"install": False},
    "imagePullSecrets": {"secretSelector": {"matchLabels": {"team": "b"}}},
    "metrics": {part: {"enabled": True} for part in ("serviceMonitor", "podMonitors", "rules", "dashboard")},
}


@cache
def everything():
    return rendered.files(EVERYTHING_SHOWS)


@pytest.mark.parametrize("path", [path for path, _ in leaves(VALUES)], ids=".".join)
def test_every_value_changes_what_is_rendered(path):
    value = at(EVERY_VALUE, path)
    if value == at(EVERYTHING_SHOWS, path):
        value = at(VALUES, path)
    assert rendered.files(with_value(EVERYTHING_SHOWS, path, value)) != everything()


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"replica": 2}, "replica"),
        ({"server": {"wokers": 2}}, "wokers"),
        ({"defaults": {"worker": {"startupProb": {}}}}, "startupProb"),
        ({"metrics": {"serviceMonitor": {"enable": True}}}, "enable"),
        ({"imagePullSecrets": {"secretSelector": {"matchLabel": {}}}}, "matchLabel"),
    ],
)
def test_a_misspelt_value_is_refused_by_its_name(values, word):
    with pytest.raises(rendered.helm.HelmError, match=f"'{word}'"):
        rendered.files(values)


@pytest.mark.parametrize(
    "values",
    [
        {"replicas": "two"},
        {"server": {"threads": 0}},
        {"discoveryBackend": "etcd"},
        {"optionalAPIs": {"istio": "yes"}},
        {"image": {"digest": "latest"}},
    ],
)
def test_a_value_of_another_type_is_refused(values):
    with pytest.raises(rendered.helm.HelmError, match="schema"):
        rendered.files(values)


def test_a_revision_may_be_a_number_as_set_makes_it_one():
    as_text, as_number = (
        {
            "auth": {"existingSecret": "mine", "tokenRevision": revision},
            "tls": {"secretName": "c", "revision": revision},
        }
        for revision in ("2", 2)
    )
    assert rendered.files(as_number) == rendered.files(as_text)
    (secret,) = rendered.of_kind("Secret", {"auth": {"tokenRevision": 2}}).values()
    assert secret["metadata"]["annotations"] == {"dynamo-hooks/token-revision": "2"}


@every_variant
def test_the_settings_load_and_are_those_of_the_values(values):
    (config,) = (item for item in rendered.objects(values) if item["metadata"]["name"] == "dynamo-hooks-settings")
    settings = settings_of(yaml.safe_load(config["data"]["settings.yaml"]))
    assert not settings_faults(settings)
    shared = {key: values[key] for key in Settings.model_json_schema()["properties"] if key in values}
    shared.pop("rbac", None)
    shared.setdefault("profiling", {"outputCopierImage": "dynamo-hooks:0.1.0"})
    assert settings.model_copy(update={"rbac": Settings().rbac}) == settings_of(shared)


def test_the_values_of_the_settings_are_the_built_in_ones():
    known = Settings.model_json_schema()["properties"]
    given = {key: value for key, value in VALUES.items() if key in known}
    assert given.keys() == known.keys()
    assert settings_of(given) == Settings()


def test_the_profilers_output_is_copied_by_the_chart_s_own_image():
    config = rendered.of_kind("ConfigMap", {"image": {"repository": "registry.example/hooks", "tag": "7"}})
    settings = yaml.safe_load(config["dynamo-hooks-settings"]["data"]["settings.yaml"])
    assert settings["profiling"]["outputCopierImage"] == "registry.example/hooks:7"


def plain_controllers():
    documents = (yaml.safe_load(path.read_text()) for path in packaged("metacontroller").glob("*.yaml"))
    return {item["metadata"]["name"]: item for item in documents if item["kind"].endswith("Controller")}


def without_revision(found, *, keep_host=True):
    """The specs of controllers, their webhooks without what differs from installation to installation."""
    specs = {name: json.loads(json.dumps(item["spec"])) for name, item in found.items()}
    for spec in specs.values():
        for hook in spec["hooks"].values():
            hook["webhook"].pop("authorization", None)
            url = hook["webhook"]["url"].partition("?")[0]
            hook["webhook"]["url"] = url if keep_host else url.partition(".svc/")[2]
    return specs


def test_the_controllers_are_those_of_the_plain_manifests_but_for_revision_and_token():
    assert without_revision(rendered.controllers()) == without_revision(plain_controllers())


@pytest.mark.parametrize("wanted", [[], ["leaderWorkerSet"], ["istio"], ["leaderWorkerSet", "istio"]])
def test_optional_apis_are_children_of_components_alone(wanted):
    found = rendered.controllers({"optionalAPIs": {name: name in wanted for name in OPTIONAL}})
    added = [{**OPTIONAL[name], "updateStrategy": {"method": "InPlace"}} for name in wanted]
    expected = without_revision(plain_controllers())
    expected["dynamo-component-deployments"]["childResources"] += added
    assert without_revision(found) == expected


def test_optional_apis_are_left_out_where_the_cluster_is_not_known():
    assert rendered.controllers({}).keys() == plain_controllers().keys()
    assert without_revision(rendered.controllers({})) == without_revision(
        rendered.controllers({"optionalAPIs": dict.fromkeys(OPTIONAL, False)})
    )


def test_a_restricted_installation_takes_what_is_claimed_for_it():
    found = rendered.controllers(RESTRICTED)
    assert set(found) == {f"{name}-teams" for name in {*plain_controllers(), "dynamo-claims"}} - {
        "dynamo-registry-secrets-teams"
    }
    for item in found.values():
        if item["kind"] == "CompositeController":
            claimed = {"matchLabels": {"nvidia.com/dynamo-installation": "teams"}}
            assert item["spec"]["parentResource"]["labelSelector"] == claimed
    (namespaces,) = found["dynamo-namespaces-teams"]["spec"]["resources"]
    assert namespaces["labelSelector"]["matchExpressions"] == [
        {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["team-a", "team-b"]}
    ]


def test_a_restricted_installation_sees_secrets_only_by_a_selector():
    selector = {"matchLabels": {"team": "a"}}
    found = rendered.controllers(RESTRICTED | {"imagePullSecrets": {"secretSelector": selector}})
    assert found["dynamo-registry-secrets-teams"]["spec"]["resources"][0]["labelSelector"] == selector
    assert "set imagePullSecrets.secretSelector" in rendered.files(RESTRICTED)["NOTES.txt"]


def test_pull_secrets_need_not_be_looked_for():
    found = rendered.controllers({"imagePullSecrets": {"enabled": False}})
    assert plain_controllers().keys() - found.keys() == {"dynamo-registry-secrets"}


def test_a_restricted_installation_is_called_like_its_release_s_namespace_and_looks_after_that():
    found = rendered.controllers({"namespaceRestriction": {"enabled": True}}, namespace="team-a")
    (rule,) = found["dynamo-namespaces-team-a"]["spec"]["resources"][0]["labelSelector"]["matchExpressions"]
    assert rule["values"] == ["team-a"]


def test_another_release_has_other_urls_and_the_same_names_in_objects():
    found = rendered.controllers(name="hooks", namespace="system")
    assert found.keys() == plain_controllers().keys()
    for hook in rendered.webhooks(found):
        assert hook["url"].startswith("http://hooks.system.svc/")


@pytest.mark.parametrize("digits", ["1234567890", "1e5"])
def test_a_name_that_looks_like_a_number_stays_a_name(digits):
    values = {
        "metacontroller": {"namespace": digits},
        "auth": {"existingSecret": digits},
        "tls": {"secretName": digits},
    }
    for item in rendered.objects(values, name=f"n{digits}", namespace=digits):
        assert not published.faults(item)
    assert 'checksum/settings: "' in rendered.files()["deployment.yaml"]


def test_crds_are_kept_on_uninstall_and_can_be_left_out():
    text = rendered.files()["crds.yaml"]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found = {item["metadata"]["name"]: item for item in yaml.load_all(text, loader) if item}
    source = [yaml.load(path.read_text(), loader) for path in packaged("crds").glob("*.yaml")]
    assert {name: item["spec"] for name, item in found.items()} == {
        item["metadata"]["name"]: item["spec"] for item in source
    }
    for item in found.values():
        assert item["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"
    assert rendered.files({"crds": {"install": False}})["crds.yaml"].strip() == ""


def test_the_notes_say_how_to_uninstall_and_what_is_missing():
    notes = rendered.files(name="hooks", namespace="system")["NOTES.txt"]
    assert "kubectl delete dynamomodels --all --all-namespaces\n  helm uninstall -n system hooks\n" in notes
    assert '{"metadata":{"finalizers":null}}' in notes
    assert "The cluster has no LeaderWorkerSet" in notes
    assert "LeaderWorkerSet" not in rendered.files({"optionalAPIs": {"leaderWorkerSet": True}})["NOTES.txt"]


def test_the_notes_of_a_restricted_installation_delete_models_of_its_own_namespaces_alone():
    notes = rendered.files(RESTRICTED)["NOTES.txt"]
    deletions = re.findall(r"kubectl .*delete dynamomodels.*", notes)
    assert deletions == [f"kubectl -n {namespace} delete dynamomodels --all" for namespace in ("team-a", "team-b")]
    assert "kubectl -n NAMESPACE patch dynamomodel NAME" in notes


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, True),
        ({"natsAddress": "nats://nats:4222"}, True),
        ({"natsAddress": "nats://nats:4222", "etcdAddress": "etcd:2379"}, False),
        ({"natsAddress": "nats://nats:4222", "discoveryBackend": "kubernetes"}, False),
    ],
)
def test_the_notes_ask_for_what_components_find_each_other_by(values, said):
    assert ("Components find each other by NATS and etcd" in rendered.files(values)["NOTES.txt"]) == said
