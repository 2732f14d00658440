"""One cluster with several installations of the hooks, each for namespaces of its own.

The manifests are those of metacontroller/ with its component for the purpose, changed as its comment tells users to.
"""

import yaml
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.wrappers import Response

from hooks.packaged import packaged
from hooks.settings import Settings
from hooks.simulator.installation import Installation, our_installation, read_manifests
from hooks.simulator.metacontroller.manifests import read_controllers

COMPONENT = packaged("metacontroller") / "components" / "namespace-restriction"


def shared_cluster(**namespaces):
    """Installation → the namespaces that it looks after."""
    made = {name: our_installation(settings(name, chosen)) for name, chosen in namespaces.items()}
    controllers = [manifest for name, chosen in namespaces.items() for manifest in manifests(name, chosen)]

    def application(clock):
        mounted = {f"/{name}": installation.application(clock) for name, installation in made.items()}
        return DispatcherMiddleware(Response("no such installation", status=404), mounted)

    resources = next(iter(made.values())).resources
    return Installation(application, tuple(read_controllers(controllers)), resources)


def settings(name, namespaces):
    restriction = {"enabled": True, "installation": name, "namespaces": namespaces}
    return Settings.model_validate({"namespaceRestriction": restriction})


def manifests(name, namespaces):
    """The controllers of one installation, whose hooks answer below /<name>/."""
    text = (COMPONENT / "kustomization.yaml").read_text()
    component = yaml.safe_load(text.replace("values: [team-a]", f"values: {namespaces}").replace("team-a", name))
    documents = read_manifests(COMPONENT.parent.parent) + [
        yaml.safe_load((COMPONENT / resource).read_text()) for resource in component["resources"]
    ]
    for patch in component["patches"]:
        target, operations = patch["target"], yaml.safe_load(patch["patch"])
        for document in [item for item in documents if fits(target, item)]:
            if isinstance(operations, dict):
                documents.remove(document)
                continue
            for operation in operations:
                add(document, operation)
    for document in documents:
        document["metadata"]["name"] += component["nameSuffix"]
        for hook in document["spec"]["hooks"].values():
            hook["webhook"]["url"] = hook["webhook"]["url"].replace(".svc/", f".svc/{name}/")
    return documents


def fits(target, document):
    return target["kind"] == document["kind"] and target.get("name") in (None, document["metadata"]["name"])


def add(document, operation):
    assert operation["op"] == "add"
    *path, last = operation["path"].split("/")[1:]
    place = document
    for key in path:
        place = place[int(key) if isinstance(place, list) else key]
    assert last not in place
    place[last] = operation["value"]
