"""Which built-in kinds the embedded cluster serves.

Facts of each, as a server of version 1.36 has them: scope, status subresource, and whether a generation is counted.
"""

from hooks.protocol import Kind
from hooks.simulator.builtin.namespace import NamespaceWays
from hooks.simulator.resources import Resource, Ways

_CORE, _APPS, _BATCH, _RBAC = "v1", "apps/v1", "batch/v1", "rbac.authorization.k8s.io/v1"
_SCALING, _NETWORKING, _DISCOVERY = "autoscaling/v2", "networking.k8s.io/v1", "discovery.k8s.io/v1"

_PLAIN, _STATUS, _COUNTED = (False, False), (True, False), (True, True)
"""Status subresource or not, generation or not."""

_NAMESPACED: tuple[tuple[Kind, tuple[bool, bool]], ...] = (
    (Kind("ConfigMap", _CORE, "configmaps"), _PLAIN),
    (Kind("Event", _CORE, "events"), _PLAIN),
    (Kind("PersistentVolumeClaim", _CORE, "persistentvolumeclaims"), _STATUS),
    (Kind("Pod", _CORE, "pods"), _COUNTED),
    (Kind("Secret", _CORE, "secrets"), _PLAIN),
    (Kind("Service", _CORE, "services"), _STATUS),
    (Kind("ServiceAccount", _CORE, "serviceaccounts"), _PLAIN),
    (Kind("Deployment", _APPS, "deployments"), _COUNTED),
    (Kind("ReplicaSet", _APPS, "replicasets"), _COUNTED),
    (Kind("StatefulSet", _APPS, "statefulsets"), _COUNTED),
    (Kind("Job", _BATCH, "jobs"), _COUNTED),
    (Kind("HorizontalPodAutoscaler", _SCALING, "horizontalpodautoscalers"), _STATUS),
    (Kind("Ingress", _NETWORKING, "ingresses"), _COUNTED),
    (Kind("EndpointSlice", _DISCOVERY, "endpointslices"), (False, True)),
    (Kind("Role", _RBAC, "roles"), _PLAIN),
    (Kind("RoleBinding", _RBAC, "rolebindings"), _PLAIN),
)
_CLUSTER_SCOPED: tuple[tuple[Kind, tuple[bool, bool]], ...] = (
    (Kind("ClusterRole", _RBAC, "clusterroles"), _PLAIN),
    (Kind("ClusterRoleBinding", _RBAC, "clusterrolebindings"), _PLAIN),
    (Kind("Namespace", _CORE, "namespaces"), _STATUS),
)


def built_in() -> list[Resource]:
    """The kinds that every cluster has."""
    listed = [(True, *entry) for entry in _NAMESPACED] + [(False, *entry) for entry in _CLUSTER_SCOPED]
    return [
        Resource(
            kind,
            namespaced=namespaced,
            has_status=status,
            has_generation=generation,
            ways=NamespaceWays() if kind.kind == "Namespace" else Ways(),
        )
        for namespaced, kind, (status, generation) in listed
    ]
