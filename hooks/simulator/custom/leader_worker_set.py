"""The CustomResourceDefinition of LeaderWorkerSet, with what its webhooks add.

Source: kubernetes-sigs/lws 0.9, its CRD and `pkg/webhooks`, and the answers of a server with both. What its validating
webhook refuses (403 there) is refused here by minimums and rules of the definition.
"""

from collections.abc import Mapping
from typing import Any

from hooks.protocol import Object
from hooks.simulator.custom.published import INTEGER_OR_STRING, structural_schema

_INT32 = {"type": "integer", "format": "int32"}
_NO_ROOM = {
    "rule": "string(self.maxUnavailable) != '0' || string(self.maxSurge) != '0'",
    "message": "must not be 0 when `maxSurge` is 0",
    "fieldPath": ".maxUnavailable",
}
_SUBGROUP_SIZE = {
    "rule": (
        "!has(oldSelf.subGroupPolicy) || (has(self.subGroupPolicy) && self.subGroupPolicy == oldSelf.subGroupPolicy)"
    ),
    "message": "subGroupPolicy is immutable",
    "fieldPath": ".subGroupPolicy",
}
_NAME = {
    "rule": "self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
    "message": "a DNS-1035 label must consist of lower case alphanumeric characters or '-', and start with a letter",
    "fieldPath": ".metadata.name",
}


def _object(required: tuple[str, ...] = (), **properties: Mapping[str, Any]) -> Object:
    made: Object = {"type": "object", "properties": properties}
    return made | ({"required": list(required)} if required else {})


def _enum(*values: str, default: str | None = None) -> Object:
    made: Object = {"type": "string", "enum": list(values)}
    return made | ({"default": default} if default else {})


def _spec() -> Object:
    template = structural_schema("io.k8s.api.core.v1.PodTemplateSpec")
    claims = structural_schema("io.k8s.api.core.v1.PersistentVolumeClaim")
    rolling = _object(
        maxUnavailable={**INTEGER_OR_STRING, "default": 1},
        maxSurge={**INTEGER_OR_STRING, "default": 0},
        partition={**_INT32, "default": 0},
    )
    leader_worker_template = _object(
        ("workerTemplate",),
        leaderTemplate=template,
        workerTemplate=template,
        size={**_INT32, "default": 1, "minimum": 1},
        restartPolicy=_enum(
            "Default",
            "RecreateGroupOnPodRestart",
            "RecreateGroupAfterStart",
            "None",
            default="RecreateGroupOnPodRestart",
        ),
        subGroupPolicy=_object(
            subGroupPolicyType=_enum("LeaderWorker", "LeaderExcluded", default="LeaderWorker"), subGroupSize=_INT32
        ),
        volumeClaimTemplates={"type": "array", "items": claims},
        persistentVolumeClaimRetentionPolicy=_object(whenDeleted={"type": "string"}, whenScaled={"type": "string"}),
    )
    return _object(
        ("leaderWorkerTemplate",),
        replicas={**_INT32, "default": 1, "minimum": 0, "maximum": 1000000},
        startupPolicy=_enum("LeaderCreated", "LeaderReady", default="LeaderCreated"),
        networkConfig={
            **_object(("subdomainPolicy",), subdomainPolicy=_enum("Shared", "UniquePerReplica", default="Shared")),
            "default": {},
        },
        rolloutStrategy={
            **_object(
                ("type",),
                type=_enum("RollingUpdate", default="RollingUpdate"),
                rollingUpdateConfiguration={**rolling, "default": {}, "x-kubernetes-validations": [_NO_ROOM]},
            ),
            "default": {},
        },
        leaderWorkerTemplate={**leader_worker_template, "x-kubernetes-validations": [_SUBGROUP_SIZE]},
    )


def _status() -> Object:
    condition = _object(
        ("lastTransitionTime", "message", "reason", "status", "type"),
        lastTransitionTime={"type": "string", "format": "date-time"},
        message={"type": "string"},
        observedGeneration={"type": "integer", "format": "int64"},
        reason={"type": "string", "minLength": 1},
        status=_enum("True", "False", "Unknown"),
        type={"type": "string"},
    )
    listed = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]}
    return _object(
        conditions={"type": "array", "items": condition, **listed},
        hpaPodSelector={"type": "string"},
        observedGeneration={"type": "integer", "format": "int64"},
        readyReplicas=_INT32,
        replicas=_INT32,
        updatedReplicas=_INT32,
    )


def leader_worker_set_definition() -> Object:
    """The definition, as a manifest has it."""
    schema = _object(metadata=_object(name={"type": "string"}), spec=_spec(), status=_status())
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {**schema, "x-kubernetes-validations": [_NAME]}},
    }
    names = {
        "kind": "LeaderWorkerSet",
        "plural": "leaderworkersets",
        "singular": "leaderworkerset",
        "shortNames": ["lws"],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "leaderworkersets.leaderworkerset.x-k8s.io"},
        "spec": {
            "group": "leaderworkerset.x-k8s.io",
            "scope": "Namespaced",
            "names": {**names, "listKind": "LeaderWorkerSetList"},
            "versions": [version],
        },
    }
