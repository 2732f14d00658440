"""Metacontroller's maps of objects: by kind, then by a key made of namespace and name."""

from collections.abc import Iterable, Iterator

from hooks.protocol import Kind, Object, name_of

ObjectMap = dict[Kind, dict[str, Object]]
"""Kind → `namespace/name` (the name alone for what has no namespace) → object."""


def map_key(item: Object) -> str:
    """The inner key of an object."""
    namespace, name = name_of(item)
    return f"{namespace}/{name}" if namespace else name


def add(objects: ObjectMap, kind: Kind, items: Iterable[Object]) -> None:
    """Add objects of a kind; the kind has its entry even where there are none."""
    entries = objects.setdefault(kind, {})
    for item in items:
        entries[map_key(item)] = item


def ordered(objects: ObjectMap) -> Iterator[tuple[Kind, dict[str, Object]]]:
    """The entries by group, version and kind, the order in which Metacontroller goes through them."""
    for kind in sorted(objects, key=lambda kind: (*_group_version(kind), kind.kind)):
        yield kind, objects[kind]


def _group_version(kind: Kind) -> tuple[str, str]:
    group, _, version = kind.api_version.rpartition("/")
    return group, version


def request_form(objects: ObjectMap, *, version: str, parent: Object) -> dict[str, dict[str, Object]]:
    """The map as a hook gets it.

    In `v1`, a namespaced parent sees nothing of other namespaces, and what is in its own by its bare name.
    """
    if version == "v2":
        return {kind.key: entries for kind, entries in objects.items()}
    namespace = parent["metadata"].get("namespace", "")
    return {
        kind.key: {
            item["metadata"]["name"] if namespace else key: item
            for key, item in entries.items()
            if not namespace or item["metadata"].get("namespace", "") == namespace
        }
        for kind, entries in objects.items()
    }
