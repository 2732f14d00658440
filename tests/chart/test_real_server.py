"""The chart on a real API server: what it renders is taken, and Helm installs, upgrades and uninstalls it there."""

import copy

import pytest

from hooks.packaged import packaged
from hooks.simulator.errors import ApiError
from hooks.simulator.kustomize import read_manifests
from tests.chart import rendered
from tests.chart.rendered import RESTRICTED, VARIANTS, helm
from tests.chart.test_security import every_forbidden, pod_security_faults
from tests.real.control_plane import ControlPlane, assets
from tests.real.installed import definitions, install, served
from tests.simulator.scenarios.release import older_chart
from tests.simulator.scenarios.situations import graph

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("real")]

NAMESPACE = "dynamo-hooks"
MONITORING = {"PodMonitor", "PrometheusRule", "ServiceMonitor"}
"""Kinds that the server lacks."""
OPTIONAL = {"leaderworkersets", "virtualservices"}
PLURALS = {"NetworkPolicy": "networkpolicies", "Ingress": "ingresses"}


def metacontroller():
    """The definitions of its controllers, as far as the chart looks at them."""
    webhook = {"type": "object", "properties": {"authorization": {"type": "object"}}}
    for kind in ("CompositeController", "DecoratorController"):
        plural = f"{kind.lower()}s"
        loose = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        schema = {"type": "object", "properties": {"spec": loose, "example": webhook}}
        version = {"name": "v1alpha1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
        group = "metacontroller.k8s.io"
        names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
        yield {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {
                "name": f"{plural}.{group}",
                "annotations": {"api-approved.kubernetes.io": "unapproved"},  # the group's name is a protected one
            },
            "spec": {"group": group, "scope": "Cluster", "names": names, "versions": [version]},
        }


@pytest.fixture(scope="module")
def server(request, tmp_path_factory):
    """An administrator's client of a server with Metacontroller's definitions and none of ours."""
    programs, problem = assets()
    if programs is None:
        (pytest.fail if request.config.getoption("--require-real") else pytest.skip)(problem)
    plane = ControlPlane(programs, tmp_path_factory.mktemp("server"))
    try:
        plane.start()
        install(plane.client, list(metacontroller()))
        plane.start_controllers()
        labels = {"pod-security.kubernetes.io/enforce": "restricted"}
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE, "labels": labels}}
        plane.client.send("POST", "/api/v1/namespaces", namespace)
        plane.client.kubeconfig = plane.kubeconfig
        yield plane.client
    finally:
        plane.stop()


def path(item):
    """Where an object of the release's is posted to."""
    version, kind = item["apiVersion"], item["kind"]
    place = f"/namespaces/{NAMESPACE}" if kind not in CLUSTER_WIDE else ""
    return f"/{'apis' if '/' in version else 'api'}/{version}{place}/{PLURALS.get(kind, f'{kind.lower()}s')}"


CLUSTER_WIDE = {"ClusterRole", "CompositeController", "CustomResourceDefinition", "DecoratorController"}


def dry_run(server, item):
    return server.send("POST", path(item), item, dryRun="All", fieldValidation="Strict")


@pytest.mark.parametrize("values", VARIANTS.values(), ids=VARIANTS)
def test_it_takes_every_object_of_ours_without_a_warning(server, values):
    refused = []
    for item in rendered.objects(values):
        if item["kind"] in MONITORING:
            continue
        try:
            refused += dry_run(server, item)[1]
        except ApiError as error:
            refused.append(f"{item['kind']} {item['metadata']['name']}: {error.message}")
    assert refused == []


def test_it_refuses_a_field_that_nobody_knows(server):
    (deployment,) = rendered.of_kind("Deployment").values()
    deployment = copy.deepcopy(deployment)
    deployment["spec"]["template"]["spec"]["contaners"] = []
    with pytest.raises(ApiError, match="contaners"):
        dry_run(server, deployment)


def pod(spec):
    spec = {**spec, "serviceAccountName": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "hooks"}, "spec": spec}


@pytest.mark.parametrize("values", VARIANTS.values(), ids=VARIANTS)
def test_a_namespace_that_enforces_restricted_takes_our_pods(server, values):
    spec = {key: value for key, value in rendered.pod(values).items() if key != "priorityClassName"}
    assert dry_run(server, pod(spec))[1] == []


