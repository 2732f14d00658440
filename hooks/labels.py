"""Label and annotation keys: all in one place, since other programs look them up.

The Dynamo runtime, its planner and PodMonitors read these to the letter. `OWN_LABELS` win over a user's.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

from hooks.errors import Fault, shown

# Labels of components and their pods.
COMPONENT = "nvidia.com/dynamo-component"
"""The service's key in the graph, with its capitals."""
DYNAMO_NAMESPACE = "nvidia.com/dynamo-namespace"
GRAPH_DEPLOYMENT = "nvidia.com/dynamo-graph-deployment-name"
COMPONENT_TYPE = "nvidia.com/dynamo-component-type"
SUB_COMPONENT_TYPE = "nvidia.com/dynamo-sub-component-type"
SELECTOR = "nvidia.com/selector"
"""The component's name: what its Service and workload select pods by."""
METRICS_ENABLED = "nvidia.com/metrics-enabled"
"""What PodMonitors select by."""
BASE_MODEL_HASH = "nvidia.com/dynamo-base-model-hash"
DISCOVERY_ENABLED = "nvidia.com/dynamo-discovery-enabled"
ROLE = "role"
"""`leader` or `worker`, on the pods of a component that spans nodes."""

# Labels of other objects that are looked up.
COMPONENT_POD_ACCOUNT = "nvidia.com/dynamo-component-pod"
"""`"true"` on a ServiceAccount that components run under where nothing names another."""
REGISTRY_INDEX = "nvidia.com/registry-index"
INSTALLATION = "nvidia.com/dynamo-installation"
"""Which installation looks after a custom resource, where several share a cluster."""
MANAGED_BY = "nvidia.com/managed-by"
CONTROLLER_UID = "controller-uid"
"""Metacontroller's own (generateSelector): never copied from a parent to a child."""

# Labels of what is made for a DynamoGraphDeploymentRequest; the profiler's output carries the uid as an annotation.
REQUEST_NAME = "dgdr.nvidia.com/name"
REQUEST_NAMESPACE = "dgdr.nvidia.com/namespace"
REQUEST_UID = "dgdr.nvidia.com/uid"
TARGET_NAMESPACE = "dgdr.nvidia.com/target-namespace"
"""The namespace that a request's graph goes to: whoever looks after that namespace finds requests by it."""

# Annotations.
ALLOW_DEPLOYMENTS_FROM = "nvidia.com/allow-deployments-from"
"""On a Namespace: other namespaces, comma-separated, or `*`, whose requests may make graphs in it."""
MADE_TOGETHER = "dgdr.nvidia.com/config-maps"
"""On each ConfigMap made of a profiler's output: the names of all of them, comma-separated."""
BASE_MODEL = "nvidia.com/dynamo-base-model"
"""A base model's name, of which BASE_MODEL_HASH is the hash."""
SPEC = "dgdr.nvidia.com/spec"
"""On a profiling Job: what later steps read of the spec that it was made from, as JSON."""
SPEC_HASH = "dgdr.nvidia.com/spec-hash"
"""On a profiling Job: SHA-256 of the spec that it was made from."""
ENABLE_METRICS = "nvidia.com/enable-metrics"
DISCOVERY_BACKEND = "nvidia.com/dynamo-discovery-backend"
DEPLOYMENT_STRATEGY = "nvidia.com/deployment-strategy"
DISABLE_PULL_SECRET_DISCOVERY = "nvidia.com/disable-image-pull-secret-discovery"  # noqa: S105 - an annotation's key
DESIRED_HASH = "nvidia.com/desired-hash"
LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"

MANAGER = "dynamo-operator"
"""Value of MANAGED_BY: the name that other programs of Dynamo's look for."""

OWN_LABELS = frozenset(
    {
        COMPONENT,
        DYNAMO_NAMESPACE,
        GRAPH_DEPLOYMENT,
        COMPONENT_TYPE,
        SUB_COMPONENT_TYPE,
        SELECTOR,
        METRICS_ENABLED,
        BASE_MODEL_HASH,
        DISCOVERY_ENABLED,
        DISCOVERY_BACKEND,
    }
)
"""Of a component's metadata labels only these reach its children, so that `kubectl label` restarts nothing."""

CHOOSING = frozenset({CONTROLLER_UID, INSTALLATION, TARGET_NAMESPACE})
"""Labels by which controllers choose what they look after: they go from no object to what is made of it."""

NEVER_OF_USER = CHOOSING | {BASE_MODEL_HASH, SELECTOR}
"""Labels that Metacontroller, a model's Service and a workload select by: with one, a child would claim what is not its
own."""

NEVER_ANNOTATED_BY_USER = frozenset({DESIRED_HASH, LAST_APPLIED})
"""Annotations by which a child is told from what is asked for: a user's own would make it look like another one."""

_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
_LONGEST_PREFIX = 253
_LONGEST_KEY = _LONGEST_PREFIX + 1 + 63
_PREFIX = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*")

KEY_RULE = "write a name, or a DNS name, '/' and a name"
VALUE_RULE = "write at most 63 letters, digits, '-', '_' and '.', the first and last a letter or digit"
"""What a label value may be (Kubernetes, "Labels and Selectors"), as a cure."""


def is_value(value: str) -> bool:
    """Whether the API server takes this as a label's value."""
    return _VALUE.fullmatch(value) is not None


def is_key(key: str) -> bool:
    """Whether the API server takes this as the key of a label or annotation."""
    return len(key) <= _LONGEST_KEY and _is_key(key)


@lru_cache(maxsize=4096)  # a cluster has few different keys, and most are looked at in every sync
def _is_key(key: str) -> bool:
    prefix, slash, name = key.rpartition("/")
    if slash and not (len(prefix) <= _LONGEST_PREFIX and _PREFIX.fullmatch(prefix)):
        return False
    return bool(name) and is_value(name)


def faults(field: str, found: Mapping[str, str] | None) -> list[Fault]:
    """What the API server would refuse among labels that a user gives in `field`."""
    bad_keys = [Fault(f"{field}[{key}]", "is no label key", KEY_RULE) for key in found or () if not is_key(key)]
    return bad_keys + [
        fault for key, value in (found or {}).items() for fault in value_faults(f"{field}[{key}]", value)
    ]


def annotation_faults(field: str, found: Mapping[str, str] | None) -> list[Fault]:
    """What the API server would refuse among annotations that a user gives in `field`; values may be anything."""
    return [
        Fault(f"{field}[{key}]", "is no annotation key", KEY_RULE) for key in found or () if not is_key(key.lower())
    ]


def value_faults(field: str, value: str | None) -> list[Fault]:
    """What the API server would refuse in a value that becomes a label's."""
    return [] if value is None or is_value(value) else [Fault(field, f"{shown(value)} is no label value", VALUE_RULE)]
