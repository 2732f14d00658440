"""The schemas of the CRDs: what the API server demands of them, what the seed demands, and Kubernetes' own types."""

import json

import pytest
import yaml

from hooks.crds import all_definitions
from tests.crds.structural_rules import violations

GRAPHS, COMPONENTS, REQUESTS, MODELS = (
    "dynamographdeployments",
    "dynamocomponentdeployments",
    "dynamographdeploymentrequests",
    "dynamomodels",
)
SERVICE = "spec.services.*"

COMPONENT_FIELDS = {
    "annotations": "object",
    "labels": "object",
    "serviceName": "string",
    "componentType": "string",
    "subComponentType": "string",
    "dynamoNamespace": "string",
    "globalDynamoNamespace": "boolean",
    "resources": "object",
    "autoscaling": "object",
    "envs": "array",
    "envFromSecret": "string",
    "volumeMounts": "array",
    "ingress": "object",
    "modelRef": "object",
    "sharedMemory": "object",
    "extraPodMetadata": "object",
    "extraPodSpec": "object",
    "livenessProbe": "object",
    "readinessProbe": "object",
    "replicas": "integer",
    "multinode": "object",
}
SEED = {
    GRAPHS: {
        "spec": {"pvcs": "array", "services": "object", "envs": "array", "backendFramework": "string"},
        "spec.pvcs.*": {
            "create": "boolean",
            "name": "string",
            "storageClass": "string",
            "size": None,
            "volumeAccessMode": "string",
        },
        SERVICE: COMPONENT_FIELDS,
        f"{SERVICE}.autoscaling": {
            "enabled": "boolean",
            "minReplicas": "integer",
            "maxReplicas": "integer",
            "behavior": "object",
            "metrics": "array",
        },
        f"{SERVICE}.ingress": {
            "enabled": "boolean",
            "host": "string",
            "useVirtualService": "boolean",
            "virtualServiceGateway": "string",
            "hostPrefix": "string",
            "annotations": "object",
            "labels": "object",
            "tls": "object",
            "hostSuffix": "string",
            "ingressControllerClassName": "string",
        },
        f"{SERVICE}.ingress.tls": {"secretName": "string"},
        f"{SERVICE}.modelRef": {"name": "string", "revision": "string"},
        f"{SERVICE}.multinode": {"nodeCount": "integer"},
        f"{SERVICE}.sharedMemory": {"disabled": "boolean", "size": None},
        f"{SERVICE}.volumeMounts.*": {"name": "string", "mountPoint": "string", "useAsCompilationCache": "boolean"},
        f"{SERVICE}.extraPodMetadata": {"annotations": "object", "labels": "object"},
        f"{SERVICE}.resources": {"requests": "object", "limits": "object", "claims": "array"},
        "status": {"state": "string", "conditions": "array", "services": "object"},
    },
    COMPONENTS: {
        "spec": COMPONENT_FIELDS | {"backendFramework": "string"},
        "status": {
            "conditions": "array",
            "podSelector": "object",
            "replicas": "integer",
            "selector": "string",
            "service": "object",
        },
    },
    REQUESTS: {
        "spec": {
            "model": "string",
            "backend": "string",
            "enableGpuDiscovery": "boolean",
            "profilingConfig": "object",
            "autoApply": "boolean",
            "deploymentOverrides": "object",
        },
        "spec.profilingConfig": {"config": "object", "configMapRef": "object", "profilerImage": "string"},
        "spec.profilingConfig.configMapRef": {"name": "string", "key": "string"},
        "spec.deploymentOverrides": {
            "name": "string",
            "namespace": "string",
            "labels": "object",
            "annotations": "object",
            "workersImage": "string",
        },
        "status": {
            "state": "string",
            "backend": "string",
            "observedGeneration": "integer",
            "conditions": "array",
            "profilingResults": "string",
            "generatedDeployment": "object",
            "deployment": "object",
        },
        "status.deployment": {"name": "string", "namespace": "string", "state": "string", "created": "boolean"},
    },
    MODELS: {
        "spec": {"modelName": "string", "baseModelName": "string", "modelType": "string", "source": "object"},
        "spec.source": {"uri": "string"},
        "status": {
            "endpoints": "array",
            "readyEndpoints": "integer",
            "totalEndpoints": "integer",
            "conditions": "array",
        },
        "status.endpoints.*": {"address": "string", "podName": "string", "ready": "boolean"},
    },
}


def schema_of(plural):
    return all_definitions()[plural]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


