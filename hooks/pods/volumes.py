"""Volumes of the pod and where the main container mounts them: claims, shared memory, the user's own.

Source: seed, "VolumeMount", "Shared Memory Configuration", "VLLM Backend (with compilation cache)".
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from hooks import names
from hooks.errors import Fault, shown
from hooks.pods.component import Component

SHARED_MEMORY_PATH = "/dev/shm"  # noqa: S108 - the path itself is the feature
COMPILATION_CACHE_VARIABLES = {"vllm": "VLLM_CACHE_ROOT"}
"""Backend → the variable by which it finds its compilation cache."""


@dataclass
class Volumes:
    """What the pod and its main container get."""

    volumes: list[dict[str, Any]] = field(default_factory=list)
    mounts: list[dict[str, Any]] = field(default_factory=list)
    env: dict[str, str] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    _mounted: dict[str, str] = field(default_factory=dict)
    """Path → the field that mounts something there."""

    def mount(self, place: str, mount: dict[str, Any]) -> None:
        """Mount something that the user names in a field; one path takes one thing."""
        path = mount["mountPath"]
        earlier = self._mounted.setdefault(path, place)
        if earlier != place:
            problem = f"{shown(path)} is where {earlier} mounts something"
            self.faults.append(Fault(place, problem, "choose another path, or keep one of the two"))
        self.mounts.append(mount)


def volumes(component: Component) -> Volumes:
    """Claims first, then shared memory, then the user's own volumes and mounts."""
    found = Volumes()
    _claims(component, found)
    _shared_memory(component, found)
    by_name = {volume["name"]: volume for volume in found.volumes}
    for index, volume in enumerate(users_volumes(component)):
        ours = by_name.get(volume["name"])
        if ours is None:
            found.volumes.append(dict(volume))
        elif not _same_claim(ours, dict(volume)):
            found.faults.append(taken_volume(index, volume["name"]))
    for index, mount in enumerate(component.main_container.get("volumeMounts") or ()):
        found.mount(f"spec.extraPodSpec.mainContainer.volumeMounts[{index}].mountPath", dict(mount))
    return found


def users_volumes(component: Component) -> Sequence[Any]:
    """The volumes of `extraPodSpec`."""
    return component.extra_pod_spec.get("volumes") or ()


def taken_volume(index: int, name: str) -> Fault:
    """What is said of a user's volume that has the name of one that the component gets anyway."""
    problem = f"{shown(name)} is the name of a volume that the component has already"
    return Fault(f"spec.extraPodSpec.volumes[{index}].name", problem, "give it another name")


def _claims(component: Component, found: Volumes) -> None:
    mounted: set[str] = set()
    for index, mount in enumerate(component.spec.volume_mounts or ()):
        path = mount.mount_point
        if mount.use_as_compilation_cache:
            backend = component.backend or ""
            path = path or component.settings.defaults.compilation_cache_mount_points.get(backend)
            variable = COMPILATION_CACHE_VARIABLES.get(backend)
            if path and variable:
                found.env[variable] = path
        if not path:
            whose = f"backend {component.backend}" if component.backend else "a component without a backend"
            cure = "add the path in the container"
            place = f"spec.volumeMounts[{index}].mountPoint"
            found.faults.append(Fault(place, f"is required, {whose} has no default for a compilation cache", cure))
            continue
        if mount.name not in mounted:
            mounted.add(mount.name)
            claim = {"claimName": mount.name}
            found.volumes.append({"name": names.volume_name(mount.name), "persistentVolumeClaim": claim})
        place = f"spec.volumeMounts[{index}].mountPoint"
        found.mount(place, {"name": names.volume_name(mount.name), "mountPath": path})


def _shared_memory(component: Component, found: Volumes) -> None:
    shared = component.spec.shared_memory
    own = component.main_container.get("volumeMounts") or ()
    paths = [mount["mountPath"] for mount in own] + [mount["mountPath"] for mount in found.mounts]
    if (shared and shared.disabled) or SHARED_MEMORY_PATH in {path.rstrip("/") for path in paths}:
        return
    size: Any = component.settings.defaults.shared_memory_size
    if shared and shared.size not in (None, ""):
        size = shared.size
    found.volumes.append({"name": names.SHARED_MEMORY, "emptyDir": {"medium": "Memory", "sizeLimit": size}})
    found.mounts.append({"name": names.SHARED_MEMORY, "mountPath": SHARED_MEMORY_PATH})


def _same_claim(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
    claim = "persistentVolumeClaim"
    return claim in ours and (theirs.get(claim) or {}).get("claimName") == ours[claim]["claimName"]
