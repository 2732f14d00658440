"""The graph that a request's profiling came to, built anew from what stands in the request's status.

Whoever may write a request's status must not thereby make anything but a DynamoGraphDeployment where the request's
spec asks for it.
"""

from hooks import labels
from hooks.kinds import GRAPH_DEPLOYMENT
from hooks.manifest import too_large, without_nulls
from hooks.profiling.requested import RequestedGraph
from hooks.protocol import Object, part

_METACONTROLLERS = "metacontroller.k8s.io/"
"""Prefix of the annotations by which Metacontroller knows what it made."""


def build_generated_deployment(generated: Object, wanted: RequestedGraph) -> Object | None:
    """A clean copy of a `generatedDeployment`; None where it is not the graph that the request asks for.

    Args:
        generated: the status's `generatedDeployment`.
        wanted: what the request's spec asks for.
    """
    metadata = part(generated, "metadata")
    is_graph = (generated.get("apiVersion"), generated.get("kind")) == (
        GRAPH_DEPLOYMENT.api_version,
        GRAPH_DEPLOYMENT.kind,
    )
    place = metadata.get("namespace"), metadata.get("name")
    if not is_graph or place != (wanted.namespace, wanted.name) or not isinstance(generated.get("spec"), dict):
        return None
    found = {
        key: value
        for key, value in part(metadata, "labels").items()
        if key not in labels.CHOOSING and labels.is_key(key) and isinstance(value, str) and labels.is_value(value)
    }
    annotations = {
        key: value
        for key, value in part(metadata, "annotations").items()
        if labels.is_key(key) and not key.startswith(_METACONTROLLERS) and isinstance(value, str)
    }
    clean: Object = {
        "apiVersion": GRAPH_DEPLOYMENT.api_version,
        "kind": GRAPH_DEPLOYMENT.kind,
        "metadata": {"name": wanted.name, "namespace": wanted.namespace, "labels": found | wanted.own_labels},
        "spec": without_nulls(generated["spec"]),
    }
    if annotations:
        clean["metadata"]["annotations"] = annotations
    return clean if too_large(clean) is None else None
