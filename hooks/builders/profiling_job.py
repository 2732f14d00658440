"""The Job that profiles a model for a DynamoGraphDeploymentRequest.

Its pod has two containers: the profiler, and one that waits for the profiler's end and copies what it wrote into a
ConfigMap, since nobody can look into a pod that has ended.
"""

from typing import Any

import orjson

from hooks import labels, names
from hooks.builders.finish import finish
from hooks.kinds import JOB
from hooks.profiling.configuration import (
    BASE_FILE,
    BASE_FOLDER,
    OUTPUT_FOLDER,
    as_argument,
    output_folder,
    uses_ai_configurator,
)
from hooks.profiling.requested import FIELDS
from hooks.profiling.specification import Request, spec_hash
from hooks.protocol import Object

_COMMAND = ["python", "-m", "benchmarks.profiler.profile_sla"]
_USER = 1000
"""User and group of Dynamo's images, and of ours."""
_HARDENED: Object = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
"""What the Pod Security Standard `restricted` wants of a container."""
_COPIER_RESOURCES: Object = {"requests": {"cpu": "10m", "memory": "64Mi"}}


def build_profiling_job(request: Request) -> Object:
    """The Job, which is made once and never changed, without pull secrets for its images (`with_pull_secrets`).

    Raises:
        InvalidSpec: it is too large.
    """
    profiling = request.settings.profiling
    given = _labels(request)
    return finish(
        {
            "apiVersion": JOB.api_version,
            "kind": JOB.kind,
            "metadata": {
                "name": names.profiling_job(request.name),
                "namespace": request.namespace,
                "labels": given,
                "annotations": _remembered(request),
            },
            "spec": {
                "backoffLimit": profiling.backoff_limit,
                "activeDeadlineSeconds": profiling.active_deadline_seconds,
                "podFailurePolicy": _pod_failure_policy(),
                "template": {"metadata": {"labels": dict(given)}, "spec": _pod(request)},
            },
        }
    )


def with_pull_secrets(job: Object, secrets: tuple[str, ...]) -> Object:
    """The Job with the names of the secrets that its images are pulled with; the given one is left as it is."""
    if not secrets:
        return job
    template = job["spec"]["template"]
    pod = {**template["spec"], "imagePullSecrets": [{"name": name} for name in secrets]}
    return {**job, "spec": {**job["spec"], "template": {**template, "spec": pod}}}


def _labels(request: Request) -> dict[str, str]:
    estimates = uses_ai_configurator(request.configuration)
    return {
        "app": "aic-profiler" if estimates else "dynamo-profiler",
        "dgdr": request.name,
        labels.REQUEST_NAME: request.name,
        labels.MANAGED_BY: labels.MANAGER,
    }


def _remembered(request: Request) -> dict[str, str]:
    """What the Job was made from: it cannot be changed, so neither can what follows from it."""
    spec = request.spec.model_dump(mode="json", by_alias=True, exclude_none=True)
    later = {field: spec[field] for field in FIELDS if field in spec}
    return {
        labels.SPEC_HASH: spec_hash(request.spec),
        labels.SPEC: orjson.dumps(later, option=orjson.OPT_SORT_KEYS).decode(),
    }


def _pod_failure_policy() -> Object:
    """Hours of GPU time are not spent again on what went wrong once; a drained node is nobody's fault."""
    return {
        "rules": [
            {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
            {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [0]}},
        ]
    }


def _pod(request: Request) -> Object:
    profiling = request.settings.profiling
    pod: Object = {
        "restartPolicy": "Never",
        "serviceAccountName": names.PROFILING_ACCOUNT,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [_profiler(request), _copier(request)],
        "volumes": _volumes(request),
    }
    if profiling.node_selector:
        pod["nodeSelector"] = dict(profiling.node_selector)
    if profiling.tolerations:
        pod["tolerations"] = list(profiling.tolerations)
    return pod


def _profiler(request: Request) -> Object:
    arguments = ["--profile-config", as_argument(request.configuration_text)]
    if request.spec.enable_gpu_discovery:
        arguments.append("--enable-gpu-discovery")
    mounts: list[Object] = [{"name": "output", "mountPath": OUTPUT_FOLDER}]
    if request.spec.profiling_config.config_map_ref:
        mounts.append({"name": "base", "mountPath": BASE_FOLDER, "readOnly": True})
    return {
        "name": names.PROFILER,
        "image": request.spec.profiling_config.profiler_image,
        "command": _COMMAND,
        "args": arguments,
        "env": _variables(request),
        "resources": request.settings.profiling.resources,
        "volumeMounts": mounts,
        "securityContext": _HARDENED,
        # The last lines of its log become part of what a failed request says.
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _variables(request: Request) -> list[Object]:
    token = request.settings.profiling.hf_token_secret
    literals = {
        "NATS_SERVER": request.settings.nats_address,
        "ETCD_ENDPOINTS": request.settings.etcd_address,
        "DGDR_NAME": request.name,
        "DGDR_NAMESPACE": request.namespace,
        "DGDR_UID": request.uid,
    }
    reference = {"secretKeyRef": {"name": token.name, "key": token.key, "optional": True}}
    variables: list[Object] = [{"name": "HUGGING_FACE_HUB_TOKEN", "valueFrom": reference}]
    return variables + [{"name": name, "value": value} for name, value in literals.items() if value]


def _copier(request: Request) -> Object:
    return {
        "name": names.OUTPUT_COPIER,
        "image": request.settings.profiling.output_copier_image,
        "command": ["dynamo-hooks", "copy-output"],
        "args": [
            f"--folder={as_argument(output_folder(request.configuration))}",
            f"--request={request.name}",
            f"--uid={request.uid}",
            f"--target-namespace={request.graph.namespace}",
        ],
        "env": [_from_field("POD_NAME", "metadata.name"), _from_field("POD_NAMESPACE", "metadata.namespace")],
        "resources": _COPIER_RESOURCES,
        "volumeMounts": [{"name": "output", "mountPath": OUTPUT_FOLDER, "readOnly": True}],
        "securityContext": {**_HARDENED, "readOnlyRootFilesystem": True},
        "terminationMessagePolicy": "FallbackToLogsOnError",
    }


def _from_field(name: str, path: str) -> Object:
    return {"name": name, "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}}


def _volumes(request: Request) -> list[Any]:
    reference = request.spec.profiling_config.config_map_ref
    if reference is None:
        return [{"name": "output", "emptyDir": {}}]
    base = {"name": reference.name, "items": [{"key": reference.key, "path": BASE_FILE}]}
    return [{"name": "output", "emptyDir": {}}, {"name": "base", "configMap": base}]
