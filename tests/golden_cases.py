"""Golden cases: `tests/golden/<parent>/<case>/`, a request and the answer that it must get, in files that people read.

    parent.yaml     the parent; its first comment says what the case shows
    observed.yaml   the observed children or attachments, a list (optional)
    related.yaml    the related objects, a list (optional); every other kind that is asked for counts as empty then
    controller.yaml the controller object (optional: without it every kind counts as installed)
    settings.yaml   the platform's settings (optional)
    random.yaml     the random bytes that the hook is given, as text (optional)
    response.yaml   the answer; written by `make golden` only, never by a passing run

An entry of observed.yaml is an object, or says that it is a child of another case's answer as it is found once it was
applied: `{applied: <case>, kind: Deployment, name: x, with: {status: …}}`; `with` is laid over it.
"""

import copy
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import orjson
import yaml

from hooks.configuration import settings_of
from hooks.controllers.registry import Controller, controllers
from hooks.labels import CONTROLLER_UID, LAST_APPLIED
from hooks.protocol import CustomizeRequest, read_sync

FOLDER = Path(__file__).parent / "golden"
NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ROUTES = {
    "graph_deployment": "dynamographdeployments",
    "component_deployment": "dynamocomponentdeployments",
    "graph_deployment_request": "dynamographdeploymentrequests",
    "model": "dynamomodels",
    "namespace": "namespaces",
    "registry_secret": "secrets",
    "request_labels": "dynamographdeploymentrequest-labels",
    "installation": "claims",
}
"""Folder of a parent's cases → the route of its hooks."""
DECORATOR = "metacontroller.k8s.io/decorator-controller"


class Asked:
    """Somebody who asks one controller under some settings: `controller` and `settings` say which."""

    controller: Controller

    @property
    def parts(self):
        """What the parent and its children are called in requests, and the children in answers."""
        return ("object", "attachments") if self.controller.decorates else ("parent", "children")

    def answered(self, body, now, settings, randomness):
        """What the hook answers to a body."""
        request = replace(read_sync(body, *self.controller.parents), randomness=randomness)
        return self.controller.sync(request, settings, now).body()

    def children(self, answer):
        """The children or attachments of an answer."""
        return answer[self.parts[1]]

    def applied(self, child, parent, observed=None):
        """A desired child as it is observed once Metacontroller has applied it over what was there."""
        return self.decorated(applied(child, parent, observed))

    def decorated(self, item):
        """A child that Metacontroller has applied, with what it adds if it is an attachment; changes the given one."""
        if self.controller.decorates:
            del item["metadata"]["labels"][CONTROLLER_UID]
            item["metadata"]["annotations"][DECORATOR] = f"dynamo-{self.controller.route}"
        return item


@dataclass(frozen=True)
class Case(Asked):
    """One golden case."""

    folder: Path

    def __str__(self):
        return f"{self.folder.parent.name}/{self.folder.name}"

    @property
    def controller(self) -> Controller:
        return controllers()[ROUTES[self.folder.parent.name]]

    def load(self, name, default=None):
        path = self.folder / f"{name}.yaml"
        return yaml.safe_load(path.read_text()) if path.exists() else default

    @property
    def settings(self):
        return settings_of(self.load("settings"))

    @property
    def parent(self):
        return self.load("parent")

    @property
    def rules(self):
        """What the case's parent asks for with `customize`."""
        ask = self.controller.customize
        return list(ask(CustomizeRequest(self.parent, self.load("controller")), self.settings)) if ask else []

    def request(self):
        """The body of the sync request."""
        parent = self.parent
        parent_key, children_key = self.parts
        body = {parent_key: parent, "finalizing": False}
        observed, related = self.load("observed"), self.load("related")
        if observed is not None:
            body[children_key] = keyed([_observed(entry, parent, self) for entry in observed])
        if related is not None:
            body["related"] = {rule.kind.key: {} for rule in self.rules} | keyed(related)
        if self.load("controller") is not None:
            body["controller"] = self.load("controller")
        return body

    def answer(self, body=None, now=NOW, settings=None, randomness=None):
        """What the hook answers."""
        given = self.load("random", "").encode() if randomness is None else randomness
        return self.answered(self.request() if body is None else body, now, settings or self.settings, given)


@cache
def cases():
    return tuple(Case(path.parent) for path in sorted(FOLDER.glob("*/*/parent.yaml")))


def keyed(items):
    """Objects as Metacontroller sends them, in `v2` keys."""
    kinds = {}
    for item in items:
        name = f"{item['metadata'].get('namespace', '')}/{item['metadata']['name']}"
        kinds.setdefault(f"{item['kind']}.{item['apiVersion']}", {})[name] = item
    return kinds


def applied(child, parent, observed=None):
    """A desired child as it is observed once Metacontroller has applied it over what was there."""
    merged = laid_over(observed, child) if observed else copy.deepcopy(child)
    merged["metadata"].setdefault("annotations", {})[LAST_APPLIED] = orjson.dumps(child).decode()
    return owned(merged, parent)


def owned(child, parent):
    """A child that was just made or updated, with what Metacontroller and the API server add; changes the given one."""
    metadata = child["metadata"]
    metadata.setdefault("labels", {})[CONTROLLER_UID] = parent["metadata"]["uid"]
    metadata.setdefault("uid", f"uid-of-{child['kind']}-{metadata['name']}".lower())
    metadata.setdefault("generation", 1)
    metadata["ownerReferences"] = [
        {
            "apiVersion": parent["apiVersion"],
            "kind": parent["kind"],
            "name": parent["metadata"]["name"],
            "uid": parent["metadata"]["uid"],
            "controller": True,
            "blockOwnerDeletion": True,
        }
    ]
    return child


def laid_over(base, patch):
    """A copy of `base` with `patch` over it, object by object; lists are replaced whole."""
    merged = {key: copy.deepcopy(value) for key, value in base.items() if key not in patch}
    for key, value in patch.items():
        both = isinstance(value, dict) and isinstance(base.get(key), dict)
        merged[key] = laid_over(base[key], value) if both else copy.deepcopy(value)
    return merged


def _observed(entry, parent, case):
    if "applied" not in entry:
        return entry
    other = Case(case.folder.parent / entry["applied"])
    found = [
        child
        for child in other.children(other.answer())
        if child["kind"] == entry["kind"] and entry.get("name", child["metadata"]["name"]) == child["metadata"]["name"]
    ]
    assert len(found) == 1, f"{entry} fits {len(found)} children of {other}"
    return laid_over(case.applied(found[0], parent), entry.get("with", {}))