@every_forbidden
def test_it_refuses_what_our_rule_for_restricted_pods_does(server, change, fault):
    spec = copy.deepcopy(rendered.pod())
    change(spec)
    assert fault in list(pod_security_faults(spec))
    with pytest.raises(ApiError, match="violates PodSecurity"):
        dry_run(server, pod(spec))


def controllers(server):
    """The controllers that are there, by name."""
    kinds = ("compositecontrollers", "decoratorcontrollers")
    lists = [server.send("GET", f"/apis/metacontroller.k8s.io/v1alpha1/{kind}")[0]["items"] for kind in kinds]
    return {item["metadata"]["name"]: item for items in lists for item in items}


def revision(server):
    """What the URLs of all webhooks end in."""
    (found,) = {hook["url"].partition("?v=")[2] for hook in rendered.webhooks(controllers(server))}
    return found


def secret(server):
    return server.send("GET", f"/api/v1/namespaces/{NAMESPACE}/secrets/dynamo-hooks-token")[0]["data"]


def children_of_components(server):
    rules = controllers(server)["dynamo-component-deployments"]["spec"]["childResources"]
    return {rule["resource"] for rule in rules}


def graphs(server):
    return server.send("GET", "/apis/nvidia.com/v1alpha1/namespaces/default/dynamographdeployments")[0]["items"]


def definition_of(kind):
    return next(each for each in definitions() if each["spec"]["names"]["kind"] == kind)


class Helm:
    """`helm install dynamo-hooks …` and so on. Each command sees the server anew, as a process of its own does."""

    def __init__(self, server):
        self._kubeconfig = server.kubeconfig

    def __getattr__(self, command):
        def run(*arguments):
            with helm.Config(kubeconfig_path=self._kubeconfig, namespace=NAMESPACE) as config:
                return getattr(config, command)(*arguments)

        return run


def test_from_an_older_release_to_the_end(server, tmp_path):
    run = Helm(server)
    run.install(rendered.chart(older_chart(tmp_path / "older")), "dynamo-hooks")
    for definition in read_manifests(packaged("crds")):
        served(server, definition)
    server.send("POST", "/apis/nvidia.com/v1alpha1/namespaces/default/dynamographdeployments", graph())
    there = graphs(server)
    older, token = revision(server), secret(server)

    # another version: everything is asked for anew, with the same token
    run.upgrade(rendered.chart(), "dynamo-hooks", {})
    assert revision(server) != older
    assert secret(server) == token
    assert children_of_components(server) & OPTIONAL == set()

    # an API that came meanwhile is taken
    present = revision(server)
    install(server, [definition_of("VirtualService")])
    run.upgrade(rendered.chart(), "dynamo-hooks", {})
    assert children_of_components(server) & OPTIONAL == {"virtualservices"}
    install(server, [definition_of("LeaderWorkerSet")])
    run.upgrade(rendered.chart(), "dynamo-hooks", {"optionalAPIs": {"istio": False}})
    assert children_of_components(server) & OPTIONAL == {"leaderworkersets"}
    assert (revision(server), secret(server)) == (present, token)

    # another token
    run.upgrade(rendered.chart(), "dynamo-hooks", {"auth": {"tokenRevision": "2"}})
    assert revision(server) != present
    assert secret(server)["previous-token"] == token["token"] != secret(server)["token"]

    # beside another kind of installation
    with pytest.raises(helm.HelmError, match=r"set namespaceRestriction\.enabled on both"):
        run.install(rendered.chart(), "another", RESTRICTED | {"crds": {"install": False}})

    run.uninstall("dynamo-hooks")
    assert controllers(server) == {}
    for plural in ("deployments", "replicasets"):
        assert server.send("GET", f"/apis/apps/v1/namespaces/{NAMESPACE}/{plural}")[0]["items"] == []
    roles = server.send("GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles")[0]["items"]
    assert not [role for role in roles if role["metadata"]["name"].startswith("dynamo-")]
    assert graphs(server) == there
    for definition in read_manifests(packaged("crds")):
        name = definition["metadata"]["name"]
        kept = server.send("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}")[0]
        assert "deletionTimestamp" not in kept["metadata"]
