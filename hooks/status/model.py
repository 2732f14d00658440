"""Status of a DynamoModel.

Source: spec page "DynamoModel"; seed, "DynamoModelStatus", "EndpointInfo".
"""

from collections.abc import Iterable
from datetime import datetime

from hooks import labels, names
from hooks.adapters import Outcomes, Worker
from hooks.api.model import ModelSpec
from hooks.kinds import ENDPOINT_SLICE, SERVICE
from hooks.protocol import Object, SyncRequest, entries, part
from hooks.status.conditions import INVALID_SPEC, NAME_CONFLICT, Conditions

ENDPOINTS_READY = "EndpointsReady"
SERVICES_FOUND = "ServicesFound"
_SHOWN = 10
"""Workers whose failures a message names."""


def model_status(
    request: SyncRequest, spec: ModelSpec, workers: Iterable[Worker], outcomes: Outcomes, now: datetime
) -> Object:
    """The whole status. Nothing in it differs from call to call while nothing changes."""
    conditions = Conditions(request.parent, now)
    _write_services_found(conditions, request, spec)
    if not request.related.asked(ENDPOINT_SLICE):
        conditions.write(ENDPOINTS_READY, holds=None, reason="NotAsked", message="this request has no EndpointSlices")
        return _status(request, entries(part(request.parent, "status"), "endpoints"), conditions)
    found = sorted(workers)
    is_lora = spec.model_type == "lora"
    endpoints = [
        {"address": worker.address, "podName": worker.pod, "ready": is_lora and _has_it(worker, outcomes)}
        for worker in found
    ]
    if not found:
        message = f"no pod in this namespace serves {spec.base_model_name}"
        conditions.write(ENDPOINTS_READY, holds=False, reason="NoEndpoints", message=message)
    elif not is_lora:
        message = f"{len(found)} found"
        conditions.write(ENDPOINTS_READY, holds=True, reason="EndpointsDiscovered", message=message)
    else:
        ready = sum(bool(endpoint["ready"]) for endpoint in endpoints)
        everyone = ready == len(found)
        message = f"{ready} of {len(found)} ready{_failures(found, outcomes)}"
        reason = "AllEndpointsReady" if everyone else "NotReady"
        conditions.write(ENDPOINTS_READY, holds=everyone, reason=reason, message=message)
    return _status(request, endpoints, conditions)


def invalid_status(request: SyncRequest, message: str, now: datetime) -> Object:
    """The status of a spec that cannot be carried out: what was known of endpoints stays."""
    conditions = Conditions(request.parent, now)
    conditions.write(ENDPOINTS_READY, holds=False, reason=INVALID_SPEC, message=message)
    return _status(request, entries(part(request.parent, "status"), "endpoints"), conditions)


def _status(request: SyncRequest, endpoints: list[Object], conditions: Conditions) -> Object:
    known = [
        {"address": str(endpoint["address"]), "podName": str(endpoint.get("podName", "")), "ready": endpoint["ready"]}
        for endpoint in endpoints
        if isinstance(endpoint.get("ready"), bool) and isinstance(endpoint.get("address"), str)
    ]
    status: Object = {
        "endpoints": known,
        "totalEndpoints": len(known),
        "readyEndpoints": sum(endpoint["ready"] is True for endpoint in known),
        "conditions": conditions.written(),
    }
    if isinstance(request.parent["metadata"].get("generation"), int):
        status["observedGeneration"] = request.parent["metadata"]["generation"]
    return status


def _has_it(worker: Worker, outcomes: Outcomes) -> bool:
    return worker.ready and outcomes.of(worker).has_adapter


def _failures(workers: list[Worker], outcomes: Outcomes) -> str:
    """What keeps workers from being ready, the first ten of them."""
    causes = [
        f"{worker.address} ({worker.pod}) {_cause(worker, outcomes)}" for worker in workers if _cause(worker, outcomes)
    ]
    more = len(causes) - _SHOWN
    listed = "".join(f"; {cause}" for cause in causes[:_SHOWN])
    return f"{listed}; and {more} more" if more > 0 else listed


def _cause(worker: Worker, outcomes: Outcomes) -> str:
    return outcomes.of(worker).message if worker.ready else "is not ready"


def _write_services_found(conditions: Conditions, request: SyncRequest, spec: ModelSpec) -> None:
    namespace = request.parent["metadata"].get("namespace", "")
    name = names.model_service(spec.base_model_name)
    if not request.related.asked(SERVICE):
        conditions.write(SERVICES_FOUND, holds=None, reason="NotAsked", message="this request has no Services")
        return
    service = request.related.find(SERVICE, name, namespace)
    wanted = names.model_hash(spec.base_model_name)
    if service is None:
        message = (
            f"there is no Service {name}: it is made with the first component in this namespace whose modelRef.name is "
            f"{spec.base_model_name}"
        )
        conditions.write(SERVICES_FOUND, holds=False, reason="ServiceNotFound", message=message)
    elif part(service["metadata"], "labels").get(labels.BASE_MODEL_HASH) != wanted:
        cure = f"kubectl label --overwrite -n {namespace} service {name} {labels.BASE_MODEL_HASH}={wanted}"
        message = f"Service {name} is somebody else's, and its pods are not found by it; label it: {cure}"
        conditions.write(SERVICES_FOUND, holds=False, reason=NAME_CONFLICT, message=message)
    else:
        conditions.write(SERVICES_FOUND, holds=True, reason="ServiceFound", message=f"Service {name}")
