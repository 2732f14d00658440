"""What the models of the custom resources refuse, where an object gets past the API server."""

import pytest
from pydantic import ValidationError

from hooks.api.component_deployment import Autoscaling, VolumeMount
from hooks.api.graph_deployment import GraphDeploymentSpec
from hooks.api.graph_deployment_request import GraphDeploymentRequestSpec
from hooks.api.model import ModelSpec
from hooks.errors import faults_of

LORA = {"modelName": "adapter", "baseModelName": "base", "modelType": "lora"}


@pytest.mark.parametrize(
    ("model", "spec", "fields"),
    [
        (GraphDeploymentSpec, {"pvcs": [{"name": "c", "create": True, "size": "1Gi"}]}, ["spec.pvcs[0].create"]),
        (GraphDeploymentSpec, {"pvcs": [{"name": "c"}, {"name": "d"}, {"name": "c"}]}, ["spec.pvcs[2].name"]),
        (Autoscaling, {"enabled": True}, ["spec.maxReplicas"]),
        (Autoscaling, {"enabled": True, "minReplicas": 5, "maxReplicas": 2}, ["spec.maxReplicas"]),
        (Autoscaling, {"enabled": True, "maxReplicas": 0}, ["spec.maxReplicas"]),
        (Autoscaling, {"minReplicas": 0}, ["spec.minReplicas"]),
        (VolumeMount, {"name": "c", "mountPath": "/x"}, ["spec.mountPoint"]),
        (ModelSpec, LORA, ["spec.source"]),
        (ModelSpec, LORA | {"source": {}}, ["spec.source.uri"]),
        (ModelSpec, LORA | {"source": {"uri": "https://hub/x"}}, ["spec.source.uri"]),
        (ModelSpec, LORA | {"source": {"uri": "hf://model-without-organization"}}, ["spec.source.uri"]),
        (ModelSpec, {"modelName": "", "modelType": "LoRA"}, ["spec.modelName", "spec.baseModelName", "spec.modelType"]),
        (GraphDeploymentRequestSpec, {"model": "m", "backend": "tokenspeed"}, ["spec.backend", "spec.profilingConfig"]),
    ],
)
def test_a_model_names_the_field_that_is_wrong(model, spec, fields):
    with pytest.raises(ValidationError) as raised:
        model.model_validate(spec)
    assert [fault.field for fault in faults_of(raised.value, "spec")] == fields


@pytest.mark.parametrize(
    ("model", "spec"),
    [
        (GraphDeploymentSpec, {"pvcs": [{"name": "c"}, {"name": "d", "create": False}]}),
        (Autoscaling, {"minReplicas": 5, "maxReplicas": 2}),
        (Autoscaling, {"enabled": True, "maxReplicas": 1}),
        (VolumeMount, {"name": "c", "useAsCompilationCache": True}),
        (ModelSpec, {"modelName": "m", "baseModelName": "m"}),
        (ModelSpec, LORA | {"source": {"uri": "s3://bucket/path/to/model"}}),
        (ModelSpec, LORA | {"source": {"uri": "hf://org/model@refs/pr/1"}}),
    ],
)
def test_a_model_takes_what_is_right(model, spec):
    model.model_validate(spec)


def test_a_request_has_the_defaults_of_the_seed():
    profiling = {"profilerImage": "p", "configMapRef": {"name": "c"}}
    spec = GraphDeploymentRequestSpec.model_validate({"model": "m", "backend": "vllm", "profilingConfig": profiling})
    assert (spec.auto_apply, spec.enable_gpu_discovery) == (False, False)
    assert spec.profiling_config.config_map_ref.key == "disagg.yaml"
