"""The documents of a manifest: which objects are in it, and whether they are any."""

import difflib
import json
from collections.abc import Iterable
from typing import Any

import orjson

from hooks.api.common import GROUP_VERSION
from hooks.protocol import Object, part


def manifest_objects(documents: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    """Each object with the place that names it in a message; nothing for an empty document."""
    for number, document in enumerate(documents, 1):
        if isinstance(document, dict) and document.get("kind") == "List":
            items = document.get("items")
            for index, item in enumerate(items if isinstance(items, list) else ()):
                yield f"document {number}, items[{index}]", item
        elif document is not None:
            yield f"document {number}", document


def problem_of(document: Any) -> str | None:
    """Why a document is no Kubernetes object; None where it is one."""
    if not isinstance(document, dict):
        return "is no Kubernetes object; write apiVersion, kind and metadata"
    try:
        json.dumps(document, allow_nan=False)
        orjson.dumps(document, option=orjson.OPT_PASSTHROUGH_DATETIME)
    except (ValueError, TypeError) as error:  # a date or key without quotes, .inf, a huge number, an alias of itself
        return f"holds what JSON cannot: {error}; put it in quotes"
    for key in ("apiVersion", "kind"):
        if not isinstance(document.get(key), str):
            return f"{key} is missing or no string; add it"
    if not isinstance(part(document, "metadata").get("name"), str):
        return f"{document['kind']}: metadata.name is missing or no string; add it"
    return None


def almost_ours(document: Object, kinds: Iterable[str]) -> list[str]:
    """Say of an object of NVIDIA's group that it is none of ours: a typing error would pass in silence."""
    group, _, version = document["apiVersion"].rpartition("/")
    our_group, _, our_version = GROUP_VERSION.rpartition("/")
    kind, kinds = document["kind"], list(kinds)
    if group != our_group or (version != our_version and kind not in kinds):
        return []
    said = f"{kind} {document['metadata']['name']} is printed as it is, "
    if kind in kinds:
        return [f"{said}since its apiVersion is {document['apiVersion']}; write {GROUP_VERSION}"]
    close = difflib.get_close_matches(kind, kinds, n=1)
    return [f"{said}since its kind is none of {', '.join(kinds)}{f'; did you mean {close[0]}?' if close else ''}"]


def repeated(objects: Iterable[Object]) -> list[tuple[int, int]]:
    """The places of objects that stand once more behind, and where; all name their namespace where they have one."""
    last: dict[tuple[str, str, str, str], int] = {}
    found = []
    for index, item in enumerate(objects):
        group = item["apiVersion"].rpartition("/")[0]
        key = (group, item["kind"], str(item["metadata"].get("namespace", "")), item["metadata"]["name"])
        if key in last:
            found.append((last[key], index))
        last[key] = index
    return found
