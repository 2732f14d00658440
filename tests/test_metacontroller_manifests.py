"""metacontroller/: what the manifests of the controllers have to be, whatever a cluster would also take."""

import pytest
import yaml

from hooks import __version__
from hooks.controllers.registry import controllers
from hooks.kinds import BY_NAME
from hooks.packaged import packaged
from hooks.revision import revision
from hooks.settings import RbacSettings, Settings

FOLDER = packaged("metacontroller")
KUSTOMIZATION = yaml.safe_load((FOLDER / "kustomization.yaml").read_text())


def documents():
    paths = [path for path in sorted(FOLDER.glob("**/*.yaml")) if path.name != "kustomization.yaml"]
    return [(path, document) for path in paths for document in yaml.safe_load_all(path.read_text())]


MANIFESTS = [document for _, document in documents() if document["kind"].endswith("Controller")]
CLUSTER_ROLES = {document["metadata"]["name"]: document for _, document in documents() if "rules" in document}
every_controller = pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda item: item["metadata"]["name"])
every_composite = pytest.mark.parametrize(
    "manifest",
    [manifest for manifest in MANIFESTS if manifest["kind"] == "CompositeController"],
    ids=lambda item: item["metadata"]["name"],
)


CALLS_WORKERS = {"dynamomodels/sync", "dynamomodels/finalize"}
"""Hooks that wait for others."""


def children(manifest):
    return manifest["spec"].get("childResources") or manifest["spec"].get("attachments") or []


def parents(manifest):
    spec = manifest["spec"]
    return spec["resources"] if manifest["kind"] == "DecoratorController" else [spec["parentResource"]]


def path(hook):
    return hook["webhook"]["url"].partition(".svc/")[2].partition("?")[0]


def method(child):
    return child.get("updateStrategy", {}).get("method", "OnDelete")


def route(manifest):
    return path(manifest["spec"]["hooks"]["sync"]).partition("/")[0]


def test_kustomize_applies_every_manifest():
    listed = {FOLDER / name for name in KUSTOMIZATION["resources"]}
    assert listed == {found for found, _ in documents() if "components" not in found.parts}


def test_every_controller_has_its_manifest_and_every_manifest_its_controller():
    assert sorted(map(route, MANIFESTS)) == sorted(controllers())


@every_controller
def test_a_manifest_says_what_its_controller_does(manifest):
    controller = controllers()[route(manifest)]
    assert controller.decorates == (manifest["kind"] == "DecoratorController")
    declared = {(parent["apiVersion"], parent["resource"]) for parent in parents(manifest)}
    assert declared == {(kind.api_version, kind.plural) for kind in controller.parents}
    hooks = {"sync"} | {name for name in ("customize", "finalize") if getattr(controller, name)}
    assert set(manifest["spec"]["hooks"]) == hooks
    assert {name: path(hook) for name, hook in manifest["spec"]["hooks"].items()} == {
        name: f"{controller.route}/{name}" for name in hooks
    }


@every_controller
def test_every_hook_is_of_the_strict_version_and_its_url_changes_with_version_and_settings(manifest):
    for hook in manifest["spec"]["hooks"].values():
        assert hook["version"] == "v2"
        assert hook["webhook"]["url"].endswith(f"?v={revision(__version__, Settings())}"), "run `make revision`"
        assert hook["webhook"]["timeout"] == ("60s" if path(hook) in CALLS_WORKERS else "10s")
        assert "etag" not in hook["webhook"]


@every_controller
def test_kinds_are_those_that_the_hooks_answer_with(manifest):
    known = {(kind.api_version, kind.plural) for kind in BY_NAME.values()}
    assert {(child["apiVersion"], child["resource"]) for child in children(manifest)} <= known


@every_controller
def test_only_bindings_are_recreated_and_nothing_that_runs_is(manifest):
    recreated = {child["resource"] for child in children(manifest) if method(child) not in {"OnDelete", "InPlace"}}
    assert recreated <= {"rolebindings", "clusterrolebindings"}


@every_controller
def test_what_cannot_change_or_is_its_users_is_never_updated(manifest):
    kept = {"jobs", "persistentvolumeclaims", "secrets", "dynamographdeployments"}
    for child in children(manifest):
        assert (method(child) == "OnDelete") == (
            child["resource"] in kept or (route(manifest) == "namespaces" and child["resource"] == "configmaps")
        )


@every_composite
def test_composites_claim_by_a_generated_label_and_are_asked_again_every_five_minutes(manifest):
    assert manifest["spec"]["generateSelector"] is True
    assert manifest["spec"]["resyncPeriodSeconds"] == 300


def test_only_models_have_a_finalizer():
    assert {route(manifest) for manifest in MANIFESTS if "finalize" in manifest["spec"]["hooks"]} <= {"dynamomodels"}


def test_names_go_into_annotations_of_objects_and_never_change():
    assert {manifest["metadata"]["name"] for manifest in MANIFESTS} >= {
        "dynamo-graph-deployments",
        "dynamo-component-deployments",
        "dynamo-graph-deployment-request-labels",
        "dynamo-namespaces",
        "dynamo-registry-secrets",
    }


def rights(name):
    """What a ClusterRole allows: resource → verbs."""
    rules = CLUSTER_ROLES[name]["rules"]
    return {
        f"{group}/{resource}": set(rule["verbs"])
        for rule in rules
        for group in rule["apiGroups"]
        for resource in rule["resources"]
    }


def test_cluster_roles_have_the_names_of_the_settings():
    assert set(CLUSTER_ROLES) == set(RbacSettings().model_dump().values())


def test_cluster_roles_allow_what_is_needed_and_no_more():
    changes = {"get", "list", "create", "update", "patch"}
    assert rights("dynamo-planner") == {
        "nvidia.com/dynamocomponentdeployments": changes,
        "nvidia.com/dynamocomponentdeployments/scale": changes,
        "nvidia.com/dynamographdeployments": changes,
        "nvidia.com/dynamographdeployments/scale": changes,
    }
    assert rights("dynamo-profiling") == {
        "/configmaps": {"create", "get", "update", "patch", "delete"},
        "nvidia.com/dynamographdeploymentrequests": {"get"},
        "nvidia.com/dynamographdeployments": {"get", "list", "watch", "create", "delete"},
        "/pods": {"get", "list", "create", "delete"},
        "/pods/log": {"get"},
    }
    assert rights("dynamo-node-reader") == {"/nodes": {"get", "list", "watch"}}


def test_helms_releases_are_not_sent_with_the_secrets():
    manifest = next(manifest for manifest in MANIFESTS if manifest["metadata"]["name"] == "dynamo-registry-secrets")
    expression = {"key": "owner", "operator": "NotIn", "values": ["helm"]}
    assert parents(manifest)[0]["labelSelector"] == {"matchExpressions": [expression]}
