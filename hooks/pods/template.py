"""The pod template of a component: the generated pod with the user's `extraPodSpec` merged over it, field by field."""

from dataclasses import dataclass
from typing import Any

from hooks import labels, names
from hooks.errors import Fault, InvalidSpec
from hooks.pods.command import CommandLine
from hooks.pods.component import (
    Component,
    Role,
    literal_values,
    users_annotations,
    users_labels,
    users_service_account,
)
from hooks.pods.distribution import Distribution, Node
from hooks.pods.multinode import distribute
from hooks.pods.ports import moved_ports, ports
from hooks.pods.probes import probes
from hooks.pods.resources import gpus_per_node, resources
from hooks.pods.variables import variables, with_references_resolved
from hooks.pods.volumes import Volumes, taken_volume, users_volumes, volumes
from hooks.protocol import Object

MAIN = "main"

_MERGED_APART = frozenset(
    {"mainContainer", "containers", "volumes", "imagePullSecrets", "serviceAccount", "serviceAccountName"}
)
"""Fields of `extraPodSpec` that are looked at one by one; every other one replaces the generated one whole."""
_MAIN_MERGED_APART = frozenset(
    {
        "name",
        "command",
        "args",
        "env",
        "envFrom",
        "ports",
        "resources",
        "volumeMounts",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
    }
)


@dataclass(frozen=True)
class Found:
    """What a pod gets from its namespace rather than from its spec: never part of a desired hash."""

    pull_secrets: tuple[str, ...] = ()
    service_account: str | None = None


def build_pod_template(component: Component, role: Role | None = None) -> tuple[Object, str]:
    """The template, without what is found in the namespace (`with_found`), and what is to be said about it.

    Args:
        component: the component.
        role: the role of the pod in its group, where a replica spans nodes.

    Raises:
        InvalidSpec: with every fault of what goes into the pod.
    """
    mounted = volumes(component)
    container, faults = _main_container(component, mounted)
    faults += mounted.faults
    spread = None
    try:
        spread = _spread(component, role, container) if role else None
        faults += _volume_faults(component, _mounts_of(spread, container)) if spread else []
    except InvalidSpec as invalid:
        faults += invalid.faults
    if faults:
        raise InvalidSpec(faults)
    extra = component.extra_pod_spec
    pod: dict[str, Any] = {
        "terminationGracePeriodSeconds": component.settings.defaults.termination_grace_period_seconds,
        "restartPolicy": "Always",
        "securityContext": {"fsGroup": component.settings.defaults.fs_group},
    }
    account = service_account(component)
    if account:
        pod["serviceAccountName"] = account
    pod.update({key: value for key, value in extra.items() if key not in _MERGED_APART and value not in (None, "")})
    pod["containers"] = [container, *map(with_references_resolved, extra.get("containers") or ())]
    if extra.get("initContainers"):
        pod["initContainers"] = [*map(with_references_resolved, extra["initContainers"] or ())]
    pod["volumes"] = mounted.volumes
    secrets = sorted({secret["name"] for secret in extra.get("imagePullSecrets") or ()} - {""})
    if secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in secrets]
    if spread:
        _distribute(spread, component, container, pod)
    return {"metadata": pod_metadata(component, role), "spec": pod}, spread.note if spread else ""


def with_found(template: Object, found: Found) -> Object:
    """The template with what was found in the namespace; the given one is left as it is."""
    pod = dict(template["spec"])
    secrets = sorted({secret["name"] for secret in pod.get("imagePullSecrets", ())} | set(found.pull_secrets))
    if secrets:
        pod["imagePullSecrets"] = [{"name": name} for name in secrets]
    if found.service_account and not pod.get("serviceAccountName"):
        pod["serviceAccountName"] = pod["serviceAccount"] = found.service_account
    return {**template, "spec": pod}


def without_found(template: Object, found: Found) -> Object:
    """The template before it got what was found (`with_found`); the given one is left as it is."""
    pod = dict(template["spec"])
    secrets = [secret for secret in pod.pop("imagePullSecrets", ()) if secret["name"] not in found.pull_secrets]
    if secrets:
        pod["imagePullSecrets"] = secrets
    if found.service_account and pod.get("serviceAccountName") == found.service_account:
        del pod["serviceAccountName"], pod["serviceAccount"]
    return {**template, "spec": pod}


