"""Which built-in kinds the embedded cluster serves.

Facts of each, as a server of version 1.36 has them: scope, status subresource, and whether a generation is counted.
"""

from hooks.protocol import Kind
from hooks.simulator.builtin.access import RoleBindingWays, RoleWays
from hooks.simulator.builtin.autoscalers import AutoscalerWays
from hooks.simulator.builtin.claims import ClaimWays
from hooks.simulator.builtin.configuration import ConfigMapWays, SecretWays
from hooks.simulator.builtin.endpoint_slices import EndpointSliceWays
from hooks.simulator.builtin.events import EventWays
from hooks.simulator.builtin.ingresses import IngressWays
from hooks.simulator.builtin.jobs import JobWays
from hooks.simulator.builtin.namespaces import NamespaceWays
from hooks.simulator.builtin.pods import PodWays
from hooks.simulator.builtin.services import ServiceWays
from hooks.simulator.builtin.ways import BuiltIn
from hooks.simulator.builtin.workloads import DeploymentWays, ReplicaSetWays, StatefulSetWays
from hooks.simulator.resources import Resource

_CORE, _APPS, _RBAC = "v1", "apps/v1", "rbac.authorization.k8s.io/v1"

_PLAIN, _STATUS, _COUNTED, _COUNTED_ONLY = (False, False), (True, False), (True, True), (False, True)
"""Status subresource or not, generation or not."""

_KINDS: tuple[tuple[str, str, str, tuple[bool, bool], type[BuiltIn]], ...] = (
    ("ConfigMap", _CORE, "configmaps", _PLAIN, ConfigMapWays),
    ("Event", _CORE, "events", _PLAIN, EventWays),
    ("Namespace", _CORE, "namespaces", _STATUS, NamespaceWays),
    ("PersistentVolumeClaim", _CORE, "persistentvolumeclaims", _STATUS, ClaimWays),
    ("Pod", _CORE, "pods", _COUNTED, PodWays),
    ("Secret", _CORE, "secrets", _PLAIN, SecretWays),
    ("Service", _CORE, "services", _STATUS, ServiceWays),
    ("ServiceAccount", _CORE, "serviceaccounts", _PLAIN, BuiltIn),
    ("Deployment", _APPS, "deployments", _COUNTED, DeploymentWays),
    ("ReplicaSet", _APPS, "replicasets", _COUNTED, ReplicaSetWays),
    ("StatefulSet", _APPS, "statefulsets", _COUNTED, StatefulSetWays),
    ("Job", "batch/v1", "jobs", _COUNTED, JobWays),
    ("HorizontalPodAutoscaler", "autoscaling/v2", "horizontalpodautoscalers", _STATUS, AutoscalerWays),
    ("Ingress", "networking.k8s.io/v1", "ingresses", _COUNTED, IngressWays),
    ("EndpointSlice", "discovery.k8s.io/v1", "endpointslices", _COUNTED_ONLY, EndpointSliceWays),
    ("Role", _RBAC, "roles", _PLAIN, RoleWays),
    ("RoleBinding", _RBAC, "rolebindings", _PLAIN, RoleBindingWays),
    ("ClusterRole", _RBAC, "clusterroles", _PLAIN, RoleWays),
    ("ClusterRoleBinding", _RBAC, "clusterrolebindings", _PLAIN, RoleBindingWays),
)
_SHORT_NAMES = {
    "ConfigMap": ("cm",),
    "Event": ("ev",),
    "Namespace": ("ns",),
    "PersistentVolumeClaim": ("pvc",),
    "Pod": ("po",),
    "Service": ("svc",),
    "ServiceAccount": ("sa",),
    "Deployment": ("deploy",),
    "ReplicaSet": ("rs",),
    "StatefulSet": ("sts",),
    "HorizontalPodAutoscaler": ("hpa",),
    "Ingress": ("ing",),
}
"""As discovery has them; the others have none."""
_CLUSTER_SCOPED = {"Namespace", "ClusterRole", "ClusterRoleBinding"}


def built_in() -> list[Resource]:
    """The kinds that every cluster has."""
    return [
        Resource(
            kind := Kind(name, version, plural),
            namespaced=name not in _CLUSTER_SCOPED,
            has_status=status,
            has_generation=generation,
            ways=ways(kind),
            short_names=_SHORT_NAMES.get(name, ()),
        )
        for name, version, plural, (status, generation), ways in _KINDS
    ]
