"""What becomes of objects that are already there: whose they are, and how to say them again unchanged.

Source: Metacontroller's documentation of CompositeController (claiming, apply semantics).
"""

from collections.abc import Iterable
from typing import Any

import orjson

from hooks import labels
from hooks.errors import UnprocessableRequest
from hooks.kinds import CREATED_ONCE, WORKLOADS
from hooks.protocol import Kind, Object, Observed, SyncRequest, entries, is_leaving, name_of, part


def controller_of(item: Object) -> Object | None:
    """The owner reference of the object's controller, if it has one."""
    references = entries(item["metadata"], "ownerReferences")
    return next((reference for reference in references if reference.get("controller")), None)


def is_foreign(item: Object, parent: Object) -> bool:
    """Whether an object belongs to something else than this parent, so that it must be left alone.

    Ours are the ones that the parent controls, and the ones that nobody controls and that carry its `controller-uid`:
    Metacontroller adopts those.
    """
    uid = parent["metadata"].get("uid")
    owner = controller_of(item)
    if owner is not None:
        return bool(owner.get("uid") != uid)
    carried = part(item["metadata"], "labels").get(labels.CONTROLLER_UID)
    return carried is None or carried != uid


def foreign(request: SyncRequest, kind: Kind, name: str) -> Object | None:
    """The object that keeps the parent from having a child of that kind and name, if there is one."""
    namespace = request.parent["metadata"].get("namespace", "")
    item = request.related.find(kind, name, namespace)
    return item if item is not None and is_foreign(item, request.parent) else None


def leaves_by_itself(item: Object, parent: Object) -> bool:
    """Whether a foreign object goes without anybody's doing, so that its name is free soon.

    It is being deleted, or it was made for an earlier parent of the same name, which is gone: the garbage collector of
    Kubernetes takes it.
    """
    return is_leaving(item) or _is_of_earlier(item, parent)


def _is_of_earlier(item: Object, parent: Object) -> bool:
    owner = controller_of(item) or {}
    same_name = (owner.get("kind"), owner.get("name")) == (parent.get("kind"), parent["metadata"]["name"])
    return same_name and owner.get("uid") not in (None, parent["metadata"].get("uid"))


def conflict(item: Object, parent: Object, cure: str) -> str:
    """Why a foreign object is in the way, and both ways out; or that it is waited for. `cure` names what to rename."""
    namespace, name = name_of(item)
    owner = controller_of(item)
    if leaves_by_itself(item, parent):
        whose = f"of the earlier {parent.get('kind')} {parent['metadata']['name']}"
        which = whose if _is_of_earlier(item, parent) else "that is being deleted"
        return f"waits for the {item.get('kind', 'object')} {name} {which} to go"
    whose = f"belongs to {owner.get('kind')} {owner.get('name')}" if owner else "belongs to nobody"
    resource = f"{item.get('kind', 'object')} {name}"
    hand_over = (
        f"kubectl label --overwrite -n {namespace} {item.get('kind', '').lower()} {name} "
        f"{labels.CONTROLLER_UID}={parent['metadata'].get('uid', '')}"
    )
    free = " once it has no owner" if owner else ""
    return f"{resource} exists already and {whose}; {cure}, or hand it over{free}: {hand_over}"


def restate(children: Observed) -> list[Object]:
    """Every observed child as it was last applied, so that nothing changes.

    Raises:
        UnprocessableRequest: a child does not say how it was applied (it was not by Metacontroller's dynamic apply).
    """
    return [restate_child(child) for child in children]


def restate_child(child: Object) -> Object:
    """One observed child as it was last applied; a workload's replicas as observed, since others may move them.

    Raises:
        UnprocessableRequest: see `restate`.
    """
    if child.get("kind") in CREATED_ONCE:
        return identity(child)
    namespace, name = name_of(child)
    where = f"$.children[{child.get('kind')} {namespace}/{name}]"
    annotation = part(child["metadata"], "annotations").get(labels.LAST_APPLIED)
    if annotation is None:
        raise UnprocessableRequest(
            where, f"has no annotation {labels.LAST_APPLIED}, so it cannot be kept as it is while the spec is invalid"
        )
    try:
        applied: Any = orjson.loads(annotation)
    except orjson.JSONDecodeError as error:
        raise UnprocessableRequest(where, f"annotation {labels.LAST_APPLIED} is not JSON: {error}") from None
    if not (isinstance(applied, dict) and _identified(applied) == _identified(child)):
        raise UnprocessableRequest(where, f"annotation {labels.LAST_APPLIED} is not of this object")
    replicas = part(child, "spec").get("replicas")
    if child.get("kind") in WORKLOADS and replicas is not None:
        applied["spec"] = {**part(applied, "spec"), "replicas": replicas}
    return applied


def _identified(item: Object) -> tuple[object, ...]:
    return item.get("apiVersion"), item.get("kind"), part(item, "metadata").get("name")


def identity(item: Object) -> Object:
    """An object by its names alone: enough to keep a child that is never updated."""
    namespace, name = name_of(item)
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": item["apiVersion"], "kind": item["kind"], "metadata": metadata}


def only_observed(desired: Iterable[Object], children: Observed) -> list[Object]:
    """The desired children that are there already: all that a parent may have which is being deleted."""
    there = {(child.get("kind"), *name_of(child)) for child in children}
    return [child for child in desired if (child["kind"], *name_of(child)) in there]
