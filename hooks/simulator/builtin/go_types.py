"""What the published schemas do not tell of Kubernetes' Go types, and what shows in what the API server writes back.

Source: k8s.io/api 0.36, the field types and `omitempty` tags of each struct. Names are those of the published
definitions without their `io.k8s.api.` or `io.k8s.apimachinery.pkg.apis.`.
"""

from collections.abc import Mapping

KEPT_ZEROS: Mapping[str, frozenset[str]] = {
    name: frozenset(fields.split())
    for name, fields in {
        "apps.v1.DeploymentSpec": "replicas revisionHistoryLimit progressDeadlineSeconds",
        "apps.v1.DeploymentStatus": "terminatingReplicas collisionCount",
        "apps.v1.ReplicaSetSpec": "replicas",
        "apps.v1.ReplicaSetStatus": "terminatingReplicas",
        "apps.v1.RollingUpdateDeployment": "maxUnavailable maxSurge",
        "apps.v1.RollingUpdateStatefulSetStrategy": "partition maxUnavailable",
        "apps.v1.StatefulSetSpec": "replicas revisionHistoryLimit",
        "apps.v1.StatefulSetStatus": "collisionCount",
        "autoscaling.v2.HPAScalingRules": "stabilizationWindowSeconds selectPolicy policies",
        "autoscaling.v2.HorizontalPodAutoscalerSpec": "minReplicas",
        "autoscaling.v2.HorizontalPodAutoscalerStatus": "observedGeneration",
        "autoscaling.v2.MetricTarget": "averageUtilization",
        "autoscaling.v2.MetricValueStatus": "averageUtilization",
        "batch.v1.JobSpec": (
            "parallelism completions activeDeadlineSeconds backoffLimit backoffLimitPerIndex maxFailedIndexes "
            "manualSelector ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy"
        ),
        "batch.v1.JobStatus": "terminating failedIndexes ready",
        "batch.v1.PodFailurePolicyOnExitCodesRequirement": "containerName",
        "batch.v1.SuccessPolicyRule": "succeededIndexes succeededCount",
        "core.v1.AppArmorProfile": "localhostProfile",
        "core.v1.AzureDiskVolumeSource": "cachingMode fsType readOnly kind",
        "core.v1.CSIVolumeSource": "readOnly fsType",
        "core.v1.ClientIPConfig": "timeoutSeconds",
        "core.v1.ClusterTrustBundleProjection": "name signerName optional",
        "core.v1.ConfigMap": "immutable",
        "core.v1.ConfigMapEnvSource": "optional",
        "core.v1.ConfigMapKeySelector": "optional",
        "core.v1.ConfigMapProjection": "optional",
        "core.v1.ConfigMapVolumeSource": "defaultMode optional",
        "core.v1.Container": "restartPolicy",
        "core.v1.ContainerStatus": "started stopSignal",
        "core.v1.DownwardAPIVolumeFile": "mode",
        "core.v1.DownwardAPIVolumeSource": "defaultMode",
        "core.v1.EphemeralContainer": "restartPolicy",
        "core.v1.FCVolumeSource": "lun",
        "core.v1.FileKeySelector": "optional",
        "core.v1.GRPCAction": "service",
        "core.v1.HostPathVolumeSource": "type",
        "core.v1.ISCSIVolumeSource": "initiatorName",
        "core.v1.KeyToPath": "mode",
        "core.v1.Lifecycle": "stopSignal",
        "core.v1.LoadBalancerIngress": "ipMode",
        "core.v1.PersistentVolumeClaimSpec": "storageClassName volumeMode volumeAttributesClassName",
        "core.v1.PersistentVolumeClaimStatus": "currentVolumeAttributesClassName",
        "core.v1.PodCertificateProjection": "maxExpirationSeconds",
        "core.v1.PodDNSConfigOption": "value",
        "core.v1.PodResourceClaim": "resourceClaimName resourceClaimTemplateName",
        "core.v1.PodResourceClaimStatus": "resourceClaimName",
        "core.v1.PodSecurityContext": (
            "runAsUser runAsGroup runAsNonRoot supplementalGroupsPolicy fsGroup fsGroupChangePolicy seLinuxChangePolicy"
        ),
        "core.v1.PodSpec": (
            "terminationGracePeriodSeconds activeDeadlineSeconds automountServiceAccountToken shareProcessNamespace "
            "priority runtimeClassName enableServiceLinks preemptionPolicy setHostnameAsFQDN hostUsers hostnameOverride"
        ),
        "core.v1.PortStatus": "error",
        "core.v1.Probe": "terminationGracePeriodSeconds",
        "core.v1.ProjectedVolumeSource": "defaultMode",
        "core.v1.ResourceHealth": "message",
        "core.v1.SeccompProfile": "localhostProfile",
        "core.v1.Secret": "immutable",
        "core.v1.SecretEnvSource": "optional",
        "core.v1.SecretKeySelector": "optional",
        "core.v1.SecretProjection": "optional",
        "core.v1.SecretVolumeSource": "defaultMode optional",
        "core.v1.SecurityContext": (
            "privileged runAsUser runAsGroup runAsNonRoot readOnlyRootFilesystem allowPrivilegeEscalation procMount"
        ),
        "core.v1.ServiceAccount": "automountServiceAccountToken",
        "core.v1.ServiceAccountTokenProjection": "expirationSeconds",
        "core.v1.ServicePort": "appProtocol",
        "core.v1.ServiceSpec": (
            "ipFamilyPolicy allocateLoadBalancerNodePorts loadBalancerClass internalTrafficPolicy trafficDistribution"
        ),
        "core.v1.Toleration": "tolerationSeconds",
        "core.v1.TopologySpreadConstraint": "minDomains nodeAffinityPolicy nodeTaintsPolicy",
        "core.v1.TypedLocalObjectReference": "apiGroup",
        "core.v1.TypedObjectReference": "apiGroup namespace",
        "core.v1.VolumeMount": "recursiveReadOnly mountPropagation",
        "core.v1.VolumeMountStatus": "recursiveReadOnly",
        "core.v1.WindowsSecurityContextOptions": "gmsaCredentialSpecName gmsaCredentialSpec runAsUserName hostProcess",
        "discovery.v1.Endpoint": "hostname nodeName zone",
        "discovery.v1.EndpointConditions": "ready serving terminating",
        "discovery.v1.EndpointPort": "name protocol port appProtocol",
        "meta.v1.LabelSelectorRequirement": "key operator",
        "meta.v1.OwnerReference": "controller blockOwnerDeletion",
        "networking.v1.HTTPIngressPath": "pathType",
        "networking.v1.IngressPortStatus": "error",
        "networking.v1.IngressSpec": "ingressClassName",
    }.items()
}
"""Fields that are pointers in Go: a zero, false or "" in them is a value and stays. In others it is dropped."""

