"""DynamoGraphDeployment: a graph of components that serve a model together.

Source: seed, "DynamoGraphDeploymentSpec", "DynamoGraphDeploymentStatus", "PVC".
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hooks.api.common import Condition, Model
from hooks.api.component_deployment import Backend, ComponentSharedSpec, ServiceReplicas
from hooks.api.kubernetes import EnvVars, Quantity
from hooks.errors import FaultyValue


class PersistentVolumeClaim(Model):
    """A claim that components of the graph mount."""

    name: Annotated[str, Field(min_length=1, description="Name of the claim, unique in the list.")]
    create: Annotated[bool | None, Field(description="Whether the graph makes it; else it must exist.")] = None
    storage_class: Annotated[str | None, Field(description="Storage class, required when created.")] = None
    size: Annotated[Quantity | None, Field(description="Size, such as 100Gi, required when created.")] = None
    volume_access_mode: Annotated[
        str | None, Field(description="Access mode, such as ReadWriteMany, required when created.")
    ] = None

    @model_validator(mode="after")
    def _can_be_made(self) -> Self:
        if self.create:
            wanted = {
                "storageClass": self.storage_class,
                "size": self.size,
                "volumeAccessMode": self.volume_access_mode,
            }
            for field, value in wanted.items():
                if value in (None, ""):
                    raise FaultyValue(field, "is required when create is true", "add it, or set create to false")
        return self


class GraphDeploymentSpec(Model):
    """Desired state of a graph."""

    pvcs: Annotated[
        list[PersistentVolumeClaim] | None,
        Field(max_length=100, description="Claims that services mount by name."),
    ] = None
    services: Annotated[
        dict[str, ComponentSharedSpec] | None,
        Field(max_length=25, description="The components by name. Each becomes a DynamoComponentDeployment."),
    ] = None
    envs: Annotated[
        EnvVars | None, Field(description="Environment of every service, unless it sets the variable itself.")
    ] = None
    backend_framework: Annotated[Backend | None, Field(description="Inference engine of the workers.")] = None


class GraphDeploymentStatus(Model):
    """Observed state of a graph."""

    state: Annotated[
        Literal["pending", "successful", "failed"] | None, Field(description="The whole graph in one word.")
    ] = None
    conditions: Annotated[
        list[Condition] | None, Field(max_length=32, description="Ready, with what is missing in its message.")
    ] = None
    observed_generation: Annotated[int | None, Field(description="Generation that this status is about.")] = None
    services: Annotated[
        dict[str, ServiceReplicas] | None, Field(max_length=25, description="Numbers of each service.")
    ] = None
