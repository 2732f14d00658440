"""The kinds that the hooks make or look up, each in the one API version that metacontroller/ names."""

from hooks.api.common import GROUP_VERSION
from hooks.protocol import Kind

GRAPH_DEPLOYMENT = Kind("DynamoGraphDeployment", GROUP_VERSION, "dynamographdeployments")
COMPONENT_DEPLOYMENT = Kind("DynamoComponentDeployment", GROUP_VERSION, "dynamocomponentdeployments")
GRAPH_DEPLOYMENT_REQUEST = Kind("DynamoGraphDeploymentRequest", GROUP_VERSION, "dynamographdeploymentrequests")
MODEL = Kind("DynamoModel", GROUP_VERSION, "dynamomodels")

NAMESPACE = Kind("Namespace", "v1", "namespaces", namespaced=False)
CONFIG_MAP = Kind("ConfigMap", "v1", "configmaps")
PERSISTENT_VOLUME_CLAIM = Kind("PersistentVolumeClaim", "v1", "persistentvolumeclaims")
SECRET = Kind("Secret", "v1", "secrets")
SERVICE = Kind("Service", "v1", "services")
SERVICE_ACCOUNT = Kind("ServiceAccount", "v1", "serviceaccounts")
DEPLOYMENT = Kind("Deployment", "apps/v1", "deployments")
JOB = Kind("Job", "batch/v1", "jobs")
POD = Kind("Pod", "v1", "pods")
HORIZONTAL_POD_AUTOSCALER = Kind("HorizontalPodAutoscaler", "autoscaling/v2", "horizontalpodautoscalers")
INGRESS = Kind("Ingress", "networking.k8s.io/v1", "ingresses")
CLUSTER_ROLE_BINDING = Kind(
    "ClusterRoleBinding", "rbac.authorization.k8s.io/v1", "clusterrolebindings", namespaced=False
)
ROLE = Kind("Role", "rbac.authorization.k8s.io/v1", "roles")
ROLE_BINDING = Kind("RoleBinding", "rbac.authorization.k8s.io/v1", "rolebindings")

# Optional APIs: a cluster may lack them.
ENDPOINT_SLICE = Kind("EndpointSlice", "discovery.k8s.io/v1", "endpointslices")
LEADER_WORKER_SET = Kind("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", "leaderworkersets")
VIRTUAL_SERVICE = Kind("VirtualService", "networking.istio.io/v1", "virtualservices")

CREATED_ONCE = frozenset({PERSISTENT_VOLUME_CLAIM.kind, JOB.kind})
"""Kinds that are created and deleted, never updated (updateStrategy OnDelete): their specs are immutable."""

WORKLOADS = frozenset({DEPLOYMENT.kind, LEADER_WORKER_SET.kind})
"""Kinds whose `spec.replicas` an HPA or `kubectl scale` may move."""

BY_NAME = {
    kind.kind: kind
    for kind in (
        CLUSTER_ROLE_BINDING,
        CONFIG_MAP,
        PERSISTENT_VOLUME_CLAIM,
        SECRET,
        SERVICE,
        SERVICE_ACCOUNT,
        DEPLOYMENT,
        JOB,
        HORIZONTAL_POD_AUTOSCALER,
        INGRESS,
        ROLE,
        ROLE_BINDING,
        LEADER_WORKER_SET,
        VIRTUAL_SERVICE,
        COMPONENT_DEPLOYMENT,
        GRAPH_DEPLOYMENT,
    )
}
"""Every kind that is a child or an attachment of something, by its name."""
