"""What belongs to the namespaces of a manifest's objects, as `render` prints it."""

import pytest
import yaml
from click.testing import CliRunner

from hooks.cli import main

HEAD = "apiVersion: nvidia.com/v1alpha1\nkind: %s\nmetadata: {name: g%s}\nspec: "
GRAPH = HEAD % ("DynamoGraphDeployment", "%s") + "{services: {A: {extraPodSpec: {mainContainer: {image: x}}%s}}}\n"
COMPONENT = HEAD % ("DynamoComponentDeployment", "") + "{extraPodSpec: {mainContainer: {image: x}}}\n"
REQUEST = (
    HEAD % ("DynamoGraphDeploymentRequest", "")
    + "{model: m, backend: vllm, profilingConfig: {profilerImage: x}, enableGpuDiscovery: true}\n"
)
MPI = ", componentType: worker, multinode: {}, resources: {limits: {gpu: '1'}}"
TRTLLM = GRAPH % ("", MPI)
TRTLLM = TRTLLM.replace("image: x", "image: x, command: [python3, -m, dynamo.trtllm]")
PLANNER = ["ServiceAccount planner-serviceaccount", "RoleBinding planner-serviceaccount-binding"]
PROFILER = ["ServiceAccount dgdr-profiling-job", "RoleBinding dgdr-profiling-job-binding"]


def rendered(manifest, *arguments):
    """The objects by namespace, and what is said on standard error."""
    result = CliRunner().invoke(main, ["render", "-f", "-", *arguments], input=manifest)
    assert result.exit_code == 0, result.stderr
    objects = list(yaml.safe_load_all(result.stdout))
    return [f"{item['kind']} {item['metadata']['name']}" for item in objects], result.stderr, objects


@pytest.mark.parametrize(
    ("manifest", "made"),
    [
        pytest.param(GRAPH % ("", ""), PLANNER, id="graph"),
        pytest.param(COMPONENT, PLANNER, id="component"),
        pytest.param(REQUEST, [*PROFILER, "ClusterRoleBinding dgdr-profiling-job-default"], id="request"),
        pytest.param(
            GRAPH % ("", ", modelRef: {name: m}"), [*PLANNER, "Service dynamo-model-62c66a7a"], id="model reference"
        ),
        pytest.param(f"{GRAPH % ('', '')}---\n{COMPONENT}", PLANNER, id="several resources"),
    ],
)
def test_it_comes_last_and_once(manifest, made):
    names, said, _ = rendered(manifest)
    assert names[-len(made) :] == made
    assert names[: -len(made)] == rendered(manifest, "--no-namespace-objects")[0]
    assert said == ""


def test_each_namespace_has_its_own():
    objects = rendered(f"{GRAPH % (', namespace: a', '')}---\n{GRAPH % ('', '')}", "-n", "b")[2]
    accounts = [item["metadata"]["namespace"] for item in objects if item["kind"] == "ServiceAccount"]
    assert accounts == ["a", "b"]


def test_an_account_that_the_manifest_brings_is_used_as_it_is():
    own = "{apiVersion: v1, kind: ServiceAccount, metadata: {name: planner-serviceaccount}}"
    names = rendered(f"{GRAPH % ('', '')}---\n{own}")[0]
    assert names.count("ServiceAccount planner-serviceaccount") == 1


def test_a_key_is_never_printed():
    names, said, _ = rendered(TRTLLM)
    assert not [name for name in names if name.startswith("Secret")]
    assert (
        said == "warning: Secret default/mpi-run-ssh-secret is not printed; a cluster makes it with keys of its own\n"
    )


def test_what_stands_twice_is_rendered_once_as_it_stands_last():
    first, last = GRAPH % ("", ", replicas: 1"), GRAPH % ("", ", replicas: 2")
    names, said, objects = rendered(f"{first}---\n{last}")
    assert names.count("Deployment g-a") == 1
    assert next(item for item in objects if item["kind"] == "Deployment")["spec"]["replicas"] == 2
    assert said == (
        "warning: document 1 counts for nothing: DynamoGraphDeployment default/g stands once more in document 2; leave "
        "one of them out\n"
    )


@pytest.mark.parametrize(
    "other",
    [
        GRAPH % (", namespace: other", ""),
        (GRAPH % ("", "")).replace("name: g", "name: h"),
        "{apiVersion: v1, kind: ConfigMap, metadata: {name: g}}",
    ],
)
def test_another_namespace_name_or_kind_is_another_object(other):
    assert "counts for nothing" not in rendered(f"{GRAPH % ('', '')}---\n{other}")[1]


def test_simulate_applies_both_and_says_so():
    manifest = f"{GRAPH % ('', ', replicas: 1')}---\n{GRAPH % ('', ', replicas: 2')}"
    result = CliRunner().invoke(main, ["simulate", "-f", "-", "-o", "json"], input=manifest)
    assert "warning: DynamoGraphDeployment default/g stands more than once; the last one counts\n" in result.stderr
