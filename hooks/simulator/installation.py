"""Our own installation in an embedded cluster: the kinds, the controllers, and the application that answers."""

import io
import random
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any
from wsgiref.types import WSGIApplication

from hooks.adapters import Perform
from hooks.app import create_app
from hooks.log import open_log
from hooks.packaged import packaged
from hooks.settings import Settings
from hooks.simulator.adapters import AdapterWorkers
from hooks.simulator.builtin import built_in
from hooks.simulator.clock import Clock
from hooks.simulator.custom import custom_resources
from hooks.simulator.kustomize import for_namespaces, read_component, read_manifests, with_component
from hooks.simulator.metacontroller.manifests import ControllerManifest, read_controllers
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
    """The installation that `kubectl apply -k metacontroller/` makes, with its components.

    There is one for each optional API, and one for an installation that looks after chosen namespaces.

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

    restriction = settings.namespace_restriction
    scope = (restriction.installation, tuple(restriction.namespaces)) if restriction.enabled else None
    return Installation(application, _controllers(chosen, scope), _resources(chosen))


@cache
def _resources(optional_apis: tuple[str, ...]) -> tuple[Resource, ...]:
    definitions = read_manifests(packaged("crds")) + [OPTIONAL_APIS[name].definition for name in optional_apis]
    return (*built_in(), *custom_resources(definitions))


@cache
def _controllers(
    optional_apis: tuple[str, ...], scope: tuple[str, tuple[str, ...]] | None
) -> tuple[ControllerManifest, ...]:
    """The controllers; `scope` is the name of an installation for chosen namespaces, and these."""
    folder = packaged("metacontroller")
    components = folder / "components"
    documents = read_manifests(folder)
    for name in optional_apis:
        documents = with_component(documents, read_component(components / OPTIONAL_APIS[name].component))
    if scope is not None:
        documents = with_component(
            documents, for_namespaces(read_component(components / "namespace-restriction"), *scope)
        )
    return tuple(read_controllers(documents))


class _OnlyErrors(io.BytesIO):
    """Where the application's log goes: a fault of its own is shown, a call is none of the user's business."""

    def write(self, line: Any) -> int:
        if b'"level":"error"' in line:
            sys.stderr.buffer.write(line)
        return len(line)
