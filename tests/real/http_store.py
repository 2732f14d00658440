"""The embedded store's face, over a real API server.

What is read often comes from a mirror, as an informer's: it knows each answer to a write at once, and what the server's
own controllers did when it is refreshed. Only `get` asks the server.
"""

import time
from urllib.parse import quote

import orjson

from hooks.protocol import name_of
from hooks.simulator.clock import timestamp
from hooks.simulator.errors import ApiError
from hooks.simulator.objects import Key
from hooks.simulator.store import ADDED, DELETED, MODIFIED, NAMESPACE, Store, Write
from tests.real.api_client import collection

_DELAY = 0.1
"""Virtual seconds after which the server's own controllers have acted; the embedded ones take as long."""
_PATIENCE = 60.0
"""Real seconds that they may take."""


class HttpStore(Store):
    """A part of a real cluster: the namespaces whose names begin with `prefix`, which nobody sees in its objects.

    Times that the server sets are the clock's.
    """

    def __init__(self, client, clock, resources, prefix=""):
        super().__init__(clock, resources)
        self._client = client
        self._prefix = prefix
        self._moments = {}
        self._made = set()
        self._catching_up = False
        self._followed = [resource for resource in self.kinds() if resource.kind.kind != "Event"]

    # The store's face

    def get(self, kind, name, namespace=""):
        resource = self.resource(kind)
        return self._inward(self._send("GET", self._path(resource, namespace, name)))

    def create(self, item, *, strict=False):
        with self._logged("create", item) as log:
            resource = self._resource_of(item)
            path = self._path(resource, item["metadata"].get("namespace", ""))
            made = self._inward(self._send("POST", path, self._outward(item), **_validation(strict=strict)))
            log |= {"name": made["metadata"]["name"], "changed": True}
            self._made.add(_key(resource.kind, made))
            self._seen(resource, made)
        return made

    def update(self, item, *, strict=False):
        with self._logged("update", item) as log:
            return self._put(item, log, "", **_validation(strict=strict))

    def update_status(self, item, *, strict=False):
        with self._logged("update_status", item) as log:
            return self._put(item, log, "/status", **_validation(strict=strict))

    def delete(self, kind, name, namespace="", *, propagation="Background", uid=None):
        resource = self.resource(kind)
        named = {"kind": resource.kind.kind, "metadata": {"name": name, "namespace": namespace}}
        with self._logged("delete", named) as log:
            options = {"propagationPolicy": propagation} | ({"preconditions": {"uid": uid}} if uid else {})
            self._send("DELETE", self._path(resource, namespace, name), options)
            key = Key(resource.kind, namespace if resource.namespaced else "", name)
            old = self._objects.find(key)
            log["changed"] = old is None or "deletionTimestamp" not in old["metadata"]
            try:
                self._seen(resource, self.get(kind, name, namespace))
            except ApiError:
                self._gone(key)
                log["changed"] = True

    def try_out(self, item, *, strict=False):
        """What `create` would come to, without doing it."""
        path = self._path(self._resource_of(item), item["metadata"].get("namespace", ""))
        return self._inward(self._send("POST", path, self._outward(item), dryRun="All", **_validation(strict=strict)))

    def take(self, kind, name):
        """Have an object that is there already and belongs to no namespace count as made here."""
        resource = self.resource(kind)
        self._made.add(Key(resource.kind, "", name))
        self._seen(resource, self.get(kind, name))

    def finalize(self, name):
        raise NotImplementedError("the real namespace controller does that")

    # What the server's own controllers do

    def refresh(self):
        """Look at everything; returns whether anything had changed that nobody knew of."""
        before = self._version
        with self.acting("server"):
            for resource in self._followed:
                found = {_key(resource.kind, item): item for item in self._listed(resource)}
                for key in [_key(resource.kind, item) for item in self._objects.of_kind(resource.kind)]:
                    if key not in found and self._gone(key):
                        self._log("delete", key)
                for key, item in found.items():
                    if self._seen(resource, item):
                        self._log("update", key)
        return self._version != before

    def _log(self, verb, key):
        self.writes.append(Write(verb, key.kind.kind, key.namespace, key.name, changed=True, by=self.actor))

    def catch_up(self):
        """Wait, in real time, until the server's own controllers have done what is to be done.

        Raises:
            AssertionError: they do not do it.
        """
        self._catching_up = False
        end = time.monotonic() + _PATIENCE
        self.refresh()
        while undone := list(self._undone()):
            assert time.monotonic() < end, f"after {_PATIENCE:g} s the server's controllers have not done: {undone}"
            time.sleep(0.02)
            self.refresh()

    def clear(self):
        """Delete what was made here and belongs to no namespace; the namespaces themselves are in nobody's way."""
        for key in self._made:
            if not key.namespace and key.kind != NAMESPACE and self._objects.find(key) is not None:
                self.delete(key.kind, key.name)

    def _undone(self):
        """What the garbage collector, the namespace or the service account controller has still to do."""
        for kind in [resource.kind for resource in self.kinds()]:
            for item in self._objects.of_kind(kind):
                metadata = item["metadata"]
                if "deletionTimestamp" in metadata:
                    continue
                if any(self._objects.by_uid(owner["uid"]) is None for owner in metadata.get("ownerReferences", ())):
                    yield f"collect {kind.kind} {metadata['name']}"
                namespace = self.find("Namespace", metadata.get("namespace", ""))
                if namespace is not None and "deletionTimestamp" in namespace["metadata"]:
                    yield f"delete {kind.kind} {metadata['name']} with its namespace"
        for item in self._objects.of_kind(NAMESPACE):
            name = item["metadata"]["name"]
            if "deletionTimestamp" not in item["metadata"]:
                if self.find("ServiceAccount", "default", name) is None:
                    yield f"make the account of {name}"
            elif not self.keys_in(name):
                yield f"end {name}"

    # Behind the verbs

    def _resource_of(self, item):
        return self.resource(str(item.get("kind")), str(item.get("apiVersion")))

    def _put(self, item, log, subresource, **parameters):
        resource = self._resource_of(item)
        path = self._path(resource, item["metadata"].get("namespace", ""), item["metadata"]["name"]) + subresource
        made = self._inward(self._send("PUT", path, self._outward(item), **parameters))
        key = _key(resource.kind, made)
        known = item["metadata"].get("resourceVersion") or self._objects.find(key)["metadata"]["resourceVersion"]
        log["changed"] = made["metadata"]["resourceVersion"] != known
        if self._remains(resource, made):
            self._seen(resource, made)
        else:
            self._gone(key)
        return made

    def _send(self, verb, path, body=None, **parameters):
        try:
            item, warnings = self._client.send(verb, path, body, **parameters)
        except ApiError as error:
            causes = error.causes
            raise ApiError(error.status, error.reason, self._without_prefix(error.message), causes) from None
        self.warnings += warnings
        return item

    def _path(self, resource, namespace, name=None):
        path = collection(resource, self._prefix + namespace if namespace else "")
        if name is None:
            return path
        return f"{path}/{quote(self._prefix + name if resource.kind == NAMESPACE else name, safe='')}"

    def _outward(self, item):
        metadata = dict(item["metadata"])
        if metadata.get("namespace"):
            metadata["namespace"] = self._prefix + metadata["namespace"]
        if item["kind"] == "Namespace":
            metadata["name"] = self._prefix + metadata["name"]
        if "ownerReferences" in metadata:
            metadata["ownerReferences"] = [self._outward_owner(owner) for owner in metadata["ownerReferences"]]
        return {**item, "metadata": metadata}

    def _outward_owner(self, owner):
        return owner | {"name": self._prefix + owner["name"]} if owner.get("kind") == "Namespace" else owner

    def _inward(self, item):
        made = orjson.loads(self._without_prefix(orjson.dumps(item).decode()))
        metadata = made["metadata"]
        for field in ("creationTimestamp", "deletionTimestamp"):
            if field in metadata:
                moment = self._moments.setdefault((metadata["uid"], field), self.clock.now())
                metadata[field] = timestamp(moment)
        return made

    def _without_prefix(self, text):
        return text.replace(self._prefix, "") if self._prefix else text

    def _listed(self, resource):
        for path in self._places(resource):
            for item in self._send("GET", path)["items"]:
                made = {"apiVersion": resource.kind.api_version, "kind": resource.kind.kind, **item}
                if not _is_the_servers(item) and (resource.namespaced or self._is_ours(resource.kind, made)):
                    yield self._inward(made)

    def _is_ours(self, kind, item):
        """Whether something that belongs to no namespace was made here."""
        name = item["metadata"]["name"]
        if kind == NAMESPACE:
            return name.startswith(self._prefix) and Key(kind, "", name.removeprefix(self._prefix)) in self._made
        return Key(kind, "", name) in self._made

    def _places(self, resource):
        if not resource.namespaced:
            return [collection(resource)]
        return [self._path(resource, item["metadata"]["name"]) for item in self._objects.of_kind(NAMESPACE)]

    def _remains(self, resource, item):
        metadata = item["metadata"]
        return "deletionTimestamp" not in metadata or bool(metadata.get("finalizers")) or resource.ways.lingers(item)

    # The mirror

    def _seen(self, resource, item):
        """Take notice of an object as it is now; returns whether that is new."""
        key = _key(resource.kind, item)
        old = self._objects.find(key)
        if old is not None and old["metadata"]["uid"] != item["metadata"]["uid"]:
            self._gone(key)
            old = None
        if old is not None and old["metadata"]["resourceVersion"] == item["metadata"]["resourceVersion"]:
            return False
        self._version += 1
        self._objects.put(key, item)
        self._tell(ADDED if old is None else MODIFIED, key.kind, item)
        self._look_later()
        return True

    def _gone(self, key):
        """Take notice that an object is no longer there; returns whether that is new."""
        item = self._objects.find(key)
        if item is None:
            return False
        self._version += 1
        self._objects.remove(key)
        self._tell(DELETED, key.kind, item)
        self._look_later()
        return True

    def _look_later(self):
        if not self._catching_up and next(self._undone(), None) is not None:
            self._catching_up = True
            self.clock.call_later(_DELAY, self.catch_up)


def _key(kind, item):
    return Key(kind, *name_of(item))


def _is_the_servers(item):
    """Whether it is the Service by which the server itself is found."""
    labels = item["metadata"].get("labels") or {}
    return (labels.get("component"), labels.get("provider")) == ("apiserver", "kubernetes")


def _validation(*, strict):
    return {"fieldValidation": "Strict" if strict else "Warn"}
