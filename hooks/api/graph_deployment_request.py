"""DynamoGraphDeploymentRequest: a model, a backend and latency targets, from which profiling makes a graph.

Source: seed, "DynamoGraphDeploymentRequestSpec", "DynamoGraphDeploymentRequestStatus" and the types they name.
"""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from hooks.api.common import OPEN_WORD, Conditions, Generation, Labels, Model, OpenObject, Rule, ruled_by
from hooks.api.component_deployment import Backend

LONGEST_NAME = 55
"""Characters of a request's name. Its Job is `profile-<name>`, and pods carry a Job's name as a label of at most 63."""

_BASE_KEY = "disagg.yaml"

State = Annotated[
    Literal["", "Pending", "Profiling", "Deploying", "Ready", "DeploymentDeleted", "Failed"],
    OPEN_WORD,
]
"""How far a request is, in one word; empty before the first answer."""


class ConfigMapKey(Model):
    """A key of a ConfigMap in the request's namespace."""

    name: Annotated[str, Field(min_length=1, description="Name of the ConfigMap.")]
    key: Annotated[str, AfterValidator(lambda key: key or _BASE_KEY), Field(description="Key in it.")] = _BASE_KEY


class ProfilingConfig(Model):
    """How to profile."""

    config: Annotated[
        OpenObject | None,
        Field(description="Configuration of the profiler, handed over as it is; the profiler judges it."),
    ] = None
    config_map_ref: Annotated[
        ConfigMapKey | None,
        Field(description="DynamoGraphDeployment to start from, instead of the profiler's own for the backend."),
    ] = None
    profiler_image: Annotated[
        str, Field(min_length=1, description="Image that holds the profiler, such as a Dynamo runtime image.")
    ]


class DeploymentOverrides(Model):
    """What the graph gets that is made from the profile; without autoApply only workersImage counts."""

    name: Annotated[str | None, Field(description="Name of the graph, the request's where it is absent.")] = None
    namespace: Annotated[str | None, Field(description="Its namespace, the request's where it is absent.")] = None
    labels: Annotated[Labels | None, Field(description="Labels on top of those it has anyway.")] = None
    annotations: Annotated[Labels | None, Field(description="Annotations on top of those it has anyway.")] = None
    workers_image: Annotated[
        str | None, Field(description="Image of all workers, while profiling and in the graph that results.")
    ] = None


class GraphDeploymentRequestSpec(Model):
    """What is asked for. It cannot change once profiling has started."""

    model: Annotated[str, Field(min_length=1, description="Model to serve, such as Qwen/Qwen3-0.6B.")]
    backend: Annotated[Backend, Field(description="Inference engine.")]
    enable_gpu_discovery: Annotated[
        bool, Field(description="Whether the profiler reads the GPUs from the cluster's nodes; needs rights on them.")
    ] = False
    profiling_config: Annotated[ProfilingConfig, Field(description="How to profile.")]
    auto_apply: Annotated[
        bool, Field(description="Whether the graph is made as well; else it only stands in the status.")
    ] = False
    deployment_overrides: Annotated[
        DeploymentOverrides | None, Field(description="What the graph gets that is made from the profile.")
    ] = None


class Deployment(Model):
    """The graph that was made for a request."""

    name: Annotated[str | None, Field(description="Name of the graph.")] = None
    namespace: Annotated[str | None, Field(description="Namespace of the graph.")] = None
    state: Annotated[str | None, Field(description="The graph's own status.state.")] = None
    created: Annotated[
        bool | None, Field(description="Whether it was made; it is not made again when it is deleted then.")
    ] = None


class GraphDeploymentRequestStatus(Model):
    """How far a request is."""

    state: Annotated[
        State | None,
        Field(description="In one word: Pending, Profiling, Deploying, Ready, DeploymentDeleted or Failed."),
    ] = None
    backend: Annotated[str | None, Field(description="Inference engine, for display.")] = None
    observed_generation: Annotated[Generation | None, Field(description="Generation that this status is about.")] = None
    conditions: Annotated[
        Conditions | None, Field(description="Validation, Profiling, SpecGenerated and DeploymentReady.")
    ] = None
    profiling_results: Annotated[
        str | None, Field(description="Where the profile is: configmap/ and the ConfigMap's name.")
    ] = None
    generated_deployment: Annotated[
        dict[str, Any] | None,
        Field(
            description="The DynamoGraphDeployment that came out, ready to be applied.",
            json_schema_extra={"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        ),
    ] = None
    deployment: Annotated[Deployment | None, Field(description="The graph that was made, with autoApply.")] = None


class DynamoGraphDeploymentRequest(Model):
    """Asks for a graph that serves a model within given latencies; profiling finds out what it looks like."""

    model_config = ruled_by(
        Rule(
            f"self.metadata.name.size() <= {LONGEST_NAME}",
            f"metadata.name may have at most {LONGEST_NAME} characters, as the profiling Job is named after it: "
            "choose a shorter one",
            field=".metadata.name",
        ),
        Rule(
            "!has(oldSelf.status) || !has(oldSelf.status.conditions) || "
            "!oldSelf.status.conditions.exists(c, c.type == 'Profiling') || self.spec == oldSelf.spec",
            "spec cannot change once profiling has started: delete the request and create it anew",
            field=".spec",
            reason="FieldValueForbidden",
        ),
    )
    spec: Annotated[GraphDeploymentRequestSpec, Field(description="What is asked for.")]
    status: Annotated[GraphDeploymentRequestStatus | None, Field(description="How far it is.")] = None