EMPTY_OBJECTS: Mapping[str, tuple[str, ...]] = {
    name: tuple(fields.split())
    for name, fields in {
        "apps.v1.Deployment": "spec status",
        "apps.v1.DeploymentSpec": "template strategy",
        "apps.v1.ReplicaSet": "spec status",
        "apps.v1.ReplicaSetSpec": "template",
        "apps.v1.StatefulSet": "spec status",
        "apps.v1.StatefulSetSpec": "template updateStrategy",
        "autoscaling.v2.ContainerResourceMetricSource": "target",
        "autoscaling.v2.ContainerResourceMetricStatus": "current",
        "autoscaling.v2.ExternalMetricSource": "metric target",
        "autoscaling.v2.ExternalMetricStatus": "metric current",
        "autoscaling.v2.HorizontalPodAutoscaler": "spec status",
        "autoscaling.v2.HorizontalPodAutoscalerSpec": "scaleTargetRef",
        "autoscaling.v2.ObjectMetricSource": "describedObject target metric",
        "autoscaling.v2.ObjectMetricStatus": "describedObject current metric",
        "autoscaling.v2.PodsMetricSource": "metric target",
        "autoscaling.v2.PodsMetricStatus": "metric current",
        "autoscaling.v2.ResourceMetricSource": "target",
        "autoscaling.v2.ResourceMetricStatus": "current",
        "batch.v1.Job": "spec status",
        "batch.v1.JobSpec": "template",
        "core.v1.Container": "resources",
        "core.v1.ContainerStatus": "state lastState",
        "core.v1.EphemeralContainer": "resources",
        "core.v1.Event": "involvedObject source",
        "core.v1.Namespace": "spec status",
        "core.v1.PersistentVolumeClaim": "spec status",
        "core.v1.PersistentVolumeClaimSpec": "resources",
        "core.v1.PersistentVolumeClaimTemplate": "metadata spec",
        "core.v1.Pod": "spec status",
        "core.v1.PodTemplateSpec": "metadata spec",
        "core.v1.PreferredSchedulingTerm": "preference",
        "core.v1.Service": "spec status",
        "core.v1.ServiceStatus": "loadBalancer",
        "core.v1.WeightedPodAffinityTerm": "podAffinityTerm",
        "discovery.v1.Endpoint": "conditions",
        "networking.v1.HTTPIngressPath": "backend",
        "networking.v1.Ingress": "spec status",
        "networking.v1.IngressServiceBackend": "port",
        "networking.v1.IngressStatus": "loadBalancer",
        "rbac.v1.ClusterRoleBinding": "roleRef",
        "rbac.v1.RoleBinding": "roleRef",
    }.items()
}
"""Fields that are structs in Go, not pointers to one: `{}` where nothing is in them."""

