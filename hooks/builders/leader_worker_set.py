"""The LeaderWorkerSet of a component whose replicas span several nodes each.

Source: LeaderWorkerSet documentation (leaderworkerset.x-k8s.io/v1).
"""

from hooks import names
from hooks.builders.deployment import given_replicas
from hooks.builders.metadata import build_child
from hooks.kinds import LEADER_WORKER_SET
from hooks.pods.component import Component
from hooks.protocol import Object


def build_leader_worker_set(component: Component, leader: Object, worker: Object) -> Object:
    """The set: one group of `nodeCount` pods for each replica, with `replicas` only where the spec decides them.

    Args:
        component: the component.
        leader: pod template of the first pod of a group, the one that serves requests.
        worker: pod template of the others.
    """
    spec: Object = {
        "startupPolicy": "LeaderCreated",  # workers wait for the leader themselves, and models load at the same time
        "leaderWorkerTemplate": {
            "size": component.node_count,
            "restartPolicy": "RecreateGroupOnPodRestart",
            "leaderTemplate": leader,
            "workerTemplate": worker,
        },
        **given_replicas(component),
    }
    return build_child(component, LEADER_WORKER_SET, names.leader_worker_set_name(component.name), spec)
