"""Our own installation in an embedded cluster: the kinds, the controllers, and the application that answers."""

import io
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from wsgiref.types import WSGIApplication

import yaml

from hooks.adapters import Perform
from hooks.app import create_app
from hooks.log import open_log
from hooks.packaged import packaged
from hooks.protocol import Object
from hooks.settings import Settings
from hooks.simulator.adapters import AdapterWorkers
from hooks.simulator.builtin import built_in
from hooks.simulator.clock import Clock
from hooks.simulator.custom import custom_resources
from hooks.simulator.metacontroller.manifests import ControllerManifest, UnusableController, read_controllers
from hooks.simulator.optional_apis import OPTIONAL_APIS
from hooks.simulator.resources import Resource
from hooks.tokens import Tokens


@dataclass(frozen=True)
class Installation:
    """What Metacontroller is pointed at in a cluster, and what kinds the cluster has for it."""

    application: Callable[[Clock], WSGIApplication]
    controllers: tuple[ControllerManifest, ...]
    resources: tuple[Resource, ...]


def our_installation(
    settings: Settings, optional_apis: Iterable[str] = (), perform: Perform | None = None
) -> Installation:
    """The installation that `kubectl apply -k metacontroller/` makes, with its components for optional APIs.

    Args:
        settings: the platform's settings.
        optional_apis: which of `OPTIONAL_APIS` the cluster has.
        perform: the workers on which adapters are loaded; some that always do where none are given.

    Raises:
        KeyError: an optional API that is not known.
    """
    chosen = tuple(sorted(set(optional_apis)))

    def application(clock: Clock) -> WSGIApplication:
        randomness = random.Random(0).randbytes  # noqa: S311 - the same run makes the same keys
        made: WSGIApplication = create_app(
            settings,
            clock=clock.now,
            tokens=Tokens(),
            log=open_log(_OnlyErrors()),
            randomness=randomness,
            perform=perform or AdapterWorkers(),
        ).wsgi_app
        return made

    return Installation(application, _controllers(chosen), _resources(chosen))


@cache
def _resources(optional_apis: tuple[str, ...]) -> tuple[Resource, ...]:
    definitions = read_manifests(packaged("crds")) + [OPTIONAL_APIS[name].definition for name in optional_apis]
    return (*built_in(), *custom_resources(definitions))


@cache
def _controllers(optional_apis: tuple[str, ...]) -> tuple[ControllerManifest, ...]:
    folder = packaged("metacontroller")
    documents = read_manifests(folder)
    for name in optional_apis:
        component = folder / "components" / OPTIONAL_APIS[name].component / "kustomization.yaml"
        documents = _patched(documents, yaml.safe_load(component.read_text()))
    return tuple(read_controllers(documents))


def read_manifests(folder: Path) -> list[Object]:
    """The documents of a folder's YAML files, kustomize's own left out."""
    paths = sorted(path for path in folder.glob("*.yaml") if path.name != "kustomization.yaml")
    texts = [path.read_text() for path in paths]
    return [document for text in texts for document in yaml.load_all(text, _Loader) if document]


def _patched(documents: list[Object], component: Object) -> list[Object]:
    """Apply a kustomize component of ours, whose patches add rules to lists of controllers.

    Raises:
        UnusableController: it does something else.
    """
    for patch in component["patches"]:
        target = patch["target"]["kind"], patch["target"]["name"]
        found = [document for document in documents if (document["kind"], document["metadata"]["name"]) == target]
        for operation in yaml.safe_load(patch["patch"]):
            *path, end = operation["path"].split("/")[1:]
            if operation["op"] != "add" or end != "-" or not found:
                raise UnusableController(f"a patch of {target} that does not add to a list: {operation}")
            place: Any = found[0]
            for key in path:
                place = place[key]
            place.append(operation["value"])
    return documents


_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The definitions have tens of thousands of lines; libyaml reads them in a fraction of the time."""


class _OnlyErrors(io.BytesIO):
    """Where the application's log goes: a fault of its own is shown, a call is none of the user's business."""

    def write(self, line: Any) -> int:
        if b'"level":"error"' in line:
            sys.stderr.buffer.write(line)
        return len(line)
