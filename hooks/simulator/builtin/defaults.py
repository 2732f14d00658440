"""The API server's defaults, by type: what each object has where the user says nothing.

Source: Kubernetes 1.36, `pkg/apis/<group>/<version>/defaults.go`. Names of types as in go_types.py. What depends on a
whole Pod, Service or Job is in the file of its kind.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from hooks.protocol import Object
from hooks.simulator.objects import copied

_ALWAYS: Mapping[str, Mapping[str, Any]] = {
    "apps.v1.DeploymentSpec": {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600},
    "apps.v1.DeploymentStrategy": {"type": "RollingUpdate"},
    "apps.v1.ReplicaSetSpec": {"replicas": 1},
    "apps.v1.RollingUpdateDeployment": {"maxUnavailable": "25%", "maxSurge": "25%"},
    "apps.v1.RollingUpdateStatefulSetStrategy": {"partition": 0},
    "apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    "apps.v1.StatefulSetSpec": {
        "podManagementPolicy": "OrderedReady",
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "persistentVolumeClaimRetentionPolicy": {"whenDeleted": "Retain", "whenScaled": "Retain"},
    },
    "autoscaling.v2.HorizontalPodAutoscalerSpec": {
        "minReplicas": 1,
        "metrics": [
            {
                "type": "Resource",
                "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
            }
        ],
    },
    "batch.v1.PodFailurePolicyOnPodConditionsPattern": {"status": "True"},
    "core.v1.ConfigMapVolumeSource": {"defaultMode": 420},
    "core.v1.Container": {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"},
    "core.v1.ContainerPort": {"protocol": "TCP"},
    "core.v1.DownwardAPIVolumeSource": {"defaultMode": 420},
    "core.v1.EphemeralContainer": {
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    },
    "core.v1.GRPCAction": {"service": ""},
    "core.v1.HTTPGetAction": {"path": "/", "scheme": "HTTP"},
    "core.v1.HostPathVolumeSource": {"type": ""},
    "core.v1.NamespaceStatus": {"phase": "Active"},
    "core.v1.ObjectFieldSelector": {"apiVersion": "v1"},
    "core.v1.PersistentVolumeClaimSpec": {"volumeMode": "Filesystem"},
    "core.v1.PersistentVolumeClaimStatus": {"phase": "Pending"},
    "core.v1.PodSpec": {
        "dnsPolicy": "ClusterFirst",
        "restartPolicy": "Always",
        "securityContext": {},
        "terminationGracePeriodSeconds": 30,
        "schedulerName": "default-scheduler",
    },
    "core.v1.Probe": {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3},
    "core.v1.ProjectedVolumeSource": {"defaultMode": 420},
    "core.v1.Secret": {"type": "Opaque"},
    "core.v1.SecretVolumeSource": {"defaultMode": 420},
    "core.v1.ServiceAccountTokenProjection": {"expirationSeconds": 3600},
    "core.v1.ServicePort": {"protocol": "TCP"},
    "core.v1.ServiceSpec": {"sessionAffinity": "None", "type": "ClusterIP"},
    "discovery.v1.EndpointPort": {"name": "", "protocol": "TCP"},
    "rbac.v1.RoleRef": {"apiGroup": "rbac.authorization.k8s.io"},
}

_IMAGE = re.compile(
    r"([a-zA-Z0-9.\-]+(:[0-9]+)?/)?[a-z0-9]+([._\-/]+[a-z0-9]+)*(:[\w][\w.\-]{0,127})?(@[A-Za-z0-9+._\-]+:[0-9a-fA-F]{32,})?"
)
_VOLUME_SOURCES_FOLLOW = {"name"}
"""Fields of a Volume that are no source: one with nothing else is an emptyDir."""


def _container(item: Object) -> None:
    if "imagePullPolicy" not in item:
        latest = image_tag(item.get("image", "")) == "latest"
        item["imagePullPolicy"] = "Always" if latest else "IfNotPresent"


def image_tag(image: str) -> str:
    """The tag of an image: `latest` where it has neither tag nor digest; nothing where it has only a digest.

    What is no name of an image has no tag either.
    """
    if not _IMAGE.fullmatch(image):
        return ""
    name, _, digest = image.partition("@")
    _, colon, tag = name.rpartition("/")[2].partition(":")
    return tag if colon else "" if digest else "latest"


def _strategy(item: Object) -> None:
    if item["type"] == "RollingUpdate":
        item.setdefault("rollingUpdate", {"maxUnavailable": "25%", "maxSurge": "25%"})


def _update_strategy(item: Object) -> None:
    if "type" not in item:
        item["type"] = "RollingUpdate"
        item.setdefault("rollingUpdate", {"partition": 0})


def _volume(item: Object) -> None:
    if item.keys() <= _VOLUME_SOURCES_FOLLOW:
        item["emptyDir"] = {}


def _image_volume(item: Object) -> None:
    if "pullPolicy" not in item:
        latest = image_tag(item.get("reference", "")) == "latest"
        item["pullPolicy"] = "Always" if latest else "IfNotPresent"


def _service_port(item: Object) -> None:
    if item.get("targetPort", 0) in (0, ""):
        item["targetPort"] = item.get("port", 0)


def _service(item: Object) -> None:
    if item["sessionAffinity"] == "None":
        item.pop("sessionAffinityConfig", None)
    elif item["sessionAffinity"] == "ClientIP":
        given = item.get("sessionAffinityConfig", {}).get("clientIP", {}).get("timeoutSeconds")
        item["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800 if given is None else given}}
    if item["type"] in {"NodePort", "LoadBalancer"}:
        item.setdefault("externalTrafficPolicy", "Cluster")
    if item["type"] == "LoadBalancer":
        item.setdefault("allocateLoadBalancerNodePorts", True)
    if item["type"] in {"ClusterIP", "NodePort", "LoadBalancer"}:
        item.setdefault("internalTrafficPolicy", "Cluster")


def _behavior(item: Object) -> None:
    percent = {"type": "Percent", "value": 100, "periodSeconds": 15}
    pods = {"type": "Pods", "value": 4, "periodSeconds": 15}
    up = {"stabilizationWindowSeconds": 0, "selectPolicy": "Max", "policies": [pods, percent]}
    down = {"selectPolicy": "Max", "policies": [percent]}
    item["scaleUp"] = {**up, **item.get("scaleUp", {})}
    item["scaleDown"] = {**down, **item.get("scaleDown", {})}


def _job(item: Object) -> None:
    if "completions" not in item and "parallelism" not in item:
        item["completions"] = 1
    item.setdefault("parallelism", 1)
    item.setdefault("backoffLimit", 2**31 - 1 if "backoffLimitPerIndex" in item else 6)
    item.setdefault("completionMode", "NonIndexed")
    item.setdefault("suspend", False)
    item.setdefault("podReplacementPolicy", "Failed" if "podFailurePolicy" in item else "TerminatingOrFailed")
    item.setdefault("manualSelector", False)


def _subject(item: Object) -> None:
    if "apiGroup" not in item and item.get("kind") in {"User", "Group"}:
        item["apiGroup"] = "rbac.authorization.k8s.io"


_BY_CASE: Mapping[str, Callable[[Object], None]] = {
    "apps.v1.DeploymentStrategy": _strategy,
    "apps.v1.StatefulSetUpdateStrategy": _update_strategy,
    "autoscaling.v2.HorizontalPodAutoscalerBehavior": _behavior,
    "batch.v1.JobSpec": _job,
    "core.v1.Container": _container,
    "core.v1.EphemeralContainer": _container,
    "core.v1.ImageVolumeSource": _image_volume,
    "core.v1.ServicePort": _service_port,
    "core.v1.ServiceSpec": _service,
    "core.v1.Volume": _volume,
    "rbac.v1.Subject": _subject,
}


def of(type_name: str) -> Callable[[Object], None]:
    """What fills the defaults into a read object of that type, in place."""
    always = _ALWAYS.get(type_name, {})
    by_case = _BY_CASE.get(type_name)

    def complete(item: Object) -> None:
        for key, value in always.items():
            if key not in item:
                item[key] = copied(value) if isinstance(value, (dict, list)) else value
        if by_case is not None:
            by_case(item)

    return complete
