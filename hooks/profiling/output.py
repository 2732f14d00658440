"""What the profiler puts out: a DynamoGraphDeployment, and the ConfigMaps that its planner reads.

Source: the profiler's `config_with_planner.yaml`, several YAML documents written by PyYAML from a whole model, with
explicit nulls.
"""

import base64
import binascii
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import orjson

from hooks import labels, names
from hooks.api.common import GROUP_VERSION
from hooks.errors import shown
from hooks.kinds import CONFIG_MAP, GRAPH_DEPLOYMENT
from hooks.manifest import SIZE_LIMIT, too_large
from hooks.pods.component import PLANNER, WORKER_TYPES
from hooks.profiling.documents import UnreadableDocuments, read_documents
from hooks.profiling.planner_arguments import without_namespace
from hooks.profiling.requested import RequestedGraph
from hooks.protocol import Object, part

CONFIGURATION = "config_with_planner.yaml"
"""Key of the output ConfigMap, and name of the profiler's file, that holds the documents."""
ERROR = "error"
"""Key of the output ConfigMap that says why there are none."""

INVALID = "OutputInvalid"
TOO_LARGE = "OutputTooLarge"

_DATA_KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")
"""What a key of a ConfigMap may be."""

_REFERENCES = frozenset({"configMap", "configMapRef", "configMapKeyRef"})
"""Fields of a pod that name a ConfigMap: a volume or a source of one, and two ways to set environment variables."""


class UnusableOutput(Exception):  # noqa: N818 - it is the reason that the status shows
    """No graph can be made of the output. `reason` is one word, for programs."""

    def __init__(self, reason: str, message: str) -> None:
        self.reason = reason
        super().__init__(message)


@dataclass(frozen=True)
class Output:
    """What is made of the profiler's output."""

    graph: Object
    """The DynamoGraphDeployment, ready to be applied."""
    config_maps: tuple[Object, ...]
    """What is made beside it, by name."""
    left_out: tuple[str, ...]
    """Kind and name of each other document."""


def read_output(text: str, requested: RequestedGraph) -> Output:
    """Read the profiler's documents, and give the graph the name, labels and images that the request asks for.

    Raises:
        UnusableOutput: with the reason, for people to read.
    """
    try:
        documents = read_documents(text)
    except UnreadableDocuments as unreadable:
        raise UnusableOutput(INVALID, f"the profiler's output is not YAML that can be used: {unreadable}") from None
    graph = _only_graph(documents)
    config_maps = {_name(item): item for item in documents if _is_config_map(item)}
    others = [item for item in documents if item is not graph and not _is_config_map(item)]
    renamed = {name: f"{requested.name}-{name}" for name in config_maps}
    output = Output(
        graph=_built_graph(graph, requested, renamed),
        config_maps=tuple(_built_config_map(config_maps[name], requested, renamed[name]) for name in sorted(renamed)),
        left_out=tuple(f"{_kind(item)} {_name(item)}".strip() for item in others),
    )
    _check_metadata(output.graph)
    for config_map in output.config_maps:
        _check_config_map(config_map)
    for item in (output.graph, *output.config_maps):
        size = too_large(item)
        if size is not None:
            whose = f"{item['kind']} {_name(item)} in the profiler's output"
            raise UnusableOutput(TOO_LARGE, f"{whose} has {size} bytes of JSON, {SIZE_LIMIT} are allowed")
    return output


def _only_graph(documents: list[Any]) -> Object:
    graphs = [item for item in documents if _kind(item) == GRAPH_DEPLOYMENT.kind]
    if len(graphs) != 1:
        found = ", ".join(f"{_kind(item)} {_name(item)}" for item in documents) or "nothing"
        count = f"{len(graphs)} DynamoGraphDeployments" if graphs else "no DynamoGraphDeployment"
        raise UnusableOutput(INVALID, f"the profiler's output holds {count}, there must be one; it holds {found}")
    graph: Object = graphs[0]
    if graph.get("apiVersion") != GROUP_VERSION:
        problem = f"is of apiVersion {graph.get('apiVersion')}, not of {GROUP_VERSION}"
        raise UnusableOutput(INVALID, f"the DynamoGraphDeployment in the profiler's output {problem}")
    return graph


def _built_graph(graph: Object, requested: RequestedGraph, renamed: dict[str, str]) -> Object:
    given = part(graph, "metadata")
    metadata: Object = {
        "name": requested.name,
        "namespace": requested.namespace,
        "labels": {**part(given, "labels"), **requested.overriding("labels"), **requested.own_labels},
    }
    annotations = {**part(given, "annotations"), **requested.overriding("annotations")}
    if annotations:
        metadata["annotations"] = annotations
    spec = _with_renamed_config_maps(graph.get("spec", {}), renamed)
    for service in _services(spec):
        _adapt(service, requested.workers_image)
    return {
        "apiVersion": GRAPH_DEPLOYMENT.api_version,
        "kind": GRAPH_DEPLOYMENT.kind,
        "metadata": metadata,
        "spec": spec,
    }


