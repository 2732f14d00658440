"""The platform's settings: one YAML file over built-in defaults, validated at start.

The names are those of the chart's values. An unknown key is an error, so that a misspelt one does not pass unseen.
"""

import hashlib
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from hooks.defaults import Defaults


class _Settings(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)


class IngressSettings(_Settings):
    """What an Ingress or VirtualService gets where the component says nothing."""

    class_name: str | None = None
    """Class of the Ingresses."""
    tls_secret_name: str | None = None
    """Secret with the certificate of the Ingresses."""
    host_suffix: str | None = None
    """Hosts are called `<host>.<suffix>`."""
    virtual_service_gateway: str | None = None
    """Gateway of the VirtualServices."""


class MultinodeSettings(_Settings):
    """Components that span nodes."""

    scheduler_name: str | None = None
    """Scheduler of their pods, such as `volcano`, where the user names none."""
    vllm_hybrid_load_balancing: bool = True


class MpiRunSettings(_Settings):
    """SSH between the nodes of a TensorRT-LLM component."""

    secret_name: Annotated[str, Field(min_length=1)] = "mpi-run-ssh-secret"  # noqa: S105 - a name, not a secret


class RbacSettings(_Settings):
    """Names of the ClusterRoles that the chart makes."""

    planner_cluster_role: str = "dynamo-planner"
    profiling_cluster_role: str = "dynamo-profiling"
    node_reader_cluster_role: str = "dynamo-node-reader"


class SecretKeySettings(_Settings):
    """A key of a Secret."""

    name: str = "hf-token-secret"
    key: str = "HF_TOKEN"


def _profiler_resources() -> dict[str, Any]:
    return {"requests": {"cpu": "16", "memory": "10Gi"}}


class ProfilingSettings(_Settings):
    """The Job that profiles a model for a DynamoGraphDeploymentRequest."""

    hf_token_secret: SecretKeySettings = Field(default_factory=SecretKeySettings)
    resources: dict[str, Any] = Field(default_factory=_profiler_resources)
    node_selector: dict[str, str] = Field(default_factory=dict)
    tolerations: list[dict[str, Any]] = Field(default_factory=list)
    backoff_limit: Annotated[int, Field(ge=0)] = 3
    """How often the Job is tried again."""
    active_deadline_seconds: Annotated[int, Field(gt=0)] = 6 * 60 * 60
    """How long the Job may take, in seconds."""
    output_copier_image: str = "dynamo-hooks:0.1.0"
    """Image of the container that copies the output of the profiler: the one of the hooks."""
    cross_namespace: Literal["consent", "allow", "deny"] = "consent"
    """Whether a request may have its graph in another namespace: by consent of that one, always, or never."""
    pod_details: bool = True


class NamespaceRestriction(_Settings):
    """Which namespaces this installation looks after: all, where it is not enabled."""

    enabled: bool = False
    """Whether this installation looks after chosen namespaces only."""
    namespaces: list[str] = Field(default_factory=list)
    """Those that it looks after."""
    installation: str = ""
    """Its name, which ends the names of its controllers. Never changed."""


class ServerSettings(_Settings):
    """The HTTP service."""

    max_body_mib: Annotated[int, Field(gt=0, alias="maxBodyMiB")] = 64
    """Largest request, in MiB."""
    threads: Annotated[int, Field(gt=0)] = 8
    """Calls at once in each worker process; as many more may wait for the workers of a DynamoModel."""
    workers: Annotated[int, Field(gt=0)] = 2
    """Worker processes in each pod."""


class Settings(_Settings):
    """Everything that an administrator may change."""

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 over all of them, in hex digits."""
        return hashlib.sha256(self.model_dump_json(by_alias=True).encode()).hexdigest()

    nats_address: str | None = None
    """NATS, which components reach each other by: `nats://nats.dynamo:4222`."""
    etcd_address: str | None = None
    """etcd, which components find each other by: `etcd.dynamo:2379`."""
    model_express_url: Annotated[str | None, Field(alias="modelExpressURL")] = None
    """Model Express, which serves weights."""
    prometheus_endpoint: str | None = None
    """Prometheus, which planners ask."""
    discovery_backend: Literal["kubernetes"] | None = None
    """With `kubernetes`, components find each other through Kubernetes rather than etcd."""
    ingress: IngressSettings = Field(default_factory=IngressSettings)
    multinode: MultinodeSettings = Field(default_factory=MultinodeSettings)
    mpi_run: MpiRunSettings = Field(default_factory=MpiRunSettings)
    rbac: RbacSettings = Field(default_factory=RbacSettings)
    profiling: ProfilingSettings = Field(default_factory=ProfilingSettings)
    namespace_restriction: NamespaceRestriction = Field(default_factory=NamespaceRestriction)
    server: ServerSettings = Field(default_factory=ServerSettings)
    defaults: Defaults = Field(default_factory=Defaults)
