"""Pods: what the server adds to them, their quality of service, and who may say so. Without their account's token."""

from objects import made


def pod(*resources, initial=None, **spec):
    containers = [{"name": f"c{number}", "image": "i", "resources": each} for number, each in enumerate(resources)]
    more = {} if initial is None else {"initContainers": [{"name": "first", "image": "i", "resources": initial}]}
    return made("Pod", spec={"containers": containers, "automountServiceAccountToken": False, **more, **spec})


_BOTH = {"cpu": "1", "memory": "1Gi"}

CREATED = {
    "pod: nothing asked for": pod({}),
    "pod: nothing but a GPU": pod({"limits": {"nvidia.com/gpu": "1"}}),
    "pod: nothing of a CPU": pod({"requests": {"cpu": "0"}}),
    "pod: a CPU": pod({"limits": {"cpu": "1"}}),
    "pod: both limits": pod({"limits": _BOTH}),
    "pod: both limits, and as much asked for": pod({"limits": _BOTH, "requests": {"cpu": "1000m", "memory": "1024Mi"}}),
    "pod: both limits, and less asked for": pod({"limits": _BOTH, "requests": {"cpu": "500m"}}),
    "pod: both limits in one of two containers": pod({"limits": _BOTH}, {}),
    "pod: both limits, but not in an init container": pod({"limits": _BOTH}, initial={"requests": {"cpu": "1"}}),
    "pod: limits of disk alone": pod({"limits": {"ephemeral-storage": "1Gi"}}),
    "pod: tolerations of its own": pod({}, tolerations=[{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}]),
    "pod: an account": pod({}, serviceAccountName="default"),
}
REFUSED = {
    "pod: no containers": pod(),
    "pod: images in white space": made(
        "Pod",
        spec={
            "containers": [{"name": "c", "image": "i\n"}],
            "initContainers": [{"name": "first", "image": " "}],
            "automountServiceAccountToken": False,
        },
    ),
    "pod: an account that is not there": pod({}, serviceAccountName="nobody"),
}
UPDATED = {
    "pod: an image": (pod({}), {"spec": {"containers": [{"name": "c0", "image": "other"}]}}),
    "pod: another name of a container": (pod({}), {"spec": {"containers": [{"name": "other", "image": "i"}]}}),
}
STATUS = {
    "pod: running": (pod({"limits": {"cpu": "1"}}), {"status": {"phase": "Running", "qosClass": "Burstable"}}),
    "pod: a status without a class": (
        pod({"limits": {"cpu": "1"}}),
        {"status": {"phase": "Running", "qosClass": None}},
    ),
    "pod: another class": (pod({}), {"status": {"qosClass": "Guaranteed"}}),
}
