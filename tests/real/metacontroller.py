"""A real Metacontroller in place of our engine, for those who have one: `METACONTROLLER` names its binary.

It runs on a control plane of its own, in real time, and calls our hooks over HTTP. The stand-ins for workloads are the
same, so no pod has to run: virtual time goes on whenever everybody else has come to rest.
"""

import os
import shutil
import threading
import time

import pytest
from werkzeug.serving import WSGIRequestHandler, make_server

from hooks.simulator.clock import Clock
from hooks.simulator.errors import ApiError
from hooks.simulator.metacontroller.manifests import GROUP_VERSION
from hooks.simulator.protection import ClaimProtection
from hooks.simulator.selectors import matches
from tests.real.cluster import RealCluster
from tests.real.control_plane import end, free_port
from tests.real.http_store import HttpStore
from tests.real.installed import install

_QUIET = 1.0
"""Real seconds in which nothing has changed and no hook was called: then everybody has come to rest."""
_PATIENCE = 120.0
"""Real seconds until it must have come to rest."""
_PATH = f"/apis/{GROUP_VERSION}"


def metacontroller():
    """The path of the binary; None where none is named.

    Raises:
        pytest.UsageError: what is named cannot be run.
    """
    binary = os.environ.get("METACONTROLLER")
    if binary and not shutil.which(binary):
        raise pytest.UsageError(f"METACONTROLLER={binary} cannot be run: name the binary of a Metacontroller")
    return binary and shutil.which(binary)


class PacedClock(Clock):
    """Virtual time that goes on only once `wait` has returned: somebody acts in real time in between."""

    wait = staticmethod(lambda: None)

    def run_until(self, end, condition=None):
        while True:
            self.wait()
            if condition is not None and condition():
                return True
            due = self.next_due()
            if due is None or due > end:
                break
            super().run_until(due)
        self._now = max(self._now, end)
        return False


class Hooks:
    """Our hooks on a port of the loopback: those that the cluster has at the time of a call."""

    def __init__(self, cluster):
        self._cluster = cluster
        self.called = time.monotonic()
        self.paths = []
        self._server = make_server("127.0.0.1", 0, self._application, threaded=True, request_handler=_Silent)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _application(self, environ, start_response):
        self.called = time.monotonic()
        path = environ["PATH_INFO"]
        self._cluster.hooks.calls[path] = self._cluster.hooks.calls.get(path, 0) + 1
        try:
            return self._cluster.hooks.application(environ, start_response)
        finally:
            self.paths.append(path)
            self.called = time.monotonic()


class _Silent(WSGIRequestHandler):
    def log_request(self, *_):
        pass


class Running:
    """The engine's face: controllers that are installed, and a process that runs them."""

    def __init__(self, plane, binary, hooks, controllers):
        self._plane, self._binary, self._hooks = plane, binary, hooks
        self._install(controllers)
        self._start()

    def resync_all(self):
        """End it and start it anew: it syncs every parent then."""
        self.stop()
        self._start()

    def stop(self):
        self.runs = False
        end(self._process)

    def _start(self):
        del self._hooks.paths[:]
        self.runs = True
        self._process = self._plane.run(
            self._binary,
            kubeconfig=self._plane.kubeconfig,
            metrics_address=f"127.0.0.1:{free_port()}",
            health_probe_bind_address=f"127.0.0.1:{free_port()}",
            client_go_qps=500,
            client_go_burst=1000,
            workers=10,
            discovery_interval="5s",
        )

    def _install(self, controllers):
        """Have these controllers and no others."""
        for plural in ("compositecontrollers", "decoratorcontrollers"):
            there, _ = self._plane.client.send("GET", f"{_PATH}/{plural}")
            for item in there["items"]:
                self._plane.client.send("DELETE", f"{_PATH}/{plural}/{item['metadata']['name']}")
        for controller in controllers:
            made = controller.manifest
            spec = {**made["spec"], "hooks": {name: self._here(hook) for name, hook in made["spec"]["hooks"].items()}}
            self._plane.client.send("POST", f"{_PATH}/{made['kind'].lower()}s", {**made, "spec": spec})

    def _here(self, hook):
        path = hook["webhook"]["url"].split("/", 3)[3]
        return {**hook, "webhook": {**hook["webhook"], "url": f"{self._hooks.url}/{path}"}}


class MetacontrollerCluster(RealCluster):
    """A whole control plane for one scenario, with a real Metacontroller."""

    def __init__(self, plane, binary, **options):
        self._plane, self._binary = plane, binary
        self._over_http = None
        install(plane.client, _DEFINITIONS)
        super().__init__(plane.client, **options)
        self.clock.wait = self._wait

    def close(self):
        """End Metacontroller and the hooks."""
        self._engine.stop()
        self._over_http.close()

    def _make_clock(self):
        return PacedClock(seed=self.seed)

    def _start_server(self, resources, namespaces):
        store = HttpStore(self._client, self.clock, resources)
        ClaimProtection(store)
        for name in namespaces:
            try:
                store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}})
            except ApiError:
                store.take("Namespace", name)  # the server's own
        return store

    def _start_metacontroller(self):
        if self._over_http is None:
            self._over_http = Hooks(self)
        return Running(self._plane, self._binary, self._over_http, self._controllers)

    def _wait(self):
        """Let everybody else come to rest, in real time, and take notice of what they did."""
        patience, quiet = time.monotonic() + _PATIENCE, time.monotonic()
        while True:
            if self.store.refresh() or not self._has_begun():
                quiet = time.monotonic()
            if time.monotonic() - max(quiet, self._over_http.called) > _QUIET:
                return
            assert time.monotonic() < patience, f"no rest: {self._over_http.paths[-20:]}"
            time.sleep(0.1)

    def _has_begun(self):
        """Whether each controller that has parents has called its hook since Metacontroller was started, if it was."""
        if not self._engine.runs:
            return True
        for controller in self._controllers:
            path = controller.hooks["sync"].path.partition("?")[0]
            if path not in self._over_http.paths and any(map(self._parents, controller.parents)):
                return False
        return True

    def _parents(self, selection):
        wanted = selection.resource.api_version, selection.resource.plural
        for resource in self.store.kinds():
            if wanted == (resource.kind.api_version, resource.kind.plural):
                found = self.store.list(resource.kind, selector=selection.label_selector)
                return [item for item in found if matches(selection.annotation_selector, _annotations(item))]
        return []


def _annotations(item):
    return {"metadata": {"labels": item["metadata"].get("annotations") or {}}}


_UNAPPROVED = {"api-approved.kubernetes.io": "unapproved, request not yet submitted"}
"""What Metacontroller's own definitions say, too: a server wants that for groups below k8s.io."""


def _definition(kind, scope):
    names = {"kind": kind, "plural": f"{kind.lower()}s", "singular": kind.lower(), "listKind": f"{kind}List"}
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    group, _, version = GROUP_VERSION.partition("/")
    served = {"name": version, "served": True, "storage": True, "schema": {"openAPIV3Schema": anything}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{names['plural']}.{group}", "annotations": _UNAPPROVED},
        "spec": {"group": group, "scope": scope, "names": names, "versions": [served]},
    }


_DEFINITIONS = [
    _definition("CompositeController", "Cluster"),
    _definition("DecoratorController", "Cluster"),
    _definition("ControllerRevision", "Namespaced"),
]
"""Metacontroller's own kinds, as far as it needs them to be there."""
