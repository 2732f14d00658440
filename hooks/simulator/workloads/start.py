"""Starting everything that runs workloads."""

from hooks.simulator.event_log import EventLog
from hooks.simulator.store import Store
from hooks.simulator.workloads.autoscaler import Autoscalers
from hooks.simulator.workloads.claim import Claims
from hooks.simulator.workloads.deployment import Deployments
from hooks.simulator.workloads.endpoints import EndpointSlices
from hooks.simulator.workloads.job import Jobs
from hooks.simulator.workloads.kubelet import Kubelet
from hooks.simulator.workloads.leader_worker_set import LEADER_WORKER_SET, LeaderWorkerSets
from hooks.simulator.workloads.profiler import Profiler
from hooks.simulator.workloads.replica_set import ReplicaSets
from hooks.simulator.workloads.worker import Floor, Worker
from hooks.simulator.workloads.world import World

_ALWAYS: tuple[type[Worker], ...] = (Claims, Deployments, ReplicaSets, Jobs, Autoscalers, EndpointSlices, Profiler)


def start_workloads(store: Store, events: EventLog, world: World) -> Kubelet:
    """Start the controllers of workloads; returns the kubelet, which a scenario may tell to restart a pod."""
    floor = Floor(store, events, world)
    kinds = {resource.kind for resource in store.kinds()}
    for worker in _ALWAYS:
        if worker.kind in kinds:
            worker(floor)
    if LEADER_WORKER_SET in kinds:
        LeaderWorkerSets(floor)
    return Kubelet(floor)
