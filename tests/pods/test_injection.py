"""No value of a custom resource but the user's own command is ever run: what is planted makes a file where it is.

What becomes of each resource is run as a kubelet and a real shell would run it.
"""

import itertools
import re
from functools import cache

import pytest

from hooks.controllers.registry import controllers
from hooks.kinds import COMPONENT_DEPLOYMENT, GRAPH_DEPLOYMENT, GRAPH_DEPLOYMENT_REQUEST
from hooks.pods.command import CommandLine
from hooks.protocol import read_sync
from hooks.settings import Settings
from tests.asked import IMAGE, parent_of
from tests.golden_cases import NOW
from tests.pods.harness import SHELLS, Container
from tests.pods.planting import planted, spec_schema, string_places

SETTINGS = Settings(nats_address="nats://n:4222", etcd_address="http://e:2379")
PAYLOADS = (
    *("a[$({run})]", "'; {run}; '", '"; {run}; "', "x\n{run}\n#", "`{run}`;{run} #", "'$({run})'", '"$({run})"'),
    "-oProxyCommand={run}.x",
)
SHELL = ("/bin/sh", "-c")
BASH = ("bash", "-c")


def component(*words, shell=None, nodes=2, **more):
    """A component that calls an engine, directly or in a shell."""
    line = {"command": [*shell], "args": [" ".join(words)]} if shell else {"command": [*words]} if words else {}
    spreads = {"multinode": {"nodeCount": nodes}} if nodes > 1 else {}
    return {
        "componentType": "worker",
        "resources": {"limits": {"gpu": "8"}},
        "extraPodSpec": {"mainContainer": {"image": IMAGE, **line}},
        **spreads,
        **more,
    }


def engine(backend, *flags, **more):
    return component("python3", "-m", f"dynamo.{backend}", "--model", "m", *flags, backendFramework=backend, **more)


RAY, RANKS = ("--tensor-parallel-size", "16"), ("--tensor-parallel-size", "8", "--data-parallel-size", "2")
CACHE = [{"name": "cache", "useAsCompilationCache": True}]
SHAPES = {
    "frontend": component(nodes=1) | {"componentType": "frontend"},
    "planner": component("python3", "-m", "planner", nodes=1) | {"componentType": "planner"},
    "one node": engine("vllm", nodes=1, volumeMounts=CACHE),
    "Ray": engine("vllm", *RAY),
    "Ray in a shell": engine("vllm", *RAY, shell=SHELL),
    "ranks": engine("vllm", *RANKS),
    "ranks in a shell": engine("vllm", *RANKS, shell=BASH),
    "SGLang": engine("sglang"),
    "SGLang in a shell": engine("sglang", shell=SHELL),
    "TensorRT-LLM": engine("trtllm"),
    "TensorRT-LLM in a shell": engine("trtllm", shell=BASH),
    "TensorRT-LLM in a shell behind a wrapper": component(
        "env A=b python3 -m dynamo.trtllm", shell=SHELL, backendFramework="trtllm"
    ),
}
"""Components, one for each way in which something is done with a command."""
REQUEST = {
    "model": "Qwen/Qwen3-0.6B",
    "backend": "vllm",
    "autoApply": True,
    "enableGpuDiscovery": True,
    "profilingConfig": {"profilerImage": IMAGE, "config": {"sla": {"isl": 3000}}, "configMapRef": {"name": "base"}},
}

VALID = {
    COMPONENT_DEPLOYMENT.kind: SHAPES["one node"],
    GRAPH_DEPLOYMENT.kind: {"services": {"key": component(nodes=1)}},
    GRAPH_DEPLOYMENT_REQUEST.kind: REQUEST,
}
"""A spec of each kind."""


def answer_to(parent):
    controller = next(each for each in controllers().values() if each.parent.kind == parent["kind"])
    return controller.sync(read_sync({"parent": parent}, controller.parent), SETTINGS, NOW).body()


def made_of(parent):
    """Everything that becomes of a resource, down to the pods."""
    for child in answer_to(parent)["children"]:
        yield child
        if child["kind"] == COMPONENT_DEPLOYMENT.kind:
            child["metadata"]["uid"] = "uid-of-component"
            yield from made_of(child)


def containers_of(parent):
    """The containers of all pods that become of a resource, each with the index of its pod in its group."""
    for item in made_of(parent):
        spec = item.get("spec", {})
        group = spec.get("leaderWorkerTemplate", {})
        templates = [spec.get("template"), group.get("leaderTemplate"), group.get("workerTemplate")]
        for index, template in enumerate(filter(None, templates)):
            for container in template["spec"]["containers"]:
                yield index, container


def probes_of(container):
    """What a kubelet runs in a container besides its command; it fills nothing in there."""
    for field in ("livenessProbe", "readinessProbe", "startupProbe"):
        words = container.get(field, {}).get("exec", {}).get("command", ())
        yield CommandLine(tuple(word.replace("$", "$$") for word in words))


class Traps:
    """Runs what a container runs, each thing once, and sees whether that makes a file."""

    def __init__(self, folder):
        self.file = folder / "trapped"
        self.containers = {shell: Container(folder / shell, shell) for shell in SHELLS}
        self.seen = set()

    def text(self, payload):
        return payload.format(run=f"touch {self.file}")

    def sprung_by(self, parent):
        """The command lines with a shell and a planted text, in a command or a variable, that run the text."""
        for index, container in containers_of(parent):
            line = CommandLine(tuple(container.get("command", ())), tuple(container.get("args", ())))
            env = {entry["name"]: entry.get("value", "") for entry in container.get("env", ())}
            for each in (line, *probes_of(container)):
                key = (each.words, tuple(env.items()))
                if each.script is not None and key not in self.seen and self.file.name in str(key):
                    self.seen.add(key)
                    yield from (each.words for shell in SHELLS if self.is_sprung(shell, each, env, index))

    def is_sprung(self, shell, line, env, index):
        self.containers[shell].run(line, env, index=index)
        sprung = self.file.exists()
        self.file.unlink(missing_ok=True)
        return sprung