WRITTEN_ANYWAY: Mapping[str, Mapping[str, object]] = {
    "apps.v1.ReplicaSetStatus": {"replicas": 0},
    "apps.v1.StatefulSetStatus": {"replicas": 0, "availableReplicas": 0},
    "autoscaling.v2.HorizontalPodAutoscalerStatus": {"desiredReplicas": 0, "currentMetrics": None},
    "core.v1.ContainerStatus": {
        "name": "",
        "ready": False,
        "restartCount": 0,
        "image": "",
        "imageID": "",
    },
    "core.v1.Event": {
        "firstTimestamp": None,
        "lastTimestamp": None,
        "eventTime": None,
        "reportingComponent": "",
        "reportingInstance": "",
    },
    "core.v1.PodCondition": {"lastProbeTime": None, "lastTransitionTime": None},
    "core.v1.ResourceFieldSelector": {"divisor": "0"},
    "discovery.v1.EndpointSlice": {"endpoints": None, "ports": None},
    "rbac.v1.ClusterRole": {"rules": None},
    "rbac.v1.Role": {"rules": None},
}
"""Fields without `omitempty` that a user may leave out."""

MAY_BE_EMPTY: Mapping[str, str] = {
    "core.v1.HTTPHeader": "name value",
    "core.v1.NodeSelectorRequirement": "key operator",
    "core.v1.PodAffinityTerm": "topologyKey",
    "core.v1.SeccompProfile": "type",
    "core.v1.ServiceAccountTokenProjection": "path",
    "core.v1.Sysctl": "value",
    "core.v1.TopologySpreadConstraint": "whenUnsatisfiable",
    "meta.v1.LabelSelectorRequirement": "key operator",
    "meta.v1.OwnerReference": "apiVersion kind name uid",  # judged with the rest of the metadata
    "autoscaling.v2.MetricIdentifier": "name",
    "autoscaling.v2.ResourceMetricSource": "name",
    "autoscaling.v2.ContainerResourceMetricSource": "name",
    "autoscaling.v2.MetricSpec": "type",
    "autoscaling.v2.MetricTarget": "type",
    "autoscaling.v2.HPAScalingPolicy": "type",
    "networking.v1.HTTPIngressPath": "pathType",
    "rbac.v1.RoleRef": "kind",
    "rbac.v1.Subject": "kind",
}
"""Required strings that may be empty, or of whose being empty the checks of their kind have more to say."""
