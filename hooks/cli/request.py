"""`dynamo-hooks request`: the request that Metacontroller would send for a resource."""

import json
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

import click
import yaml

from hooks.cli.kubectl import Kubectl, KubectlError, resource_argument, selector_argument
from hooks.cli.options import effective_settings, settings_option
from hooks.controllers.registry import controllers
from hooks.labels import CONTROLLER_UID
from hooks.packaged import packaged
from hooks.protocol import CustomizeRequest, Object, entries, is_leaving, name_of, part
from hooks.settings import Settings
from hooks.simulator.selectors import matches

_CONTROLLERS = "compositecontrollers.metacontroller.k8s.io,decoratorcontrollers.metacontroller.k8s.io"
_DECORATOR = "metacontroller.k8s.io/decorator-controller"
"""Annotation of an attachment: the DecoratorController it belongs to."""


@click.command("request")
@click.argument("kind")
@click.argument("name")
@click.option("-n", "--namespace", help="Namespace of the resource, that of the context where it is not given.")
@click.option("--controller", "controller_name", help="Metacontroller's controller, where several look after the kind.")
@click.option("--context", help="Context of the kubeconfig, the current one where it is not given.")
@settings_option
def command(
    kind: str,
    name: str,
    namespace: str | None,
    controller_name: str | None,
    context: str | None,
    settings_file: Path | None,
) -> None:
    """Print the sync request that Metacontroller would send for a resource in the cluster, ready for curl.

    KIND and NAME are as for `kubectl get`; kubectl reads the resource, its children and the related objects. Where the
    cluster has no controller for it, that of metacontroller/ is taken. What is printed holds those objects whole.

    \b
    Examples:
      dynamo-hooks request dgd chat -n inference
      dynamo-hooks request dgd chat | curl --data-binary @- localhost:8080/dynamographdeployments/sync
      dynamo-hooks request namespace inference --controller dynamo-namespaces
    """
    cluster = Cluster(Kubectl(context))
    parent = cluster.kubectl.get(kind, name, namespace=namespace)
    controller = cluster.controller_of(parent, controller_name)
    request = cluster.request(controller, parent, effective_settings(settings_file))
    click.echo(json.dumps(request, indent=2, ensure_ascii=False))
    click.echo(f"for POST /{_route(controller)}/{'finalize' if request['finalizing'] else 'sync'}", err=True)


