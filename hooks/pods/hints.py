"""What a component's spec probably does not mean as it stands: nothing is refused, and its condition says so."""

import difflib

from hooks.errors import shown
from hooks.pods.command import CONTAINER, SHELLS
from hooks.pods.component import FRONTEND, PLANNER, WORKER_TYPES, Component
from hooks.pods.distribution import LEADER_ADDRESS, WORKER_INDEX
from hooks.pods.resources import gpus_per_node
from hooks.pods.shell import program_of

_TYPES = (FRONTEND, PLANNER, *sorted(WORKER_TYPES))
_NEAR = 0.85
"""How alike a type must be to a known one (difflib's ratio) to count as a slip. Other words are types of the user's
own: `encode` is as near to `decode` as 0.83."""
_GROUP_SIZE = "LWS_GROUP_SIZE"
_OF_GROUPS = (LEADER_ADDRESS, WORKER_INDEX, _GROUP_SIZE)


def hints(component: Component) -> list[str]:
    """Sentences for the condition's message, each beginning with the field that it is about."""
    found = type_hint(component.spec.component_type), _shell_hint(component), _command_hint(component)
    return [hint for hint in found if hint]


def type_hint(component_type: str | None) -> str:
    """What to say of a type that gets the general defaults and is nearly one that has its own; empty where nothing."""
    if not component_type or component_type in _TYPES:
        return ""
    near = difflib.get_close_matches(component_type.lower(), _TYPES, n=1, cutoff=_NEAR)
    if not near:
        return ""
    return f"spec.componentType: {shown(component_type)} gets the general defaults; did you mean {near[0]}?"


def _shell_hint(component: Component) -> str:
    """That the default shell, which is for those who write a script as `args`, gets the options of a program."""
    line = component.line
    if component.main_container.get("command") or program_of(" ".join(line.command[:1])) not in SHELLS:
        return ""
    if not line.args or not line.args[0].startswith("-"):
        return ""
    shell = " ".join(line.command)
    cure = "write the command, such as [python3, -m, dynamo.vllm]"
    return f"{CONTAINER}.command: is absent, so that {shell} is given {shown(line.args[0])}, which is no script; {cure}"


def _command_hint(component: Component) -> str:
    """That nodes know nothing of each other: nothing is added to their command, and it does not look for its group."""
    if component.node_count == 1 or component.faults or _looks_for_its_group(component):
        return ""
    if component.backend is not None:
        return "" if gpus_per_node(component) else _without_gpus(component)
    same = f"each of the {component.node_count} nodes runs the same command, and nothing joins them"
    by_itself = f"find the group in {', '.join(_OF_GROUPS)}"
    if not component.is_worker:
        cause = "engines are spread over nodes in components of type worker, prefill or decode alone"
        return f"spec.multinode: {cause}, so {same}; write componentType: worker, or have the command {by_itself}"
    field = component.line.field(component.line.script)
    cure = f"call python3 -m dynamo.vllm, dynamo.sglang or dynamo.trtllm there, or have the command {by_itself}"
    return f"spec.multinode: no engine is recognised in {field}, so {same}; {cure}"


def _without_gpus(component: Component) -> str:
    return (
        f"spec.resources.limits.gpu: is absent, so nothing is spread: each of the {component.node_count} nodes runs "
        "the same command, and nothing joins them; write the GPUs of one node"
    )


def _looks_for_its_group(component: Component) -> bool:
    main = component.main_container
    values = [entry.get("value") or "" for entry in [*(main.get("env") or ()), *(component.spec.envs or ())]]
    return any(name in text for text in [*component.line.words, *values] for name in _OF_GROUPS)
