"""Environment of a graph's service, as its component gets it."""

from collections.abc import Iterable
from typing import Any

from hooks.api.component_deployment import ComponentSharedSpec
from hooks.api.kubernetes import EnvVar
from hooks.builders.deployment_config import VARIABLE
from hooks.pods.environment import resolve_references
from hooks.pods.variables import each_once

Variables = list[dict[str, Any]]


def environments(
    graph_envs: Iterable[EnvVar] | None,
    service: ComponentSharedSpec,
    config: str | None,
    supplied: Iterable[str],
) -> tuple[Variables, Variables]:
    """What becomes of `extraPodSpec.mainContainer.env`, and of `envs` with the graph's variables in front.

    A variable of the graph is left out where the service sets it itself. References between them are resolved here:
    both are lists that Metacontroller merges in the observed order.

    Args:
        graph_envs: the graph's `envs`.
        service: the service.
        config: what DYN_DEPLOYMENT_CONFIG shall be where it stands; None leaves it as it is.
        supplied: names of the variables that the component gets in front of all these.
    """
    main: Variables = each_once(((service.extra_pod_spec or {}).get("mainContainer") or {}).get("env") or ())
    own: Variables = each_once(service.envs or ())
    by_service = {entry["name"] for entry in [*main, *own]}
    inherited = [entry for entry in graph_envs or () if entry["name"] not in by_service]
    envs: Variables = [*each_once(inherited), *own]
    if config is not None:
        main, envs = (_with_config(entries, config) for entries in (main, envs))
    in_front = [{"name": name, "valueFrom": {}} for name in supplied]
    everything = resolve_references(each_once([*in_front, *main, *envs]))
    resolved = {entry["name"]: entry for entry in everything}
    set_again = {entry["name"] for entry in envs}
    return (
        [entry if entry["name"] in set_again else resolved[entry["name"]] for entry in main],
        [resolved[entry["name"]] for entry in envs],
    )


def _with_config(entries: Variables, text: str) -> Variables:
    return [{"name": VARIABLE, "value": text} if entry["name"] == VARIABLE else entry for entry in entries]
