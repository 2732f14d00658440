"""Metadata that every child of a component has."""

from hooks.pods.component import Component
from hooks.protocol import Kind, Object


def build_child(component: Component, kind: Kind, name: str, spec: Object) -> Object:
    """A child of a component: its labels and annotations are the component's."""
    metadata: Object = {"name": name, "namespace": component.namespace, "labels": dict(component.labels)}
    if component.annotations:
        metadata["annotations"] = dict(component.annotations)
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, "spec": spec}