def _built_config_map(config_map: Object, requested: RequestedGraph, name: str) -> Object:
    metadata = {
        "name": name,
        "namespace": requested.namespace,
        "labels": {**requested.own_labels, labels.GRAPH_DEPLOYMENT: requested.name},
    }
    built: Object = {"apiVersion": CONFIG_MAP.api_version, "kind": CONFIG_MAP.kind, "metadata": metadata}
    data = {key: _as_text(value) for key, value in part(config_map, "data").items()}
    binary = part(config_map, "binaryData")
    return built | ({"data": data} if data else {}) | ({"binaryData": binary} if binary else {})


def _as_text(value: Any) -> str:
    """A ConfigMap holds text: what was left unquoted is the JSON that it stands for."""
    return value if isinstance(value, str) else orjson.dumps(value).decode()


def _adapt(service: Object, workers_image: str | None) -> None:
    """Give a worker its image, and take from a planner the Dynamo namespace of the graph that was profiled."""
    main = part(part(service, "extraPodSpec"), "mainContainer")
    if service.get("componentType") in WORKER_TYPES and workers_image:
        extra = service.setdefault("extraPodSpec", {})
        if isinstance(extra, dict):
            extra["mainContainer"] = {**part(extra, "mainContainer"), "image": workers_image}
    if service.get("componentType") == PLANNER:
        for key in ("command", "args"):
            if isinstance(main.get(key), list):
                main[key] = without_namespace(main[key])


def _with_renamed_config_maps(value: Any, renamed: dict[str, str], field: str = "") -> Any:
    if isinstance(value, list):
        return [_with_renamed_config_maps(item, renamed) for item in value]
    if not isinstance(value, dict):
        return value
    copy = {key: _with_renamed_config_maps(item, renamed, key) for key, item in value.items()}
    name = copy.get("name")
    if field in _REFERENCES and isinstance(name, str) and name in renamed:
        copy["name"] = renamed[name]
    return copy


def _check_metadata(graph: Object) -> None:
    """The status holds the graph, and the API server refuses a status with wrong labels: for ever."""
    metadata = graph["metadata"]
    found = labels.faults("metadata.labels", _strings(metadata, "labels"))
    found += labels.annotation_faults("metadata.annotations", _strings(metadata, "annotations"))
    if found:
        problems = ". ".join(map(str, found))
        raise UnusableOutput(INVALID, f"the DynamoGraphDeployment in the profiler's output: {problems}")


def _check_config_map(config_map: Object) -> None:
    """One that the API server refuses would keep everything else of its namespace from being made."""
    whose = f"ConfigMap {_name(config_map)} of the profiler's output"
    if not names.is_object_name(_name(config_map)):
        raise UnusableOutput(INVALID, f"{whose} has no name that a ConfigMap may have")
    binary = part(config_map, "binaryData")
    for key in (*part(config_map, "data"), *binary):
        if not _DATA_KEY.fullmatch(key):
            problem = f"has the key {shown(key)}, and only letters, digits, '-', '_' and '.' are allowed"
            raise UnusableOutput(INVALID, f"{whose} {problem}")
    for key, value in binary.items():
        try:
            base64.b64decode(value, validate=True)
        except (binascii.Error, TypeError, ValueError):
            raise UnusableOutput(INVALID, f"{whose}: binaryData[{key}] is not base64") from None


def _strings(metadata: Object, key: str) -> dict[str, str]:
    for name, value in part(metadata, key).items():
        if not isinstance(value, str):
            problem = f"metadata.{key}[{name}] is {value!r}; it must be a string"
            raise UnusableOutput(INVALID, f"the DynamoGraphDeployment in the profiler's output: {problem}")
    return part(metadata, key)


def _services(spec: Any) -> Iterator[Object]:
    services = spec.get("services") if isinstance(spec, dict) else None
    if isinstance(services, dict):
        yield from (service for service in services.values() if isinstance(service, dict))


def _is_config_map(item: Any) -> bool:
    return _kind(item) == CONFIG_MAP.kind and item.get("apiVersion") == CONFIG_MAP.api_version


def _kind(item: Any) -> str:
    return str(item.get("kind", "an object without kind")) if isinstance(item, dict) else "something that is no object"


def _name(item: Any) -> str:
    return str(part(item, "metadata").get("name", "")) if isinstance(item, dict) else ""
