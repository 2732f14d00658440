"""Requests about a Namespace to test with: what is in it, and what the hook answers."""

from datetime import UTC, datetime

from hooks.controllers import namespaces
from hooks.kinds import GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, NAMESPACE
from hooks.protocol import CustomizeRequest, read_sync
from hooks.settings import Settings
from tests.golden_cases import keyed

NOW = datetime(2026, 11, 30, tzinfo=UTC)
GRAPH = {"apiVersion": GRAPH_DEPLOYMENT.api_version, "kind": GRAPH_DEPLOYMENT.kind}
UID = "d6d00000-0000-0000-0000-000000000001"


def namespace(name="team", consent=None, **metadata):
    annotations = {"annotations": {"nvidia.com/allow-deployments-from": consent}} if consent else {}
    found = {"name": name, "uid": f"uid-of-{name}", **annotations, **metadata}
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": found}


def graph(name="g", namespace="team", status=None, generation=1, **spec):
    item = {**GRAPH, "metadata": {"name": name, "namespace": namespace, "generation": generation}, "spec": spec}
    return item if status is None else item | {"status": status}


def component(name="alone", namespace="team", labels=None, **spec):
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}}
    return {"apiVersion": GRAPH["apiVersion"], "kind": "DynamoComponentDeployment", "metadata": metadata, "spec": spec}


def object_of(kind, name, namespace="team", api_version="v1", **members):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name, "namespace": namespace}, **members}


def requesting(name="r", namespace="team", uid=UID, status=None, metadata=None, **spec):
    """A DynamoGraphDeploymentRequest."""
    found = {"name": name, "namespace": namespace, "uid": uid, **(metadata or {})}
    item = {"apiVersion": GRAPH["apiVersion"], "kind": GRAPH_DEPLOYMENT_REQUEST.kind, "metadata": found, "spec": spec}
    return item if status is None else item | {"status": status}


def answer(parent, related=(), observed=(), asked=None, settings=None, randomness=bytes(36)):
    """The attachments; every kind counts as asked for, or those of `asked` alone."""
    settings = Settings.model_validate(settings or {})
    rules = [rule.kind.key for rule in namespaces.customize(CustomizeRequest(parent), settings)]
    body = {
        "object": parent,
        "attachments": keyed(observed),
        "related": {key: {} for key in (rules if asked is None else asked)} | keyed(related),
    }
    request = read_sync(body, NAMESPACE)
    return namespaces.sync(type(request)(**{**vars(request), "randomness": randomness}), settings, NOW).attachments


def named(attachments):
    return [f"{item['kind']} {item['metadata']['name']}" for item in attachments]
