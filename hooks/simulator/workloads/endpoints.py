"""The EndpointSlice controller: which pods are behind a Service."""

from collections.abc import Iterable
from typing import ClassVar

from hooks.protocol import Kind, Object
from hooks.simulator.metacontroller.children import owner_reference
from hooks.simulator.objects import Key
from hooks.simulator.workloads.pods import POD, ready
from hooks.simulator.workloads.worker import Floor, Worker, key_of

SERVICE = Kind("Service", "v1", "services")
SLICE = Kind("EndpointSlice", "discovery.k8s.io/v1", "endpointslices")
NAME_LABEL = "kubernetes.io/service-name"

_Label = tuple[str, str, str]
"""Namespace, label key and value."""


class EndpointSlices(Worker):
    """Keeps one EndpointSlice for each Service with a selector."""

    name: ClassVar[str] = "endpointslice-controller"
    kind: ClassVar[Kind] = SERVICE

    def __init__(self, floor: Floor) -> None:
        super().__init__(floor)
        self._services: dict[_Label, dict[str, None]] = {}
        self._pods: dict[_Label, dict[str, None]] = {}
        floor.store.watch(self._index)

    def concerns(self, event: str, kind: Kind, item: Object) -> Iterable[Key]:
        """A Service, and those that select a pod, now or before."""
        if kind == POD:
            for label in _labels(item):
                for name in self._services.get(label, ()):
                    yield Key(SERVICE, label[0], name)
        elif kind == SLICE and event == "DELETED":
            yield from super().concerns(event, kind, item)
        elif kind == SERVICE:
            yield key_of(kind, item)

    def sync(self, key: Key, item: Object) -> None:
        """Write the slice anew, if it is not as it should be."""
        selector = (item.get("spec") or {}).get("selector")
        if not selector:
            return
        wanted = {
            "addressType": "IPv4",
            "endpoints": [_endpoint(pod) for pod in self._selected(key.namespace, selector)],
            "ports": [_port(port) for port in item["spec"].get("ports") or ()],
        }
        slices = self.owned(item, "EndpointSlice")
        if not slices:
            self.store.create(_slice(item, wanted))
        elif any(slices[0].get(field) != value for field, value in wanted.items()):
            live = self.store.get(SLICE, slices[0]["metadata"]["name"], key.namespace)
            self.store.update(live | wanted)

    def _selected(self, namespace: str, selector: Object) -> list[Object]:
        label, *others = [(namespace, key, value) for key, value in sorted(selector.items())]
        found = []
        for name in sorted(self._pods.get(label, {})):
            if all(name in self._pods.get(other, {}) for other in others):
                pod = self.find(Key(POD, namespace, name))
                if pod is not None and "deletionTimestamp" not in pod["metadata"]:
                    found.append(pod)
        return found

    def _index(self, event: str, kind: Kind, item: Object) -> None:
        name = item["metadata"]["name"]
        if kind == POD:
            labels, index = _labels(item), self._pods
        elif kind == SERVICE:
            selector = (item.get("spec") or {}).get("selector") or {}
            namespace = item["metadata"]["namespace"]
            labels, index = [(namespace, key, value) for key, value in sorted(selector.items())][:1], self._services
        else:
            return
        for label in labels:
            if event == "DELETED":
                index.get(label, {}).pop(name, None)
            else:
                index.setdefault(label, {})[name] = None


def _labels(item: Object) -> list[_Label]:
    namespace = item["metadata"]["namespace"]
    return [(namespace, key, value) for key, value in (item["metadata"].get("labels") or {}).items()]


def _slice(service: Object, wanted: Object) -> Object:
    name = service["metadata"]["name"]
    return {
        "apiVersion": SLICE.api_version,
        "kind": SLICE.kind,
        "metadata": {
            "generateName": f"{name}-",
            "namespace": service["metadata"]["namespace"],
            "labels": {**(service["metadata"].get("labels") or {}), NAME_LABEL: name},
            "ownerReferences": [owner_reference(service)],
        },
        **wanted,
    }


def _endpoint(pod: Object) -> Object:
    metadata, is_ready = pod["metadata"], ready(pod)
    target = {"kind": "Pod", "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"]}
    return {
        "addresses": [address(metadata["uid"])],
        "conditions": {"ready": is_ready, "serving": is_ready, "terminating": False},
        "targetRef": target,
    }


def address(uid: str) -> str:
    """An address that each pod has for itself, from the range that networks of examples use."""
    number = int(uid.replace("-", "")[:6], 16)
    return f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def _port(port: Object) -> Object:
    target = port.get("targetPort", port["port"])
    number = target if isinstance(target, int) else port["port"]
    return {"name": port.get("name", ""), "port": number, "protocol": port.get("protocol", "TCP")}
