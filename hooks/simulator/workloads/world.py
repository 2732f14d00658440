"""What a scenario decides about a cluster's nodes and images: how long things take, and what goes wrong."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from hooks.protocol import Object
from hooks.simulator.store import Store


@dataclass(frozen=True)
class Profile:
    """What a profiler leaves behind."""

    output: str | None = None
    """What it writes to `config_with_planner.yaml`."""
    exit_code: int = 0
    message: str = ""
    """Its last words."""
    status: str = ""
    """What it writes to `profiler_status.yaml`: `success` or `failed`."""
    error: str = ""
    """The error that it writes there."""
    copied: bool = True
    """Whether the copier can write."""


class PodFault(StrEnum):
    """What can be wrong with a workload's pods."""

    IMAGE_PULL = "ImagePullBackOff"
    CRASH = "CrashLoopBackOff"
    CONFIG = "CreateContainerConfigError"
    UNSCHEDULABLE = "Unschedulable"
    NOT_READY = "NotReady"
    QUOTA = "Quota"
    ADMISSION = "AdmissionWebhook"
    FAILED = "Failed"

    @property
    def refusal(self) -> str:
        """What the API server says to a pod that it does not take; nothing, where it takes it."""
        return _REFUSALS.get(self, "")


_REFUSALS = {
    PodFault.QUOTA: "exceeded quota: simulated, requested: pods=1, used: pods=0, limited: pods=0",
    PodFault.ADMISSION: 'admission webhook "simulated.example.com" denied the request: simulated',
}


@dataclass
class World:
    """What happens to pods. Change it with its methods, so that what runs already is looked at again."""

    start_seconds: float = 5.0
    """From a pod's being scheduled to its containers' running, image pull included."""
    run_seconds: float = 60.0
    """How long a Job's pod runs."""
    profile: Profile | None = None
    """What a profiling Job's profiler comes to; it goes on for ever where that is not known."""
    profile_seconds: float = 2 * 3600.0
    """How long a profiler runs."""
    assumed: frozenset[str] = frozenset({"ConfigMap", "Secret"})
    """Kinds that pods refer to and that count as being there."""
    images: dict[str, PodFault] = field(default_factory=dict)
    """What is wrong with pods of an image."""
    workloads: dict[tuple[str, str], PodFault] = field(default_factory=dict)
    """What is wrong with a workload's pods, by its namespace and `Kind/name`."""
    demand: dict[tuple[str, str], int] = field(default_factory=dict)
    """How many replicas an autoscaler finds fitting, by its namespace and name."""
    _listeners: list[Callable[[], object]] = field(default_factory=list)

    def watch(self, listener: Callable[[], object]) -> None:
        """Have the listener called after each change."""
        self._listeners.append(listener)

    def fail(self, workload: str, fault: PodFault, namespace: str = "default") -> None:
        """From now on something is wrong with a workload, named as `Kind/name`, or with an owner of it."""
        self.workloads[namespace, workload] = fault
        self._changed()

    def heal(self, workload: str, namespace: str = "default") -> None:
        """Nothing is wrong with that workload any more."""
        self.workloads.pop((namespace, workload), None)
        self._changed()

    def spoil(self, image: str, fault: PodFault = PodFault.IMAGE_PULL) -> None:
        """From now on something is wrong with an image."""
        self.images[image] = fault
        self._changed()

    def profiled(self, profile: Profile) -> None:
        """From now on it is known what a profiler comes to."""
        self.profile = profile
        self._changed()

    def want(self, name: str, replicas: int, namespace: str = "default") -> None:
        """From now on an autoscaler finds so many replicas fitting."""
        self.demand[namespace, name] = replicas
        self._changed()

    def fault_of(self, item: Object, store: Store) -> PodFault | None:
        """What is wrong with a workload or pod, if anything is."""
        if self.workloads:
            for owner in lineage(item, store):
                metadata = owner["metadata"]
                workload = metadata.get("namespace", ""), f"{owner['kind']}/{metadata.get('name', '')}"
                fault = self.workloads.get(workload)
                if fault is not None:
                    return fault
        spec = item.get("spec") or {}
        for container in spec.get("containers") or ():
            if container.get("image") in self.images:
                return self.images[container["image"]]
        return None

    def _changed(self) -> None:
        for listener in self._listeners:
            listener()


def lineage(item: Object, store: Store) -> Iterator[Object]:
    """An object, its controller, that one's controller, and so on."""
    current: Object | None = item
    while current is not None:
        yield current
        namespace = current["metadata"].get("namespace", "")
        owners = current["metadata"].get("ownerReferences") or ()
        owner = next((owner for owner in owners if owner.get("controller")), None)
        current = owner and store.find(owner["kind"], owner["name"], namespace, owner["apiVersion"])