class Cluster:
    """What Metacontroller knows of a cluster."""

    def __init__(self, kubectl: Kubectl) -> None:
        self.kubectl = kubectl
        self._discovered: dict[str, list[Object]] = {}

    def resource(self, api_version: str, *, plural: str | None = None, kind: str | None = None) -> Object | None:
        """What discovery says of a resource, by its plural or its kind; None where the cluster has it not."""
        if api_version not in self._discovered:
            self._discovered[api_version] = self.kubectl.discovery(api_version)
        found = (item for item in self._discovered[api_version] if "/" not in item["name"])
        return next((item for item in found if plural == item["name"] or kind == item["kind"]), None)

    def controller_of(self, parent: Object, name: str | None) -> Object:
        """The controller that looks after a resource: the one that makes its children before those that decorate it.

        Raises:
            click.ClickException: there is none, or several and none is named.
        """
        resource = self.resource(parent["apiVersion"], kind=parent["kind"]) or {}
        rule = {"apiVersion": parent["apiVersion"], "resource": resource.get("name")}
        known: list[str] = []
        for source in (self._controllers, _packaged_controllers):
            found = {each["metadata"]["name"]: each for each in source()}
            known += found
            fitting = [
                each
                for each in found.values()
                if any(_selects(entry, rule, parent) for entry in _parents(each))
                and name in (None, each["metadata"]["name"])
            ]
            fitting = [each for each in fitting if each["kind"] == "CompositeController"] or fitting
            if len(fitting) > 1:
                names = ", ".join(sorted(each["metadata"]["name"] for each in fitting))
                raise click.ClickException(f"several controllers look after it: {names}; --controller names one")
            if fitting:
                return fitting[0]
        whose = f"a {parent['kind']} of {parent['apiVersion']}"
        there = ", ".join(sorted(set(known)))
        raise click.ClickException(f"no controller{f' {name}' if name else ''} looks after {whose}; there are {there}")

    def _controllers(self) -> list[Object]:
        try:
            found: list[Object] = self.kubectl.get(_CONTROLLERS)["items"]
        except KubectlError as error:
            click.echo(f"taking the controller from metacontroller/: {error.message}", err=True)
            return []
        return found

    def request(self, controller: Object, parent: Object, settings: Settings) -> Object:
        """The body of the request, with the keys of hook version `v2`."""
        composite = controller["kind"] == "CompositeController"
        hooks = controller["spec"].get("hooks", {})
        children = {}
        for rule in list(entries(controller["spec"], "childResources" if composite else "attachments")):
            owned = self._objects(rule, name_of(parent)[0] or None)
            if owned is None:
                click.echo(f"left out: the cluster has no {rule['resource']} of {rule['apiVersion']}", err=True)
                controller = _without(controller, rule)
            else:
                children[owned[0]] = _keyed(item for item in owned[1] if _is_child(item, parent, controller))
        return {
            "controller": controller,
            ("parent" if composite else "object"): parent,
            ("children" if composite else "attachments"): children,
            "related": self._related(controller, parent, settings) if "customize" in hooks else {},
            "finalizing": "finalize" in hooks and is_leaving(parent),
        }

    def _related(self, controller: Object, parent: Object, settings: Settings) -> Object:
        """What the rules of our own `customize` hook select."""
        ours = controllers().get(_route(controller))
        if ours is None or ours.customize is None:
            click.echo(f"no related objects: this version has no hook /{_route(controller)}/customize", err=True)
            return {}
        related: Object = {}
        for rule in ours.customize(CustomizeRequest(parent, controller), settings):
            body = rule.body()
            arguments = [] if rule.selector is None else ["--selector", selector_argument(rule.selector)]
            found = self._objects(body, rule.namespace, *arguments)
            if found is not None:
                items = (item for item in found[1] if rule.names is None or item["metadata"]["name"] in rule.names)
                related.setdefault(found[0], {}).update(_keyed(items))
        return related

    def _objects(self, rule: Object, namespace: str | None, *arguments: str) -> tuple[str, list[Object]] | None:
        """The key of a rule's kind and its objects; None where the cluster has not that kind."""
        resource = self.resource(rule["apiVersion"], plural=rule["resource"])
        if resource is None:
            return None
        argument = resource_argument(rule["apiVersion"], rule["resource"])
        items = self.kubectl.items(argument, namespace if resource["namespaced"] else None, *arguments)
        return f"{resource['kind']}.{rule['apiVersion']}", items


def _packaged_controllers() -> list[Object]:
    files = sorted(packaged("metacontroller").glob("*.yaml"))
    documents = (document for file in files for document in yaml.safe_load_all(file.read_text(encoding="utf-8")))
    return [each for each in documents if each and each["kind"] in ("CompositeController", "DecoratorController")]


def _parents(controller: Object) -> list[Object]:
    """The rules for the resources that a controller looks after."""
    spec = controller["spec"]
    return [part(spec, "parentResource")] if controller["kind"] == "CompositeController" else entries(spec, "resources")


def _selects(entry: Object, rule: Object, parent: Object) -> bool:
    return rule.items() <= entry.items() and matches(part(entry, "labelSelector"), parent)


def _route(controller: Object) -> str:
    """The first part of the path of a controller's sync hook: what our controllers are registered by."""
    webhook = controller["spec"]["hooks"]["sync"]["webhook"]
    path: str = urlsplit(webhook["url"]).path if "url" in webhook else webhook.get("path", "")
    return path.strip("/").partition("/")[0]


def _without(controller: Object, rule: Object) -> Object:
    """The controller as it would be in a cluster that lacks a kind."""
    spec = {
        key: [entry for entry in value if entry != rule] if key in ("childResources", "attachments") else value
        for key, value in controller["spec"].items()
    }
    return {**controller, "spec": spec}


def _is_child(item: Object, parent: Object, controller: Object) -> bool:
    owners = (owner for owner in entries(item["metadata"], "ownerReferences") if owner.get("controller"))
    if not any(owner.get("uid") == parent["metadata"]["uid"] for owner in owners):
        return False
    if controller["kind"] == "CompositeController":
        generated = controller["spec"].get("generateSelector")
        return not generated or part(item["metadata"], "labels").get(CONTROLLER_UID) == parent["metadata"]["uid"]
    return bool(part(item["metadata"], "annotations").get(_DECORATOR) == controller["metadata"]["name"])


def _keyed(items: Iterable[Object]) -> Object:
    return {"/".join(filter(None, name_of(item))): item for item in items}
