"""What the custom resources share: their base model and the condition."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic.alias_generators import to_camel

GROUP_VERSION = "nvidia.com/v1alpha1"
"""API version of every custom resource of Dynamo's."""


class Model(BaseModel):
    """A part of a custom resource: camelCase on the wire, strict about types, silent about fields it does not know."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _nulls_are_absent(cls, value: Any) -> Any:
        return _without_nulls(value)


def _without_nulls(value: Any) -> Any:
    """A null counts as absent, as it does for the API server."""
    return {key: item for key, item in value.items() if item is not None} if isinstance(value, dict) else value


Labels = Annotated[dict[str, str], BeforeValidator(_without_nulls, json_schema_input_type=dict[str, str])]
"""Labels or annotations; a null value counts as absent."""

OpenObject = Annotated[dict[str, Any], Field(json_schema_extra={"x-kubernetes-preserve-unknown-fields": True})]
"""An object without a schema: all its fields are kept."""

Int32 = Annotated[int, Field(ge=-(2**31), le=2**31 - 1, json_schema_extra={"format": "int32"})]
"""A whole number as Kubernetes' numbers of replicas are."""

RULES = "x-kubernetes-validations"
"""Where a CRD's schema holds its rules."""


@dataclass(frozen=True)
class Rule:
    """What the API server checks beyond types: a CEL expression, and what its sender is told where it is false.

    A rule that mentions `oldSelf` is for updates only. `field` is the path below the object that the message is about,
    such as `.source.uri`; `reason` is the API server's word for the fault.
    """

    expression: str
    message: str
    field: str | None = None
    reason: Literal["FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired"] = "FieldValueInvalid"

    def schema(self) -> dict[str, Any]:
        """The rule as a CRD holds it."""
        entry = {"rule": self.expression, "message": self.message, "reason": self.reason}
        return entry if self.field is None else entry | {"fieldPath": self.field}


OPEN_WORD = WithJsonSchema({"type": "string"})
"""Our own words for a state, but any word in the CRD: objects may still carry what another controller wrote."""

Generation = Annotated[int, Field(ge=0, json_schema_extra={"format": "int64"})]
"""A resource's generation."""


def ruled_by(*rules: Rule) -> ConfigDict:
    """The configuration of a model whose place in the CRD has these rules."""
    return ConfigDict(json_schema_extra={RULES: [rule.schema() for rule in rules]})


def keyed_by(field: str) -> dict[str, Any]:
    """Extra schema of a list whose items differ in a field, which the API server checks and merges by."""
    return {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": [field]}


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
        Generation | None, Field(description="Generation of the resource that this was written for.")
    ] = None


Conditions = Annotated[list[Condition], Field(max_length=32, json_schema_extra=keyed_by("type"))]
"""The conditions of a resource, one of each type."""