def part(plural, path):
    schema = schema_of(plural)
    for step in path.split("."):
        schema = (schema.get("items") or schema["additionalProperties"]) if step == "*" else schema["properties"][step]
    return schema


@pytest.mark.parametrize("plural", all_definitions())
def test_a_schema_is_structural_and_its_rules_are_bounded(plural):
    assert violations(schema_of(plural)) == []


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({"properties": {"a": {}}}, "type"),
        ({"properties": {"a": {"type": ["string", "null"]}}}, "type"),
        ({"properties": {"a": {"$ref": "#/b", "type": "string"}}}, "keywords"),
        ({"properties": {"a": {"type": "string", "title": "A"}}}, "keywords"),
        ({"properties": {"a": {"type": "string", "anyOf": []}}}, "alternatives"),
        ({"additionalProperties": False}, "forbids"),
        ({"properties": {}, "additionalProperties": {"type": "string"}}, "both"),
        ({"required": ["a"]}, "requires"),
        ({"properties": {"a": {"type": "array"}}}, "list of anything"),
        ({"properties": {"a": {"type": "string", "enum": ["b"], "default": "c"}}}, "default"),
        ({"properties": {"a": {"x-kubernetes-int-or-string": True, "type": "string"}}}, "number or a string"),
        ({"x-kubernetes-list-type": "map"}, "no list"),
        ({"x-kubernetes-validations": [{"rule": "true"}]}, "message"),
        ({"x-kubernetes-validations": [{"rule": "true", "message": "m", "fieldPath": ".b"}]}, "does not have: .b"),
        (
            {
                "properties": {
                    "a": {
                        "type": "array",
                        "items": {"type": "object", "x-kubernetes-validations": [{"rule": "true", "message": "m"}]},
                    }
                }
            },
            "without a limit",
        ),
        (
            {
                "properties": {
                    "a": {
                        "type": "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["b"],
                        "items": {"type": "object", "properties": {"b": {"type": "string"}}},
                    }
                }
            },
            "neither required",
        ),
        (
            {"properties": {"a": {"type": "array", "x-kubernetes-list-type": "map", "items": {"type": "string"}}}},
            "keys",
        ),
    ],
)
def test_the_check_for_structure_sees_what_the_api_server_refuses(schema, fault):
    assert [text for text in violations({"type": "object"} | schema) if fault in text]


@pytest.mark.parametrize(("plural", "path"), [(plural, path) for plural in SEED for path in SEED[plural]])
def test_every_field_of_the_seed_is_there_with_its_type(plural, path):
    fields = part(plural, path)["properties"]
    assert {field: fields.get(field, {}).get("type") for field in SEED[plural][path]} == SEED[plural][path]


