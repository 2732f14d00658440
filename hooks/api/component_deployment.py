"""DynamoComponentDeployment: one component of a graph, such as its frontend or its decode workers.

Source: seed, "DynamoComponentDeploymentSharedSpec" and the types it names.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hooks.api.common import Conditions, Generation, Int32, Labels, Model, Rule, ruled_by
from hooks.api.kubernetes import (
    EnvVars,
    MetricSpecs,
    PodSpec,
    Probe,
    Quantity,
    ResourceClaims,
    ScalingBehavior,
)
from hooks.errors import FaultyValue

Backend = Literal["sglang", "vllm", "trtllm"]
"""Inference engines that get settings of their own."""


class ResourceItem(Model):
    """Amounts of resources."""

    cpu: Annotated[str | None, Field(description="CPU, such as `16` or `500m`.")] = None
    memory: Annotated[str | None, Field(description="Memory, such as `20Gi`.")] = None
    gpu: Annotated[str | None, Field(description="Number of GPUs, of the resource that gpuType names.")] = None
    gpu_type: Annotated[
        str | None, Field(description="Resource name of the GPU, nvidia.com/gpu where it is absent.")
    ] = None
    custom: Annotated[Labels | None, Field(description="Further resources by their Kubernetes names.")] = None


class Resources(Model):
    """Resources of the main container."""

    requests: Annotated[ResourceItem | None, Field(description="What a pod is scheduled by.")] = None
    limits: Annotated[ResourceItem | None, Field(description="What a pod may use at most.")] = None
    claims: Annotated[
        ResourceClaims | None, Field(description="Claims of the pod for dynamic resource allocation.")
    ] = None


class Autoscaling(Model):
    """A HorizontalPodAutoscaler for the component."""

    model_config = ruled_by(
        Rule(
            "!(has(self.enabled) && self.enabled) || has(self.maxReplicas)",
            "maxReplicas is required when autoscaling is enabled: add it, or set enabled to false",
            field=".maxReplicas",
            reason="FieldValueRequired",
        ),
        Rule(
            "!(has(self.enabled) && self.enabled) || !has(self.maxReplicas) || "
            "self.maxReplicas >= (has(self.minReplicas) ? self.minReplicas : 1)",
            "maxReplicas must not be less than minReplicas, which is 1 where it is absent: raise it or lower the other",
            field=".maxReplicas",
        ),
    )
    enabled: Annotated[bool | None, Field(description="Whether replicas follow the metrics.")] = None
    min_replicas: Annotated[Int32 | None, Field(ge=1, description="Fewest replicas, 1 where it is absent.")] = None
    max_replicas: Annotated[Int32 | None, Field(description="Most replicas, required when enabled.")] = None
    behavior: Annotated[ScalingBehavior | None, Field(description="How fast to scale up and down.")] = None
    metrics: Annotated[
        MetricSpecs | None, Field(description="What to scale by, 80% CPU utilization where it is absent.")
    ] = None

    @model_validator(mode="after")
    def _has_bounds(self) -> Self:
        if self.enabled:
            least = self.min_replicas or 1
            if self.max_replicas is None:
                raise FaultyValue(
                    "maxReplicas", "is required when autoscaling is enabled", "add it, or set enabled to false"
                )
            if self.max_replicas < least:
                raise FaultyValue(
                    "maxReplicas",
                    f"has the value {self.max_replicas}, less than minReplicas ({least})",
                    "raise it, or lower minReplicas",
                )
        return self


class VolumeMount(Model):
    """A claim mounted into the main container."""

    model_config = ruled_by(
        Rule(
            "(has(self.mountPoint) && self.mountPoint != '') || "
            "(has(self.useAsCompilationCache) && self.useAsCompilationCache)",
            "mountPoint is required unless useAsCompilationCache is true: add the path in the container "
            "(a service's volumeMounts have no mountPath)",
            field=".mountPoint",
            reason="FieldValueRequired",
        )
    )
    name: Annotated[str, Field(min_length=1, description="Name of the PersistentVolumeClaim.")]
    mount_point: Annotated[
        str | None,
        Field(description="Path in the container. Compilation caches have a default where the backend knows one."),
    ] = None
    use_as_compilation_cache: Annotated[
        bool, Field(description="Whether the backend keeps what it compiled there.")
    ] = False

    @model_validator(mode="after")
    def _has_a_place(self) -> Self:
        if not self.mount_point and not self.use_as_compilation_cache:
            raise FaultyValue(
                "mountPoint",
                "is required",
                "add the path in the container (a service's volumeMounts have no mountPath)",
            )
        return self


class IngressTLS(Model):
    """TLS of an Ingress."""

    secret_name: Annotated[str | None, Field(description="Secret with the certificate and its key.")] = None


class Ingress(Model):
    """How the component is reached from outside the cluster."""

    enabled: Annotated[bool | None, Field(description="Whether it is.")] = None
    host: Annotated[str | None, Field(description="Host name, without prefix and suffix.")] = None
    use_virtual_service: Annotated[
        bool | None, Field(description="Whether an Istio VirtualService does it instead of an Ingress.")
    ] = None
    virtual_service_gateway: Annotated[
        str | None, Field(description="Istio gateway that the VirtualService belongs to.")
    ] = None
    host_prefix: Annotated[str | None, Field(description="Text in front of the host.")] = None
    annotations: Annotated[Labels | None, Field(description="Annotations of the Ingress or VirtualService.")] = None
    labels: Annotated[Labels | None, Field(description="Labels of the Ingress or VirtualService.")] = None
    tls: Annotated[IngressTLS | None, Field(description="TLS of the Ingress.")] = None
    host_suffix: Annotated[str | None, Field(description="Domain behind the host, joined by a dot.")] = None
    ingress_controller_class_name: Annotated[str | None, Field(description="Class of the Ingress.")] = None


class ModelReference(Model):
    """The model that a component serves."""

    name: Annotated[str, Field(min_length=1, description="Base model, such as Qwen/Qwen3-0.6B.")]
    revision: Annotated[str | None, Field(description="Revision of the model.")] = None


class SharedMemory(Model):
    """The memory file system at /dev/shm."""

    disabled: Annotated[bool | None, Field(description="Whether the component goes without.")] = None
    size: Annotated[Quantity | None, Field(description="Its size, 8Gi where it is absent.")] = None


class ExtraPodMetadata(Model):
    """Metadata of the pods alone."""

    annotations: Annotated[Labels | None, Field(description="Annotations of the pods.")] = None
    labels: Annotated[Labels | None, Field(description="Labels of the pods.")] = None


class Multinode(Model):
    """A component whose replicas span several nodes each."""

    node_count: Annotated[
        Int32, Field(ge=2, description="Nodes of one replica. Its GPUs are this times the GPU limit.")
    ] = 2


class ComponentSharedSpec(Model):
    """What a service of a DynamoGraphDeployment and a DynamoComponentDeployment have in common."""

    annotations: Annotated[Labels | None, Field(description="Annotations of everything made for the component.")] = None
    labels: Annotated[Labels | None, Field(description="Labels of everything made for the component.")] = None
    service_name: Annotated[str | None, Field(description="Name of the component in its graph.")] = None
    component_type: Annotated[
        str | None,
        Field(description="Role: frontend, worker, prefill, decode and planner have defaults of their own."),
    ] = None
    sub_component_type: Annotated[str | None, Field(description="Role within the role, such as prefill.")] = None
    dynamo_namespace: Annotated[
        str | None, Field(description="Deprecated: made from the namespace and name of the graph.")
    ] = None
    global_dynamo_namespace: Annotated[
        bool | None, Field(description="Whether the component is in the Dynamo namespace that all graphs share.")
    ] = None
    resources: Annotated[Resources | None, Field(description="Resources of the main container.")] = None
    autoscaling: Annotated[Autoscaling | None, Field(description="Replicas that follow metrics.")] = None
    envs: Annotated[EnvVars | None, Field(description="Environment of the main container.")] = None
    env_from_secret: Annotated[str | None, Field(description="Secret whose entries become environment variables.")] = (
        None
    )
    # The API server refuses a rule inside a list without a limit; this one is far beyond what a pod mounts.
    volume_mounts: Annotated[list[VolumeMount] | None, Field(max_length=1000, description="Claims to mount.")] = None
    ingress: Annotated[Ingress | None, Field(description="Access from outside the cluster.")] = None
    model_ref: Annotated[
        ModelReference | None, Field(description="Model it serves, by which a DynamoModel finds its pods.")
    ] = None
    shared_memory: Annotated[SharedMemory | None, Field(description="The memory file system at /dev/shm.")] = None
    extra_pod_metadata: Annotated[ExtraPodMetadata | None, Field(description="Metadata of the pods alone.")] = None
    extra_pod_spec: Annotated[
        PodSpec | None,
        Field(description="A pod spec laid over the generated one; mainContainer is laid over the main container."),
    ] = None
    liveness_probe: Annotated[Probe | None, Field(description="Liveness probe of the main container.")] = None
    readiness_probe: Annotated[Probe | None, Field(description="Readiness probe of the main container.")] = None
    replicas: Annotated[
        Int32 | None, Field(ge=0, description="Number of replicas when autoscaling does not decide it.")
    ] = None
    multinode: Annotated[Multinode | None, Field(description="Replicas that span several nodes.")] = None


class ComponentDeploymentSpec(ComponentSharedSpec):
    """Desired state of a component."""

    backend_framework: Annotated[Backend | None, Field(description="Inference engine of the component.")] = None


class ServiceReplicas(Model):
    """Numbers of the workload behind a component."""

    component_kind: Annotated[str, Field(description="Kind of the workload.")]
    component_name: Annotated[str, Field(description="Name of the workload.")]
    replicas: Annotated[Int32, Field(ge=0, description="Replicas there are.")]
    updated_replicas: Annotated[Int32, Field(ge=0, description="Replicas of the current specification.")]
    ready_replicas: Annotated[Int32 | None, Field(ge=0, description="Replicas that are ready.")] = None
    available_replicas: Annotated[Int32 | None, Field(ge=0, description="Replicas that are available.")] = None


class ComponentDeploymentStatus(Model):
    """Observed state of a component."""

    conditions: Annotated[
        Conditions | None, Field(description="Available, and DynamoComponentReady with the same.")
    ] = None
    pod_selector: Annotated[Labels | None, Field(description="Labels that select the pods.")] = None
    observed_generation: Annotated[Generation | None, Field(description="Generation that this status is about.")] = None
    replicas: Annotated[Int32 | None, Field(description="Replicas, for the scale subresource.")] = None
    selector: Annotated[str | None, Field(description="Pod selector, for the scale subresource.")] = None
    service: Annotated[ServiceReplicas | None, Field(description="Numbers of the workload.")] = None


class DynamoComponentDeployment(Model):
    """One component of a graph, made from a service of a DynamoGraphDeployment or applied by hand."""

    spec: Annotated[ComponentDeploymentSpec | None, Field(description="Desired state.")] = None
    status: Annotated[ComponentDeploymentStatus | None, Field(description="Observed state.")] = None
