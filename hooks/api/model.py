"""DynamoModel: the pods that serve a base model, and the LoRA adapters that they are to load.

Source: seed, "DynamoModelSpec", "DynamoModelStatus" and the types they name.
"""

import re
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hooks.api.common import Conditions, Generation, Model, Rule, ruled_by
from hooks.errors import FaultyValue, shown

ADAPTER_URI = r"^(s3://[^/]+(/.*)?|hf://[^/@]+/[^/@]+(@.+)?)$"
"""Where workers can fetch an adapter from, in the syntax that Python and CEL (RE2) share."""

_URI_CURE = "write s3://bucket/path or hf://organization/model, if need be with @revision"


def _constant(field: str, *, optional: bool = False) -> Rule:
    same = f"self.{field} == oldSelf.{field}"
    if optional:
        same = f"(has(self.{field}) ? has(oldSelf.{field}) && {same} : !has(oldSelf.{field}))"
    return Rule(
        f"!has(oldSelf.modelType) || oldSelf.modelType != 'lora' || {same}",
        f"{field} of a LoRA adapter cannot change, as the loaded one would be left behind: "
        "delete and recreate the DynamoModel",
        field=f".{field}",
        reason="FieldValueForbidden",
    )


class ModelSource(Model):
    """Where an adapter is fetched from."""

    uri: Annotated[
        str, Field(max_length=2048, description="s3://bucket/path, or hf://organization/model and perhaps @revision.")
    ]


class ModelSpec(Model):
    """Which model, and for a LoRA adapter where it comes from."""

    model_config = ruled_by(
        Rule(
            "!has(self.modelType) || self.modelType != 'lora' || has(self.source)",
            f"source is required where modelType is lora: {_URI_CURE}",
            field=".source",
            reason="FieldValueRequired",
        ),
        Rule(
            "!has(self.modelType) || self.modelType != 'lora' || !has(self.source) || "
            f"self.source.uri.matches(r'{ADAPTER_URI}')",
            f"source.uri of a LoRA adapter: {_URI_CURE}",
            field=".source.uri",
        ),
        _constant("modelType"),
        _constant("modelName"),
        _constant("baseModelName"),
        _constant("source", optional=True),
    )
    model_name: Annotated[
        str, Field(min_length=1, description="The model itself; of an adapter, the name that it is loaded under.")
    ]
    base_model_name: Annotated[
        str, Field(min_length=1, description="Base model, as it stands in the modelRef of the components serving it.")
    ]
    model_type: Annotated[
        Literal["base", "lora", "adapter"], Field(description="Only a lora is loaded; the others are looked at.")
    ] = "base"
    source: Annotated[ModelSource | None, Field(description="Where a lora is fetched from.")] = None

    @model_validator(mode="after")
    def _can_be_fetched(self) -> Self:
        if self.model_type == "lora":
            if self.source is None:
                raise FaultyValue("source", "is required where modelType is lora", _URI_CURE)
            if not re.fullmatch(ADAPTER_URI, self.source.uri):
                raise FaultyValue("source.uri", f"has the value {shown(self.source.uri)}", _URI_CURE)
        return self


class Endpoint(Model):
    """A pod that serves the base model."""

    address: Annotated[str, Field(description="Its address, such as http://10.0.1.5:9090.")]
    pod_name: Annotated[str | None, Field(description="Name of the pod.")] = None
    ready: Annotated[bool, Field(description="Whether it has the adapter; never for a model that is not a lora.")]


class ModelStatus(Model):
    """Where the model is served."""

    endpoints: Annotated[list[Endpoint] | None, Field(description="All pods that serve the base model.")] = None
    ready_endpoints: Annotated[int | None, Field(ge=0, description="How many of them are ready.")] = None
    total_endpoints: Annotated[int | None, Field(ge=0, description="How many there are.")] = None
    conditions: Annotated[Conditions | None, Field(description="EndpointsReady and ServicesFound.")] = None
    observed_generation: Annotated[Generation | None, Field(description="Generation that this status is about.")] = None


class DynamoModel(Model):
    """A model that is served by the pods of a graph, or a LoRA adapter to be loaded there."""

    spec: Annotated[ModelSpec, Field(description="Which model.")]
    status: Annotated[ModelStatus | None, Field(description="Where it is served.")] = None
