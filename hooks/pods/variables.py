"""Environment variables of the main container.

Source: seed, "Environment Variables".
"""

from collections.abc import Iterable, Mapping
from typing import Any

from hooks.pods.component import Component
from hooks.pods.environment import resolve_references

Variable = dict[str, Any]


def variables(component: Component, backend_env: dict[str, str]) -> list[Variable]:
    """Each variable once, the last of these winning and the first giving the place.

    They are: the platform's and the component type's defaults, `mainContainer.env`, the component's `envs`. References
    among them are resolved.
    """
    entries: list[Any] = [
        *_of_every_component(component),
        *_literals(_of_platform(component)),
        *_literals(component.defaults.env),
        *_literals(backend_env),
        *(component.main_container.get("env") or ()),
        *(component.spec.envs or ()),
    ]
    return resolve_references(each_once(entries))


def each_once(entries: Iterable[Any]) -> list[Variable]:
    """Each variable once: the first of a name gives the place, the last the whole entry."""
    merged: dict[str, Variable] = {}
    for entry in entries:
        merged[entry["name"]] = entry
    return list(merged.values())


def with_references_resolved(container: Mapping[str, Any]) -> dict[str, Any]:
    """A user's container with `$(NAME)` resolved in its variables; as it is where one of them stands twice."""
    entries = container.get("env") or []
    if len({entry["name"] for entry in entries}) < len(entries):
        return dict(container)
    return {**container, "env": resolve_references(entries)} if entries else dict(container)


def _of_every_component(component: Component) -> list[Variable]:
    literals = {"DYN_NAMESPACE": component.dynamo_namespace}
    if component.spec.component_type:
        literals["DYN_COMPONENT"] = component.spec.component_type
    literals["DYN_PARENT_DGD_K8S_NAME"] = component.graph_deployment
    literals["DYN_PARENT_DGD_K8S_NAMESPACE"] = component.namespace
    fields = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace", "POD_UID": "metadata.uid"}
    references = [
        {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
        for name, path in fields.items()
    ]
    return _literals(literals) + references


def _of_platform(component: Component) -> dict[str, str]:
    settings = component.settings
    wanted = {
        "NATS_SERVER": settings.nats_address,
        "ETCD_ENDPOINTS": settings.etcd_address,
        "MODEL_EXPRESS_URL": settings.model_express_url,
        "PROMETHEUS_ENDPOINT": settings.prometheus_endpoint,
        "DYN_DISCOVERY_BACKEND": "kubernetes" if component.discovery else None,
    }
    return {name: value for name, value in wanted.items() if value}


def _literals(values: dict[str, str]) -> list[Variable]:
    return [{"name": name, "value": value} for name, value in values.items()]
