"""What objects refer to and nobody has made: claims that a cluster would wait for, secrets that are taken as there."""

from collections.abc import Iterator
from typing import Any

from hooks.controllers.claims import claims
from hooks.controllers.graph import read_graph
from hooks.errors import InvalidSpec
from hooks.kinds import GRAPH_DEPLOYMENT
from hooks.protocol import Object, name_of
from hooks.settings import Settings
from hooks.simulator.store import Store


def awaited_claims(manifest: Object, settings: Settings) -> list[str]:
    """The claims that a manifest mounts and does not make, sorted."""
    names = set(_claim_names(manifest.get("spec")))
    if manifest.get("kind") == GRAPH_DEPLOYMENT.kind:
        try:
            mentioned = claims(read_graph(manifest, settings))
        except InvalidSpec:
            return []
        names = (names | set(mentioned.awaited)) - {name_of(claim)[1] for claim in mentioned.created}
    return sorted(names)


def _claim_names(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        claim = value.get("persistentVolumeClaim")
        if isinstance(claim, dict) and isinstance(claim.get("claimName"), str):
            yield claim["claimName"]
        for item in value.values():
            yield from _claim_names(item)
    elif isinstance(value, list):
        for item in value:
            yield from _claim_names(item)


def assumed_claim(name: str, namespace: str) -> Object:
    """A claim that is taken as there."""
    spec = {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Ti"}}}
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": metadata, "spec": spec}


def assumed_objects(store: Store) -> list[str]:
    """Secrets and ConfigMaps that pods refer to and that are not there, as `Kind namespace/name`."""
    found = set()
    for pod in store.list("Pod"):
        namespace = pod["metadata"]["namespace"]
        for kind, name in _references(pod["spec"]):
            if store.find(kind, name, namespace) is None:
                found.add(f"{kind} {namespace}/{name}")
    return sorted(found)


def _references(spec: Object) -> Iterator[tuple[str, str]]:
    for secret in spec.get("imagePullSecrets") or ():
        yield "Secret", secret["name"]
    for volume in spec.get("volumes") or ():
        if "secret" in volume and not volume["secret"].get("optional"):
            yield "Secret", volume["secret"]["secretName"]
        if "configMap" in volume and not volume["configMap"].get("optional"):
            yield "ConfigMap", volume["configMap"]["name"]
    for container in [*(spec.get("initContainers") or ()), *spec["containers"]]:
        yield from _environment(container)


def _environment(container: Object) -> Iterator[tuple[str, str]]:
    sources = [entry.get("valueFrom") or {} for entry in container.get("env") or ()]
    for source in [*sources, *(container.get("envFrom") or ())]:
        for field, kind in (
            ("secretKeyRef", "Secret"),
            ("configMapKeyRef", "ConfigMap"),
            ("secretRef", "Secret"),
            ("configMapRef", "ConfigMap"),
        ):
            if field in source and not source[field].get("optional"):
                yield kind, source[field]["name"]
