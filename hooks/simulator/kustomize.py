"""Our controllers as `kubectl apply -k` makes them of metacontroller/ and its components.

Source: kustomize, "patches" and "nameSuffix"; RFC 6902 (JSON Patch), of which our components need `add` alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from hooks.protocol import Object
from hooks.simulator.metacontroller.manifests import UnusableController

_EXAMPLE = "team-a"
"""What the component for chosen namespaces calls the installation and its only namespace, for users to change."""
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The definitions have tens of thousands of lines; libyaml reads them in a fraction of the time."""


def read_manifests(folder: Path) -> list[Object]:
    """The documents of a folder's YAML files, kustomize's own left out."""
    paths = sorted(path for path in folder.glob("*.yaml") if path.name != "kustomization.yaml")
    texts = [path.read_text() for path in paths]
    return [document for text in texts for document in yaml.load_all(text, _Loader) if document]


def read_component(folder: Path) -> Object:
    """A component: its kustomization with `resources` and `patches` read."""
    component: Object = yaml.safe_load((folder / "kustomization.yaml").read_text())
    patches = [patch | {"patch": yaml.safe_load(patch["patch"])} for patch in component.get("patches", ())]
    return component | {"resources": read_manifests(folder), "patches": patches}


def for_namespaces(component: Object, installation: str, namespaces: Sequence[str]) -> Object:
    """The component for chosen namespaces, changed as its comment tells users to."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(item) for key, item in value.items()}
        if isinstance(value, list):
            return list(namespaces) if value == [_EXAMPLE] else [changed(item) for item in value]
        return value.replace(_EXAMPLE, installation) if isinstance(value, str) else value

    made: Object = changed(component)
    return made


def with_component(documents: Sequence[Object], component: Object) -> list[Object]:
    """Manifests with a component, which changes them in place.

    Raises:
        UnusableController: it does something that none of ours does.
    """
    found = [*documents, *component["resources"]]
    for patch in component["patches"]:
        targets = [document for document in found if _fits(patch["target"], document)]
        if isinstance(patch["patch"], dict):
            found = [document for document in found if not (document in targets and _deletes(patch["patch"]))]
            continue
        for document in targets:
            for operation in patch["patch"]:
                _add(document, operation)
    for document in found:
        document["metadata"]["name"] += component.get("nameSuffix", "")
    return found


def _fits(target: Object, document: Object) -> bool:
    names = None, document["metadata"]["name"]
    return bool(target["kind"] == document["kind"] and target.get("name") in names)


def _deletes(patch: Object) -> bool:
    if patch.get("$patch") != "delete":
        raise UnusableController(f"a patch that merges is not simulated: {patch}")
    return True


def _add(document: Object, operation: Object) -> None:
    *path, last = operation["path"].split("/")[1:]
    place: Any = document
    for key in path:
        place = place[int(key) if isinstance(place, list) else key]
    if operation["op"] != "add" or (isinstance(place, list) and last != "-"):
        raise UnusableController(f"a patch that does more than add is not simulated: {operation}")
    if isinstance(place, list):
        place.append(operation["value"])
    else:
        place[last] = operation["value"]
