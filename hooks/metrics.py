"""What Prometheus sees. The numbers are those of all worker processes where PROMETHEUS_MULTIPROC_DIR names a folder."""

import os

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector

MULTIPROCESS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Names the folder where the worker processes share their numbers. Read when this module is imported."""

_REGISTRY = CollectorRegistry()

CALLS = Counter(
    "dynamo_hooks_calls", "Calls by hook and outcome.", ["controller", "hook", "outcome"], registry=_REGISTRY
)
DURATION = Histogram(
    "dynamo_hooks_call_duration_seconds",
    "Time of a call, from its headers until its answer is sent.",
    ["controller", "hook"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),  # Metacontroller waits for 10 s
    registry=_REGISTRY,
)
REQUEST_SIZE = Histogram(
    "dynamo_hooks_request_size_bytes",
    "Size of the bodies of calls.",
    ["controller", "hook"],
    buckets=tuple(4**power * 1024 for power in range(9)),  # 1 KiB to 64 MiB
    registry=_REGISTRY,
)
ANSWERS = Counter(
    "dynamo_hooks_answers",
    "Answers by kind of the parent and the state they give it.",
    ["kind", "state"],
    registry=_REGISTRY,
)
ADAPTER_CALLS = Counter(
    "dynamo_hooks_adapter_calls",
    "Workers that were asked to load or unload a LoRA adapter, by what came of it.",
    ["result"],
    registry=_REGISTRY,
)


def exposition(accept: str) -> tuple[bytes, str]:
    """All numbers and their content type, in the format that an Accept header asks for."""
    registry = _REGISTRY
    if MULTIPROCESS_VARIABLE in os.environ:
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type
