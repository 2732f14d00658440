"""Dynamo's defaults for what a user may set: the seed's "Operator Default Values Injection", in one place.

An administrator overrides any of them in the settings file under `defaults`, field by field. Probes and ports are the
JSON of their Kubernetes types. Times are in seconds.
"""

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from hooks.errors import FaultyValue

FRONTEND_PORT = 8000
"""Port that a frontend serves on (DYN_HTTP_PORT)."""
SYSTEM_PORT = 9090
"""Port of a worker's health, metrics and LoRA endpoints (DYN_SYSTEM_PORT)."""
PLANNER_METRICS_PORT = 9085

LAST_PORT = 65535
PROTOCOLS = ("TCP", "UDP", "SCTP")
"""What a container's port may speak (Kubernetes, ContainerPort)."""

STRATEGIES: dict[str, dict[str, Any]] = {
    "RollingUpdate": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
    "Recreate": {"type": "Recreate"},
    "RampedSlowRollout": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
    "BestEffortControlledRollout": {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "20%"},
    },
}
"""Value of the annotation nvidia.com/deployment-strategy → the Deployment's strategy."""
DEFAULT_STRATEGY = "RollingUpdate"

PROBE_HANDLERS = ("exec", "httpGet", "tcpSocket", "grpc")
"""What a probe does: one of these."""
_PROBE_NUMBERS = {
    "initialDelaySeconds": 0,
    "periodSeconds": 1,
    "timeoutSeconds": 1,
    "successThreshold": 1,
    "failureThreshold": 1,
    "terminationGracePeriodSeconds": 1,
}
"""A probe's numbers and the least that the API server accepts."""


def _checked_probe(probe: dict[str, Any]) -> dict[str, Any]:
    handlers = sorted(probe.keys() & set(PROBE_HANDLERS))
    if len(handlers) != 1:
        found = " and ".join(handlers) or "none"
        raise FaultyValue("", f"has {found} of exec, grpc, httpGet and tcpSocket", "write exactly one of them")
    for key, value in probe.items():
        if key in PROBE_HANDLERS:
            if not isinstance(value, dict):
                raise FaultyValue(key, f"has the value {value!r}", "write an object (key: value)")
        elif key not in _PROBE_NUMBERS:
            raise FaultyValue(key, "is no field of a probe", f"there are {', '.join(_PROBE_NUMBERS)}")
        elif type(value) is not int or value < _PROBE_NUMBERS[key]:
            raise FaultyValue(key, f"has the value {value!r}", f"write a whole number from {_PROBE_NUMBERS[key]} on")
    return probe


Probe = Annotated[dict[str, Any], AfterValidator(_checked_probe)]
"""The JSON of a Kubernetes probe."""


class _Defaults(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)


class ComponentDefaults(_Defaults):
    """What a component of one type gets. A command's `args` are dropped where the user gives a command."""

    command: list[str] = Field(default_factory=lambda: ["/bin/sh", "-c"])
    args: list[str] = Field(default_factory=list)
    ports: list[dict[str, Any]] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    liveness_probe: Probe | None = None
    readiness_probe: Probe | None = None
    startup_probe: Probe | None = None
    service_account_name: str | None = None


def _frontend() -> ComponentDefaults:
    times = {"initialDelaySeconds": 60, "periodSeconds": 60, "timeoutSeconds": 30, "failureThreshold": 10}
    healthy = r'curl -s http://localhost:${DYNAMO_PORT}/health | jq -e ".status == \"healthy\""'
    return ComponentDefaults(
        command=["python3"],
        args=["-m", "dynamo.frontend"],
        ports=[{"name": "http", "containerPort": FRONTEND_PORT, "protocol": "TCP"}],
        env={"DYNAMO_PORT": str(FRONTEND_PORT), "DYN_HTTP_PORT": str(FRONTEND_PORT)},
        liveness_probe={"httpGet": {"path": "/health", "port": FRONTEND_PORT}, **times},
        readiness_probe={"exec": {"command": ["/bin/sh", "-c", healthy]}, **times},
    )


def _worker() -> ComponentDefaults:
    def probe(path: str, period: int, timeout: int, failures: int) -> Probe:
        return {
            "httpGet": {"path": path, "port": SYSTEM_PORT},
            "periodSeconds": period,
            "timeoutSeconds": timeout,
            "failureThreshold": failures,
        }

    return ComponentDefaults(
        ports=[{"name": "system", "containerPort": SYSTEM_PORT, "protocol": "TCP"}],
        env={
            "DYN_SYSTEM_PORT": str(SYSTEM_PORT),
            "DYN_SYSTEM_USE_ENDPOINT_HEALTH_STATUS": '["generate"]',
            "DYN_SYSTEM_ENABLED": "true",  # needed by runtime images 0.6.1 and older
        },
        liveness_probe=probe("/live", period=5, timeout=30, failures=1),
        readiness_probe=probe("/health", period=10, timeout=30, failures=60),
        startup_probe=probe("/live", period=10, timeout=5, failures=720),  # two hours to load a model
    )


def _planner() -> ComponentDefaults:
    return ComponentDefaults(
        ports=[{"name": "metrics", "containerPort": PLANNER_METRICS_PORT, "protocol": "TCP"}],
        env={"PLANNER_PROMETHEUS_PORT": str(PLANNER_METRICS_PORT)},
        service_account_name="planner-serviceaccount",
    )


class Defaults(_Defaults):
    """What components get without asking."""

    termination_grace_period_seconds: Annotated[int, Field(ge=0)] = 60
    shared_memory_size: Annotated[str, Field(pattern=r"^[0-9]+(\.[0-9]+)?([KMGTPE]i|[kMGTPE])?$")] = "8Gi"
    fs_group: Annotated[int, Field(ge=0)] = 1000
    autoscaling_cpu_utilization: Annotated[int, Field(ge=1)] = 80
    """Average CPU utilization in percent that replicas follow where the user names no metrics."""
    compilation_cache_mount_points: dict[str, str] = Field(default_factory=lambda: {"vllm": "/root/.cache/vllm"})
    """Backend → where a compilation cache is mounted that names no mount point."""
    general: ComponentDefaults = Field(default_factory=ComponentDefaults)
    frontend: ComponentDefaults = Field(default_factory=_frontend)
    worker: ComponentDefaults = Field(default_factory=_worker)
    planner: ComponentDefaults = Field(default_factory=_planner)
