"""Environment variables of the main container.

Source: seed, "Environment Variables".
"""

from collections.abc import Iterable, Mapping
from typing import Any

from hooks.pods.component import Component, defaults_of_type
from hooks.pods.environment import resolve_references, with_sources_in_front
from hooks.pods.ports import default_environment
from hooks.pods.volumes import COMPILATION_CACHE_VARIABLES, volumes
from hooks.settings import Settings

Variable = dict[str, Any]


def variables(component: Component, backend_env: dict[str, str]) -> list[Variable]:
    """Each variable once, the last of these winning and the first giving the place.

    They are: the platform's and the component type's defaults, `mainContainer.env`, the component's `envs`. References
    among them are resolved.
    """
    entries: list[Any] = [
        *_of_every_component(component),
        *_literals(_of_platform(component.settings)),
        *_literals(_of_discovery(component)),
        *_literals(default_environment(component)),
        *_literals(backend_env),
        *(component.main_container.get("env") or ()),
        *(component.spec.envs or ()),
    ]
    merged = each_once(entries)
    return resolve_references(with_sources_in_front(merged) if component.is_merged else merged)


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


_FIELDS = {"POD_NAME": "metadata.name", "POD_NAMESPACE": "metadata.namespace", "POD_UID": "metadata.uid"}


def supplied_names(component_type: str | None, settings: Settings) -> list[str]:
    """Names of variables that every component of that type gets in front of a user's."""
    found = ["DYN_NAMESPACE", "DYN_PARENT_DGD_K8S_NAME", "DYN_PARENT_DGD_K8S_NAMESPACE", *_FIELDS]
    by_type = ["DYN_COMPONENT"] if component_type else []
    return [*found, *by_type, *_of_platform(settings), *defaults_of_type(component_type, settings.defaults).env]


SUPPLIED_TO_SOME = frozenset({"DYN_DISCOVERY_BACKEND", *COMPILATION_CACHE_VARIABLES.values()})
"""Further names that a component gets in front of a user's, where its discovery or its volumes ask for them."""


def supplied_to(component: Component) -> list[str]:
    """Those of `SUPPLIED_TO_SOME` that this component gets."""
    return [*_of_discovery(component), *volumes(component).env]


def _of_discovery(component: Component) -> dict[str, str]:
    return {"DYN_DISCOVERY_BACKEND": "kubernetes"} if component.discovery else {}


def _of_every_component(component: Component) -> list[Variable]:
    literals = {"DYN_NAMESPACE": component.dynamo_namespace}
    if component.spec.component_type:
        literals["DYN_COMPONENT"] = component.spec.component_type
    literals["DYN_PARENT_DGD_K8S_NAME"] = component.graph_deployment
    literals["DYN_PARENT_DGD_K8S_NAMESPACE"] = component.namespace
    references = [
        {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}
        for name, path in _FIELDS.items()
    ]
    return _literals(literals) + references


def _of_platform(settings: Settings) -> dict[str, str]:
    wanted = {
        "NATS_SERVER": settings.nats_address,
        "ETCD_ENDPOINTS": settings.etcd_address,
        "MODEL_EXPRESS_URL": settings.model_express_url,
        "PROMETHEUS_ENDPOINT": settings.prometheus_endpoint,
    }
    return {name: value for name, value in wanted.items() if value}


def _literals(values: dict[str, str]) -> list[Variable]:
    return [{"name": name, "value": value} for name, value in values.items()]
