"""DynamoGraphDeployment: a graph of components that serve a model together.

Source: seed, "DynamoGraphDeploymentSpec", "DynamoGraphDeploymentStatus", "PVC".
"""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hooks.api.common import OPEN_WORD, Conditions, Generation, Model, Rule, keyed_by, ruled_by
from hooks.api.component_deployment import Backend, ComponentSharedSpec, ServiceReplicas
from hooks.api.kubernetes import EnvVars, Quantity
from hooks.errors import FaultyValue, shown


def _needed_to_create(field: str, *, empty: str = "") -> Rule:
    return Rule(
        f"!(has(self.create) && self.create) || (has(self.{field}){empty})",
        f"{field} is required when create is true: add it, or set create to false",
        field=f".{field}",
        reason="FieldValueRequired",
    )


State = Annotated[Literal["pending", "successful", "failed"], OPEN_WORD]
"""A graph in one word."""


class PersistentVolumeClaim(Model):
    """A claim that components of the graph mount."""

    model_config = ruled_by(
        _needed_to_create("storageClass", empty=" && self.storageClass != ''"),
        _needed_to_create("size"),
        _needed_to_create("volumeAccessMode", empty=" && self.volumeAccessMode != ''"),
    )
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
            missing = [field for field, value in wanted.items() if value in (None, "")]
            if missing:
                raise FaultyValue(
                    "create", f"is true without {' and '.join(missing)}", "add what is missing, or set create to false"
                )
        return self


class GraphDeploymentSpec(Model):
    """Desired state of a graph."""

    pvcs: Annotated[
        list[PersistentVolumeClaim] | None,
        Field(max_length=100, description="Claims that services mount by name.", json_schema_extra=keyed_by("name")),
    ] = None
    services: Annotated[
        dict[str, ComponentSharedSpec] | None,
        Field(max_length=25, description="The components by name. Each becomes a DynamoComponentDeployment."),
    ] = None
    envs: Annotated[
        EnvVars | None, Field(description="Environment of every service, unless it sets the variable itself.")
    ] = None
    backend_framework: Annotated[Backend | None, Field(description="Inference engine of the workers.")] = None

    @model_validator(mode="after")
    def _claims_differ(self) -> Self:
        names = [claim.name for claim in self.pvcs or ()]
        for index, name in enumerate(names):
            if name in names[:index]:
                raise FaultyValue(
                    f"pvcs[{index}].name",
                    f"has the value {shown(name)}, as pvcs[{names.index(name)}] has",
                    "leave one of the two out; several services can mount the same claim",
                )
        return self


class GraphDeploymentStatus(Model):
    """Observed state of a graph."""

    state: Annotated[State | None, Field(description="The whole graph in one word: pending, successful or failed.")] = (
        None
    )
    conditions: Annotated[Conditions | None, Field(description="Ready, with what is missing in its message.")] = None
    observed_generation: Annotated[Generation | None, Field(description="Generation that this status is about.")] = None
    services: Annotated[
        dict[str, ServiceReplicas] | None, Field(max_length=25, description="Numbers of each service.")
    ] = None


class DynamoGraphDeployment(Model):
    """A graph of components that serve a model together."""

    spec: Annotated[GraphDeploymentSpec | None, Field(description="Desired state.")] = None
    status: Annotated[GraphDeploymentStatus | None, Field(description="Observed state.")] = None
