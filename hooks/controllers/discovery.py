"""What lets the pods of a graph discover each other through Kubernetes, those of before among them.

While a change is rolled out, pods of before serve: without their account or its rights they would find nobody.
"""

from hooks import names
from hooks.builders.discovery import build_discovery, discovery_subjects
from hooks.builders.finish import finish
from hooks.children import restate_child
from hooks.controllers.graph import Built
from hooks.errors import UnprocessableRequest
from hooks.kinds import COMPONENT_DEPLOYMENT, ROLE_BINDING
from hooks.protocol import Object, SyncRequest, entries, name_of
from hooks.status.graph_deployment import component_readiness


def discovery(request: SyncRequest, asked: Built) -> tuple[list[Object], list[Object]]:
    """Account, Role and binding as they are asked for, and further ones to keep as long as pods of before use them."""
    name, namespace = request.parent["metadata"]["name"], request.parent["metadata"].get("namespace", "")
    binding = request.children.find(ROLE_BINDING, names.discovery_binding(name), namespace)
    wanted = next((child for child in asked.discovery if child["kind"] == ROLE_BINDING.kind), {})
    accounts = _accounts(wanted)
    if binding is None or (wanted and _accounts(binding) <= accounts) or _is_rolled_out(request, asked):
        return asked.discovery, []
    accounts |= _accounts(_as_applied(binding))
    if not wanted:
        there = {(child.get("kind"), name_of(child)) for child in request.children}
        before = build_discovery(name, namespace, accounts)
        return [], [finish(child) for child in before if (child["kind"], name_of(child)) in there]
    extended = {**wanted, "subjects": discovery_subjects(name, namespace, accounts)}
    return [extended if child is wanted else child for child in asked.discovery], []


def _accounts(binding: Object) -> set[str]:
    return {str(subject.get("name")) for subject in entries(binding, "subjects")}


def _as_applied(binding: Object) -> Object:
    """The binding without the subjects that others added, as far as that can be told."""
    try:
        return restate_child(binding)
    except UnprocessableRequest:
        return binding


def _is_rolled_out(request: SyncRequest, asked: Built) -> bool:
    """Whether every component is what is asked for, and none is left that is not."""
    wanted = {name_of(component) for component in asked.components.values()}
    there = {name_of(component) for component in request.children.all(COMPONENT_DEPLOYMENT)}
    components = asked.components.values()
    return there <= wanted and all(
        component_readiness(request.children, item, deleting=request.deleting).ready for item in components
    )