@pytest.mark.parametrize(
    ("plural", "path", "keywords"),
    [
        (GRAPHS, "spec.pvcs", {"maxItems": 100, "x-kubernetes-list-map-keys": ["name"]}),
        (GRAPHS, "spec.services", {"maxProperties": 25}),
        (GRAPHS, "spec.backendFramework", {"enum": ["sglang", "vllm", "trtllm"]}),
        (GRAPHS, f"{SERVICE}.multinode.nodeCount", {"default": 2, "minimum": 2, "format": "int32"}),
        (GRAPHS, f"{SERVICE}.volumeMounts.*.useAsCompilationCache", {"default": False}),
        (GRAPHS, f"{SERVICE}.autoscaling.minReplicas", {"minimum": 1, "format": "int32"}),
        (GRAPHS, f"{SERVICE}.replicas", {"minimum": 0, "format": "int32"}),
        (COMPONENTS, "spec.backendFramework", {"enum": ["sglang", "vllm", "trtllm"]}),
        (REQUESTS, "spec.autoApply", {"default": False}),
        (REQUESTS, "spec.enableGpuDiscovery", {"default": False}),
        (REQUESTS, "spec.backend", {"enum": ["sglang", "vllm", "trtllm"]}),
        (REQUESTS, "spec.profilingConfig.configMapRef.key", {"default": "disagg.yaml"}),
        (REQUESTS, "spec.profilingConfig.config", {"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
        (REQUESTS, "status.generatedDeployment", {"type": "object", "x-kubernetes-embedded-resource": True}),
        (REQUESTS, "status.generatedDeployment", {"x-kubernetes-preserve-unknown-fields": True}),
        (MODELS, "spec.modelType", {"default": "base", "enum": ["base", "lora", "adapter"]}),
    ],
)
def test_what_the_seed_says_of_a_field(plural, path, keywords):
    assert part(plural, path).items() >= keywords.items()


@pytest.mark.parametrize(
    ("plural", "path", "required"),
    [
        (GRAPHS, "spec.pvcs.*", ["name"]),
        (GRAPHS, f"{SERVICE}.volumeMounts.*", ["name"]),
        (GRAPHS, f"{SERVICE}.modelRef", ["name"]),
        (REQUESTS, "spec", ["model", "backend", "profilingConfig"]),
        (REQUESTS, "spec.profilingConfig", ["profilerImage"]),
        (REQUESTS, "spec.profilingConfig.configMapRef", ["name"]),
        (MODELS, "spec", ["modelName", "baseModelName"]),
        (MODELS, "spec.source", ["uri"]),
    ],
)
def test_the_fields_that_the_seed_requires_and_no_others(plural, path, required):
    assert part(plural, path).get("required") == required


@pytest.mark.parametrize("plural", all_definitions())
def test_a_state_may_be_another_controllers_word(plural):
    assert "enum" not in part(plural, "status")["properties"].get("state", {})


@pytest.mark.parametrize("plural", all_definitions())
def test_status_is_a_subresource_and_has_the_generation_that_metacontroller_writes(plural):
    assert "status" in all_definitions()[plural]["spec"]["versions"][0]["subresources"]
    assert part(plural, "status.observedGeneration").items() >= {"type": "integer", "format": "int64"}.items()


def test_components_can_be_scaled():
    (version,) = all_definitions()[COMPONENTS]["spec"]["versions"]
    assert version["subresources"]["scale"] == {
        "specReplicasPath": ".spec.replicas",
        "statusReplicasPath": ".status.replicas",
        "labelSelectorPath": ".status.selector",
    }


@pytest.mark.parametrize(
    ("plural", "short", "columns"),
    [
        (GRAPHS, "dgd", ["Ready", "State", "Backend", "Age"]),
        (COMPONENTS, "dcd", ["Available", "Component", "Backend", "Replicas", "Age"]),
        (REQUESTS, "dgdr", ["Model", "Backend", "State", "DGD-State", "Age"]),
        (MODELS, "dm", ["BaseModel", "Type", "Ready", "Total", "Age"]),
    ],
)
def test_what_kubectl_get_shows(plural, short, columns):
    spec = all_definitions()[plural]["spec"]
    assert spec["names"]["shortNames"] == [short]
    shown = [column["name"] for column in spec["versions"][0]["additionalPrinterColumns"] if "priority" not in column]
    assert shown == columns


@pytest.mark.parametrize("plural", all_definitions())
def test_columns_and_scale_lead_to_fields_of_their_type(plural):
    (version,) = all_definitions()[plural]["spec"]["versions"]
    paths = {column["jsonPath"]: column["type"] for column in version["additionalPrinterColumns"]}
    for path, kind in paths.items():
        if not path.startswith((".metadata", ".status.conditions")):
            assert part(plural, path.strip("."))["type"] == kind, path


def test_the_pod_spec_is_kubernetes_own_but_for_what_we_add():
    pod = part(GRAPHS, f"{SERVICE}.extraPodSpec")
    container = pod["properties"]["containers"]["items"]
    main = pod["properties"]["mainContainer"]
    assert "required" not in pod
    assert "required" not in main
    assert container["required"] == ["name"]
    assert main["properties"].keys() == container["properties"].keys()
    assert main["properties"]["env"]["x-kubernetes-list-map-keys"] == ["name"]
    assert main["properties"]["ports"]["x-kubernetes-list-map-keys"] == ["containerPort", "protocol"]
    assert main["properties"]["ports"]["items"]["properties"]["protocol"]["default"] == "TCP"
    assert "TCP" not in json.dumps(part(GRAPHS, f"{SERVICE}.livenessProbe"))
    assert pod["properties"]["imagePullSecrets"]["items"]["properties"]["name"] == {"type": "string", "default": ""}
    assert pod["properties"]["nodeSelector"]["x-kubernetes-map-type"] == "atomic"


def test_descriptions_are_on_our_own_fields_and_only_there():
    described = part(GRAPHS, SERVICE)["properties"]
    assert all("description" in field for field in described.values())
    embedded = [described["extraPodSpec"]["properties"]["containers"], described["livenessProbe"]["properties"]]
    assert "description" not in yaml.safe_dump(embedded)
