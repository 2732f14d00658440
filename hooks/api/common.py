"""What the custom resources share: their base model and the condition."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

GROUP_VERSION = "nvidia.com/v1alpha1"
"""API version of every custom resource of Dynamo's."""


class Model(BaseModel):
    """A part of a custom resource: camelCase on the wire, strict about types, silent about fields it does not know."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", strict=True, frozen=True)


def _without_nulls(value: Any) -> Any:
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value


Labels = Annotated[dict[str, str], BeforeValidator(_without_nulls, json_schema_input_type=dict[str, str])]
"""Labels or annotations; a null value counts as absent."""

Int32 = Annotated[int, Field(ge=-(2**31), le=2**31 - 1, json_schema_extra={"format": "int32"})]


class Condition(Model):
    """One aspect of a resource's state, as Kubernetes' own conditions are written."""

    type: Annotated[str, Field(max_length=316, description="Aspect that this condition is about.")]
    status: Annotated[Literal["True", "False", "Unknown"], Field(description="Whether it holds.")]
    reason: Annotated[str, Field(max_length=1024, description="One word for why, for programs.")]
    message: Annotated[str, Field(max_length=32768, description="Why, for people.")]
    last_transition_time: Annotated[
        str, Field(description="When the status last changed.", json_schema_extra={"format": "date-time"})
    ]
    observed_generation: Annotated[
        int | None, Field(ge=0, description="Generation of the resource that this was written for.")
    ] = None
