"""Embedded Kubernetes types: plain dicts from end to end, typed only as far as the hooks look into them.

Each is bound to the published schema of its name, which `crds/` carry in full; what a shape leaves out is passed on
as the user wrote it. A null anywhere counts as absent, as it does for the API server.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Required

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict

_OPEN = ConfigDict(extra="allow", strict=True)

PUBLISHED_TYPE = "x-published-type"
"""Marks a place in a model's JSON schema that `hooks.crds` fills with the published schema of that name."""

OPTIONAL_FIELDS = "x-published-optional"
"""Beside `PUBLISHED_TYPE`: fields that Kubernetes requires and we do not."""

FURTHER_FIELDS = "x-published-further"
"""Beside `PUBLISHED_TYPE`: fields that Kubernetes does not have, by name, each with a schema as this one."""


def published_schema(
    name: str, *, optional: Iterable[str] = (), further: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """A JSON schema that stands for the published one of `name`, such as `io.k8s.api.core.v1.Probe`."""
    return {PUBLISHED_TYPE: name, OPTIONAL_FIELDS: list(optional), FURTHER_FIELDS: dict(further or {})}


def published(name: str) -> Any:
    """A field whose schema in the CRD is the published one of `name`."""
    return Field(json_schema_extra=published_schema(name))


def published_items(name: str) -> Any:
    """A list whose items' schema in the CRD is the published one of `name`."""
    return Field(json_schema_extra={"items": published_schema(name)})


class EnvVar(TypedDict, total=False):
    """io.k8s.api.core.v1.EnvVar."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    name: Required[str]
    value: str | None
    valueFrom: dict[str, Any] | None


class ContainerPort(TypedDict, total=False):
    """io.k8s.api.core.v1.ContainerPort."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    containerPort: Required[int]
    name: str | None
    protocol: str | None


class ContainerVolumeMount(TypedDict, total=False):
    """io.k8s.api.core.v1.VolumeMount."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    name: Required[str]
    mountPath: Required[str]


class ContainerResources(TypedDict, total=False):
    """io.k8s.api.core.v1.ResourceRequirements."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    limits: dict[str, str | int | float | None] | None
    requests: dict[str, str | int | float | None] | None
    claims: list[dict[str, Any]] | None


class MainContainer(TypedDict, total=False):
    """io.k8s.api.core.v1.Container, whose name is always `main`."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    name: str | None
    image: str | None
    command: list[str] | None
    args: list[str] | None
    workingDir: str | None
    env: list[EnvVar] | None
    envFrom: list[dict[str, Any]] | None
    ports: list[ContainerPort] | None
    resources: ContainerResources | None
    volumeMounts: list[ContainerVolumeMount] | None
    livenessProbe: dict[str, Any] | None
    readinessProbe: dict[str, Any] | None
    startupProbe: dict[str, Any] | None


class Container(MainContainer, total=False):
    """io.k8s.api.core.v1.Container, of a sidecar or init container."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    name: Required[str]  # type: ignore[misc]


class Volume(TypedDict, total=False):
    """io.k8s.api.core.v1.Volume."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    name: Required[str]


class LocalObjectReference(TypedDict, total=False):
    """io.k8s.api.core.v1.LocalObjectReference."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    name: Required[str]


class ExtraPodSpec(TypedDict, total=False):
    """io.k8s.api.core.v1.PodSpec, with one field more: `mainContainer`."""

    __pydantic_config__ = _OPEN  # type: ignore[misc]
    mainContainer: MainContainer | None
    containers: list[Container] | None
    initContainers: list[Container] | None
    volumes: list[Volume] | None
    imagePullSecrets: list[LocalObjectReference] | None
    securityContext: dict[str, Any] | None
    serviceAccount: str | None
    serviceAccountName: str | None
    nodeSelector: dict[str, str] | None
    tolerations: list[dict[str, Any]] | None
    affinity: dict[str, Any] | None


EnvVars = Annotated[list[EnvVar], published_items("io.k8s.api.core.v1.EnvVar")]
Probe = Annotated[dict[str, Any], published("io.k8s.api.core.v1.Probe")]
Quantity = Annotated[str | int | float, published("io.k8s.apimachinery.pkg.api.resource.Quantity")]
ResourceClaims = Annotated[list[dict[str, Any]], published_items("io.k8s.api.core.v1.ResourceClaim")]
PodSpec = Annotated[
    ExtraPodSpec,
    Field(
        json_schema_extra=published_schema(
            "io.k8s.api.core.v1.PodSpec",
            optional=["containers"],
            further={
                "mainContainer": {
                    "description": "Laid over the main container, which is called main.",
                    **published_schema("io.k8s.api.core.v1.Container", optional=["name"]),
                }
            },
        )
    ),
]
ScalingBehavior = Annotated[dict[str, Any], published("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior")]
MetricSpecs = Annotated[list[dict[str, Any]], published_items("io.k8s.api.autoscaling.v2.MetricSpec")]