def pod_metadata(component: Component, role: Role | None = None) -> Object:
    """Labels and annotations of the pods. Ours win over the user's, `extraPodMetadata` over the component's."""
    extra = component.spec.extra_pod_metadata
    found = dict(component.labels)
    if component.metrics:
        found[labels.METRICS_ENABLED] = "true"
    found.update(users_labels(extra.labels if extra else None))
    found.update(own_pod_labels(component, role))
    metadata: Object = {"labels": found}
    annotations = {**component.annotations, **users_annotations(extra.annotations if extra else None)}
    if annotations:
        metadata["annotations"] = annotations
    return metadata


def own_pod_labels(component: Component, role: Role | None = None) -> dict[str, str]:
    """The labels that others look pods up by: nobody may set them otherwise."""
    found = {labels.SELECTOR: component.name, **component.own_labels}
    if role:
        found[labels.ROLE] = role
    if component.spec.model_ref and role != "worker":  # a worker serves no requests, so it is no endpoint
        found[labels.BASE_MODEL_HASH] = names.model_hash(component.spec.model_ref.name)
    return found


def service_account(component: Component) -> str | None:
    """The account that the spec decides: the user's, else the component type's, else the one for discovery."""
    own = users_service_account(component.extra_pod_spec)
    if own:
        return own
    if component.defaults.service_account_name:
        return component.defaults.service_account_name
    if component.discovery and component.in_graph:
        return names.discovery_account(component.graph_deployment)
    return None


def _main_container(component: Component, mounted: Volumes) -> tuple[Object, list[Fault]]:
    given = component.main_container
    found_resources, faults = resources(component)
    found_probes, probe_faults = probes(component, moved_ports(component))
    if not given.get("image"):
        cure = "add the image to run"
        faults.append(Fault("spec.extraPodSpec.mainContainer.image", "is required", cure))
    container: Object = {"name": MAIN, **_command(component.line)}
    container.update(
        {key: value for key, value in given.items() if key not in _MAIN_MERGED_APART and value not in (None, "")}
    )
    container["env"] = variables(component, mounted.env)
    sources = [dict(source) for source in given.get("envFrom") or ()]
    if component.spec.env_from_secret:
        sources.insert(0, {"secretRef": {"name": component.spec.env_from_secret}})
    parts: Object = {
        "envFrom": sources,
        "ports": ports(component),
        "resources": found_resources,
        "volumeMounts": mounted.mounts,
        **found_probes,
    }
    container.update({key: value for key, value in parts.items() if value})
    return container, faults + probe_faults


def _command(line: CommandLine) -> Object:
    found = {"command": list(line.command), "args": list(line.args)}
    return {key: words for key, words in found.items() if words}


def _spread(component: Component, role: Role, container: Object) -> Distribution:
    """What spreads the main container over the nodes of a group."""
    node = Node(role, component.node_count, gpus_per_node(component))
    return distribute(component.backend, component.line, node, literal_values(container["env"]), component.settings)


def _mounts_of(spread: Distribution, container: Object) -> list[Object]:
    """The mounts to make: those at whose path the user mounts nothing."""
    taken = {mount["mountPath"].rstrip("/") for mount in container.get("volumeMounts", ())}
    return [mount for mount in spread.mounts if mount["mountPath"].rstrip("/") not in taken]


def _volume_faults(component: Component, mounts: list[Object]) -> list[Fault]:
    """Volumes of the user's that have a name of ours, and would be mounted in the place of ours."""
    ours = {mount["name"] for mount in mounts}
    return [
        taken_volume(index, volume["name"])
        for index, volume in enumerate(users_volumes(component))
        if volume["name"] in ours
    ]


def _distribute(spread: Distribution, component: Component, container: Object, pod: Object) -> None:
    """Changes the main container and its pod into those of one role."""
    for key in ("command", "args"):
        container.pop(key, None)
    container.update(_command(spread.line))
    for field, probe in spread.probes.items():
        container.pop(field, None)
        container.update({field: probe} if probe else {})
    given = {variable["name"] for variable in container["env"]}
    container["env"] += [{"name": name, "value": value} for name, value in spread.env.items() if name not in given]
    mounts = _mounts_of(spread, container)
    container["volumeMounts"] = [*container.get("volumeMounts", ()), *mounts]
    wanted = {mount["name"] for mount in mounts}
    pod["volumes"] = [*pod["volumes"], *(volume for volume in spread.volumes if volume["name"] in wanted)]
    if component.settings.multinode.scheduler_name:
        pod.setdefault("schedulerName", component.settings.multinode.scheduler_name)
