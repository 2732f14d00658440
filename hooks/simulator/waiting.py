"""What is to be said of something to wait for that cannot come, as nothing goes by that name."""

import difflib
from collections.abc import Iterable, Mapping

from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST, MODEL
from hooks.protocol import Object
from hooks.simulator.script import Condition, Target, Unreadable
from hooks.status import component_deployment, graph_deployment, graph_deployment_request, model

_NEAR = 0.7
"""How alike two names must be (difflib's ratio) for one to be taken for the other misspelt."""
_CONDITIONS: Mapping[str, tuple[str, ...]] = {
    GRAPH_DEPLOYMENT.kind: (graph_deployment.READY,),
    COMPONENT_DEPLOYMENT.kind: (component_deployment.AVAILABLE, component_deployment.COMPONENT_READY),
    GRAPH_DEPLOYMENT_REQUEST.kind: (
        graph_deployment_request.VALIDATION,
        graph_deployment_request.PROFILING,
        graph_deployment_request.SPEC_GENERATED,
        graph_deployment_request.DEPLOYMENT_READY,
    ),
    MODEL.kind: (model.ENDPOINTS_READY, model.SERVICES_FOUND),
}
"""Kind → the types of its conditions."""
_STATES: Mapping[str, tuple[str, ...]] = {
    GRAPH_DEPLOYMENT.kind: (graph_deployment.PENDING, graph_deployment.SUCCESSFUL, graph_deployment.FAILED),
    GRAPH_DEPLOYMENT_REQUEST.kind: (
        graph_deployment_request.PENDING,
        graph_deployment_request.PROFILING_STATE,
        graph_deployment_request.DEPLOYING,
        graph_deployment_request.READY,
        graph_deployment_request.DEPLOYMENT_DELETED,
        graph_deployment_request.FAILED,
    ),
}
"""Kind → what `status.state` may be, of the kinds that have one."""


def check_condition(until: Condition, kinds: Iterable[str]) -> None:
    """Check that objects of some kinds can come to have a condition or a state; others than ours can have any.

    Raises:
        Unreadable: they cannot.
    """
    for kind in sorted(set(kinds) & set(_CONDITIONS)):
        types, states = _CONDITIONS[kind], _STATES.get(kind, ())
        if until.type == "state":
            if until.status not in states:
                problem = f"a {kind} is never in state {until.status!r}" if states else f"a {kind} has no state"
                raise Unreadable(f"--until {until}: {problem}; {_there(until.status, states or types)}")
        elif until.type not in types:
            named = (*types, "state=…") if states else types
            raise Unreadable(f"--until {until}: a {kind} has no condition {until.type!r}; {_there(until.type, named)}")


def check_name(option: str, target: Target, namespace: str, names: Iterable[str]) -> None:
    """Check that a name is among the names of its kind.

    Raises:
        Unreadable: it is not; says which are there.
    """
    names = sorted(set(names))
    if target.name in names:
        return
    there = _there(target.name, names, f"{target.kind}/") if names else f"there is no {target.kind} of any name"
    where = f" in namespace {namespace} (-n names another one)" if namespace else ""
    raise Unreadable(f"{option}: no {target.kind}/{target.name}{where}; {there}")


def conditions_of(item: Object) -> str:
    """The conditions that an object has, in a few words."""
    found = [f"{entry['type']}={entry['status']}" for entry in (item.get("status") or {}).get("conditions") or ()]
    return f"it has {', '.join(found)}" if found else "it has no conditions"


def _there(wrong: str, names: Iterable[str], prefix: str = "") -> str:
    by_lower = {name.lower(): name for name in names}
    near = difflib.get_close_matches(wrong.lower(), by_lower, n=1, cutoff=_NEAR)
    listed = f"there is {', '.join(prefix + name for name in by_lower.values())}"
    return f"{listed}; did you mean {prefix}{by_lower[near[0]]}?" if near else listed
