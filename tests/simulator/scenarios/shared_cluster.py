"""One cluster with several installations of the hooks, each for namespaces of its own.

The manifests are those of metacontroller/ with its component for the purpose, changed as its comment tells users to.
"""

from dataclasses import replace

from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.wrappers import Response

from hooks.settings import Settings
from hooks.simulator.installation import Installation, our_installation


def shared_cluster(**namespaces):
    """Installation → the namespaces that it looks after."""
    made = {name: our_installation(settings(name, chosen)) for name, chosen in namespaces.items()}
    all_controllers = [
        controller for name, installation in made.items() for controller in controllers(name, installation)
    ]

    def application(clock):
        mounted = {f"/{name}": installation.application(clock) for name, installation in made.items()}
        return DispatcherMiddleware(Response("no such installation", status=404), mounted)

    resources = next(iter(made.values())).resources
    return Installation(application, tuple(all_controllers), resources)


def settings(name, namespaces):
    restriction = {"enabled": True, "installation": name, "namespaces": namespaces}
    return Settings.model_validate({"namespaceRestriction": restriction})


def controllers(name, installation):
    """The controllers of one installation, whose hooks answer below /<name>/."""
    for controller in installation.controllers:
        hooks = {hook: replace(call, path=f"/{name}{call.path}") for hook, call in controller.hooks.items()}
        yield replace(controller, hooks=hooks)
