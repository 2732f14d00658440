"""One rule of a customize answer, and what it selects."""

from dataclasses import dataclass

from hooks.protocol import Object
from hooks.simulator.metacontroller.discovery import Discovery
from hooks.simulator.metacontroller.failures import SyncFailed
from hooks.simulator.metacontroller.manifests import ResourceName
from hooks.simulator.resources import Resource


class InvalidRule(SyncFailed):
    """A rule that Metacontroller does not follow: the sync fails."""


@dataclass(frozen=True)
class Rule:
    """One rule of a customize answer. `namespace` None stands for the whole cluster."""

    resource: Resource
    namespace: str | None
    names: tuple[str, ...]
    selector: Object | None
    namespace_selector: Object | None


def read_rule(rule: Object, discovery: Discovery, *, own_namespace: str | None) -> Rule:
    """Read a rule.

    Args:
        rule: from the hook's answer.
        discovery: what kinds there are.
        own_namespace: what a hook of version `v1` is confined to, the namespace of its parent; None for other hooks.

    Raises:
        InvalidRule: it contradicts itself, or looks where it may not.
        NotServed: the cluster has no such resource.
    """
    resource = discovery.resource(ResourceName(rule.get("apiVersion", ""), rule.get("resource", "")))
    names, selector = tuple(rule.get("names") or ()), rule.get("labelSelector")
    namespace, namespace_selector = rule.get("namespace") or None, rule.get("namespaceSelector")
    if names and (selector is not None or namespace_selector is not None):
        raise InvalidRule(f"customize: a rule has names and a selector: {rule}")
    if namespace and namespace_selector is not None:
        raise InvalidRule(f"customize: a rule has a namespace and a namespaceSelector: {rule}")
    if namespace_selector is not None and not resource.namespaced:
        raise InvalidRule(f"customize: {resource.kind.plural} have no namespace to select by: {rule}")
    if own_namespace and resource.namespaced:
        if namespace_selector is not None or namespace not in (None, own_namespace):
            raise InvalidRule(f"customize of version v1 cannot look into another namespace: {rule}")
        namespace = own_namespace
    return Rule(resource, namespace if resource.namespaced else None, names, selector, namespace_selector)
