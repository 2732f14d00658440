"""DynamoModel: finds the pods that serve a base model, and has LoRA adapters loaded on them."""

import ipaddress
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

import pydantic

from hooks import labels, names
from hooks.adapters import Outcomes, Task, Worker
from hooks.api.model import ModelSpec
from hooks.defaults import SYSTEM_PORT
from hooks.errors import InvalidSpec, faults_of
from hooks.kinds import ENDPOINT_SLICE, SERVICE
from hooks.protocol import (
    CompositeAnswer,
    CustomizeRequest,
    Object,
    RelatedRule,
    SyncRequest,
    entries,
    part,
    spec_of,
)
from hooks.settings import Settings
from hooks.status.conditions import faults_message
from hooks.status.model import invalid_status, model_status

AGAIN_AFTER = 30.0
"""Seconds until workers are asked again that failed or were not finished with."""


def sync(request: SyncRequest, settings: Settings, now: datetime) -> CompositeAnswer:  # noqa: ARG001 - see registry
    """Answer with what is known of the model's endpoints; `request.outcomes` is what came of `task`."""
    try:
        spec = read_model(request.parent)
    except InvalidSpec as invalid:
        return CompositeAnswer(status=invalid_status(request, faults_message(invalid.faults), now), children=[])
    found = workers(request, spec)
    outcomes = request.outcomes or Outcomes()
    status = model_status(request, spec, found, outcomes, now)
    if spec.model_type != "lora":
        return CompositeAnswer(status=status, children=[])
    unsettled = any(not outcomes.of(worker).settled for worker in found if worker.ready)
    return CompositeAnswer(status=status, children=[], resync_after_seconds=AGAIN_AFTER if unsettled else None)


def finalize(request: SyncRequest, settings: Settings, now: datetime) -> CompositeAnswer:
    """Let the model go, whether or not every worker has unloaded its adapter: a namespace must be able to end."""
    return replace(sync(request, settings, now), resync_after_seconds=None, finalized=True)


def task(request: SyncRequest) -> Task | None:
    """What is to be done on workers before the answer: load a LoRA adapter, or unload it everywhere."""
    try:
        spec = read_model(request.parent)
    except InvalidSpec:
        return None
    if spec.model_type != "lora" or spec.source is None:
        return None
    found = workers(request, spec)
    if request.deleting:
        return Task(spec.model_name, spec.source.uri, tuple(found), unload=True) if request.finalizing else None
    return Task(spec.model_name, spec.source.uri, tuple(worker for worker in found if worker.ready))


def customize(request: CustomizeRequest, settings: Settings) -> Iterable[RelatedRule]:  # noqa: ARG001 - see registry
    """Ask for the slices of the pods that serve the base model, and for the Service that they come from."""
    try:
        spec = read_model(request.parent)
    except InvalidSpec:
        return
    namespace = request.parent["metadata"].get("namespace", "")
    selector = {"matchLabels": {labels.BASE_MODEL_HASH: names.model_hash(spec.base_model_name)}}
    yield RelatedRule(ENDPOINT_SLICE, selector=selector, namespace=namespace)
    yield RelatedRule(SERVICE, names=(names.model_service(spec.base_model_name),), namespace=namespace)


def read_model(parent: Object) -> ModelSpec:
    """Read a DynamoModel's spec.

    Raises:
        InvalidSpec: with every fault.
    """
    try:
        return ModelSpec.model_validate(spec_of(parent))
    except pydantic.ValidationError as error:
        raise InvalidSpec(faults_of(error, "spec")) from None


def workers(request: SyncRequest, spec: ModelSpec) -> list[Worker]:
    """The pods in the slices of the base model, each address once, sorted by address."""
    namespace = request.parent["metadata"].get("namespace", "")
    wanted = names.model_hash(spec.base_model_name)
    loaded = _loaded(request.parent)
    found: dict[str, Worker] = {}
    for item in request.related.all(ENDPOINT_SLICE, namespace):
        if part(item["metadata"], "labels").get(labels.BASE_MODEL_HASH) != wanted:
            continue
        for worker in _workers_of(item):
            known = found.get(worker.address)
            ready = worker.ready or (known is not None and known.ready)
            has_it = (worker.address, worker.pod) in loaded
            found[worker.address] = replace(worker, ready=ready, loaded=has_it)
    return sorted(found.values())


def _workers_of(item: Object) -> Iterable[Worker]:
    for endpoint in entries(item, "endpoints"):
        target = part(endpoint, "targetRef")
        addresses = endpoint.get("addresses")
        if target.get("kind") != "Pod" or not isinstance(addresses, list):
            continue
        ready = part(endpoint, "conditions").get("ready")
        for address in addresses:
            host = _host(address)
            if host is not None:
                # Unknown readiness counts as ready (EndpointSlice's API reference).
                yield Worker(f"http://{host}:{SYSTEM_PORT}", str(target.get("name", "")), ready is not False)


def _host(address: object) -> str | None:
    """An IP address as a URL has it; None for whatever else a slice may hold, such as a host name."""
    try:
        found = ipaddress.ip_address(address) if isinstance(address, str) else None
    except ValueError:
        return None
    if found is None:
        return None
    return f"[{found}]" if found.version == 6 else str(found)


def _loaded(parent: Object) -> set[tuple[str, str]]:
    """Address and pod of the endpoints that the last status calls ready."""
    return {
        (str(endpoint.get("address")), str(endpoint.get("podName", "")))
        for endpoint in entries(part(parent, "status"), "endpoints")
        if endpoint.get("ready") is True
    }
