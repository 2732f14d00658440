"""The headless Service of a base model: its endpoints are the pods of all components that serve it in a namespace."""

from hooks import labels, names
from hooks.defaults import SYSTEM_PORT
from hooks.kinds import SERVICE
from hooks.protocol import Object


def build_model_service(model: str, namespace: str) -> Object:
    """The Service of a base model, such as Qwen/Qwen3-0.6B: a DynamoModel finds its endpoints by it."""
    selector = {labels.BASE_MODEL_HASH: names.model_hash(model)}
    return {
        "apiVersion": SERVICE.api_version,
        "kind": SERVICE.kind,
        "metadata": {
            "name": names.model_service(model),
            "namespace": namespace,
            "labels": dict(selector),
            "annotations": {labels.BASE_MODEL: model},
        },
        "spec": {
            "clusterIP": "None",
            "selector": selector,
            "ports": [{"name": "system", "port": SYSTEM_PORT, "targetPort": SYSTEM_PORT, "protocol": "TCP"}],
        },
    }