def is_refused(parent):
    return any(condition["reason"] == "InvalidSpec" for condition in answer_to(parent)["status"]["conditions"])


def valid_parts(parent_with, groups):
    """Groups of places, as large as they can be, in all of which the text may stand."""
    open_groups = [group for group in groups if group]
    while open_groups:
        group = open_groups.pop()
        if not is_refused(parent_with(group)):
            yield group
        elif len(group) > 1:
            open_groups += [group[: len(group) // 2], group[len(group) // 2 :]]


@pytest.fixture(scope="module")
def traps(tmp_path_factory):
    return Traps(tmp_path_factory.mktemp("traps"))


def planted_in(kind, spec, text):
    """A function that gives a resource with the text in a group of places of its spec."""
    schema = spec_schema(kind.plural)
    return lambda group: parent_of(kind, "g", planted(spec, schema, group, text))


@cache
def groups_of(kind, text):
    """The places of a kind's spec that take a text, in groups."""
    places = list(string_places(spec_schema(kind.plural)))
    groups = list(valid_parts(planted_in(kind, VALID[kind.kind], text), [places]))
    free = [place for group in groups if len(group) > 1 for place in group]
    assert len(free) > 1
    return free, *(group for group in groups if len(group) == 1)


def sprung_in(traps, kind, spec):
    """What runs any of the texts, planted everywhere in a spec."""
    assert not is_refused(parent_of(kind, "g", spec)), answer_to(parent_of(kind, "g", spec))["status"]
    found = []
    for payload in PAYLOADS:
        text = traps.text(payload)
        parent_with = planted_in(kind, spec, text)
        for group in valid_parts(parent_with, groups_of(kind, text)):
            found += traps.sprung_by(parent_with(group))
    return found


@pytest.mark.parametrize("shape", SHAPES)
def test_no_field_of_a_component_is_run(shape, traps):
    assert sprung_in(traps, COMPONENT_DEPLOYMENT, SHAPES[shape]) == []


@pytest.mark.parametrize("shape", ["Ray in a shell", "TensorRT-LLM"])
def test_no_field_of_a_graph_is_run(shape, traps):
    framework = SHAPES[shape]["backendFramework"]
    service = {key: value for key, value in SHAPES[shape].items() if key != "backendFramework"}
    assert sprung_in(traps, GRAPH_DEPLOYMENT, {"backendFramework": framework, "services": {"key": service}}) == []


def test_a_profiling_job_has_no_shell(traps):
    text = traps.text(PAYLOADS[0])
    parent_with, groups = planted_in(GRAPH_DEPLOYMENT_REQUEST, REQUEST, text), groups_of(GRAPH_DEPLOYMENT_REQUEST, text)
    containers = [container for group in groups for _, container in containers_of(parent_with(group))]
    assert traps.file.name in str(containers)
    for container in containers:
        assert CommandLine(tuple(container["command"]), tuple(container["args"])).script is None


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_name_of_a_component_is_run(shape, payload, traps):
    text = traps.text(payload)
    owner = {"kind": "DynamoGraphDeployment", "name": text, "uid": text, "controller": True}
    odd = {"annotations": {"a": text, text: text}, "ownerReferences": [owner]}
    names = {"name": text, "namespace": text, "uid": text, "labels": {"nvidia.com/dynamo-graph-deployment-name": text}}
    for metadata in (odd, *({**odd, key: value} for key, value in names.items())):
        parent = parent_of(COMPONENT_DEPLOYMENT, "g", SHAPES[shape])
        parent["metadata"] |= metadata
        assert list(traps.sprung_by(parent)) == []


MENTIONED = re.compile(r"\$\$?\(([^)]*)\)|\$\{?([A-Za-z_]\w*)|\b(LWS_\w+)")
"""What a script mentions that may be the name of a variable: to the kubelet, or to the shell."""


@pytest.mark.parametrize("shape", SHAPES)
def test_no_variable_that_a_script_mentions_is_run(shape, traps):
    """Whatever a variable is called that somebody sets: even `mktemp -d` is the name of one (Kubernetes 1.34)."""
    spec = SHAPES[shape]
    for _, container in containers_of(parent_of(COMPONENT_DEPLOYMENT, "g", spec)):
        words = [*container.get("command", ()), *container.get("args", ())]
        words += [word for line in probes_of(container) for word in line.words]
        names = {name for word in words for found in MENTIONED.findall(word) for name in found if name}
        for name, payload in itertools.product(sorted(names), PAYLOADS):
            envs = [{"name": name, "value": traps.text(payload)}]
            sprung = list(traps.sprung_by(parent_of(COMPONENT_DEPLOYMENT, "g", {**spec, "envs": envs})))
            assert sprung == [], name


@pytest.mark.parametrize("payload", PAYLOADS)
@pytest.mark.parametrize("shape", SHAPES)
def test_no_name_of_a_variable_is_run(shape, payload, traps):
    envs = [{"name": "$(A b)", "value": "x"}, {"name": "A b", "value": traps.text(payload)}]
    envs += [{"name": traps.text(payload).replace("\n", ";").replace("=", " "), "value": "x"}]
    parent = parent_of(COMPONENT_DEPLOYMENT, "g", {**SHAPES[shape], "envs": envs})
    assert not is_refused(parent)
    assert list(traps.sprung_by(parent)) == []
