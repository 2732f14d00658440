import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from hooks.cli import main
from tests import published

MANIFESTS = sorted((Path(__file__).parent.parent / "manifests").glob("*.yaml"))
EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))


def render(*arguments, **options):
    return CliRunner().invoke(main, ["render", *arguments], **options)


@pytest.mark.parametrize("path", MANIFESTS + EXAMPLES, ids=lambda path: path.stem)
def test_a_real_manifest_becomes_valid_kubernetes_objects(path):
    result = render("-f", str(path))
    assert result.exit_code == 0, result.stderr
    expected = ("is taken as there", ".pvc counts for", "mpi-run-ssh-secret is not printed")
    assert all(any(words in said for words in expected) for said in result.stderr.splitlines())
    objects = list(yaml.safe_load_all(result.stdout))
    assert objects
    for item in objects:
        assert published.faults(item) in (None, [])


def test_json_is_one_list():
    result = render("-o", "json", "-f", str(MANIFESTS[0]))
    listed = json.loads(result.stdout)
    assert (listed["apiVersion"], listed["kind"]) == ("v1", "List")
    assert {"PersistentVolumeClaim", "DynamoComponentDeployment", "Deployment", "Service"} <= {
        item["kind"] for item in listed["items"]
    }


def test_objects_go_to_the_namespace_that_is_asked_for():
    result = render("-n", "inference", "-f", str(MANIFESTS[-1]))
    assert {item["metadata"]["namespace"] for item in yaml.safe_load_all(result.stdout)} == {"inference"}


def test_several_files_and_standard_input():
    piped = "{apiVersion: v1, kind: ConfigMap, metadata: {name: piped}}"
    result = render("-f", str(MANIFESTS[-1]), "-f", "-", "--no-namespace-objects", input=piped)
    assert list(yaml.safe_load_all(result.stdout))[-1]["metadata"]["name"] == "piped"


GRAPH = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g}
spec: {services: {A: %s}}
"""
POD = "{extraPodSpec: {mainContainer: {image: x}}"


@pytest.mark.parametrize(
    ("service", "said"),
    [
        ("replica: 2", "spec.services.A.replica counts for nothing, and kubectl refuses it; did you mean replicas?"),
        ("sharedmemory: {}", "sharedmemory counts for nothing, and kubectl refuses it; did you mean sharedMemory?"),
        ("pvc: {name: c}", "A.pvc counts for nothing, and kubectl refuses it; describe the claim under spec.pvcs and"),
        ("type: worker", "A.type counts for nothing, and kubectl refuses it; write it under componentType"),
        ("image: x", "A.image counts for nothing, and kubectl refuses it; write it under extraPodSpec.mainContainer"),
        (
            "nodeSelector: {a: b}",
            "nodeSelector counts for nothing, and kubectl refuses it; write it under extraPodSpec",
        ),
        ("resources: {limits: {nvidia.com/gpu: '1'}}", "limits.nvidia.com/gpu counts for nothing, and kubectl refuses"),
        ("livenessProbe: {httpget: {}}", "livenessProbe.httpget counts for nothing, and kubectl refuses it; did you"),
        ("zzz: 1", "spec.services.A.zzz counts for nothing, and kubectl refuses it\n"),
    ],
)
def test_an_unknown_field_is_warned_about_with_its_path_and_what_was_meant(service, said):
    result = render("-f", "-", input=GRAPH % f"{POD}, {service}}}")
    assert said in result.stderr


def test_what_a_condition_would_say_is_warned_about_once():
    typing_error = GRAPH % (POD + ", componentType: worke}")
    said = "spec.services.A.componentType: 'worke' gets the general defaults; did you mean worker?"
    assert render("-f", "-", input=typing_error).stderr == f"warning: DynamoGraphDeployment default/g: {said}\n"


def test_so_is_a_component_that_stands_alone():
    alone = (
        (GRAPH % "x")
        .replace("GraphDep", "ComponentDep")
        .replace("{services: {A: x}}", POD + ", componentType: Worker}")
    )
    said = "spec.componentType: 'Worker' gets the general defaults; did you mean worker?"
    assert render("-f", "-", input=alone).stderr == f"warning: DynamoComponentDeployment default/g: {said}\n"


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        ("specs: {}\nspec:", "unknown field specs counts for nothing, and kubectl refuses it; did you mean spec?"),
        ("Status: {}\nspec:", "unknown field Status counts for nothing, and kubectl refuses it; did you mean status?"),
    ],
)
def test_so_is_one_beside_the_spec(instead, said):
    assert said in render("-f", "-", input=(GRAPH % (POD + "}")).replace("spec:", instead)).stderr


def test_so_is_one_of_the_metadata():
    said = "unknown field metadata.label counts for nothing, and kubectl refuses it; did you mean labels?"
    assert said in render("-f", "-", input=(GRAPH % (POD + "}")).replace("name: g", "name: g, label: {a: b}")).stderr


@pytest.mark.parametrize(
    ("service", "words"),
    [
        (POD + ", replicas: two}", ["spec.services.A.replicas", "'two'", "write a whole number"]),
        (POD + ", volumeMounts: [{name: c, mountPath: /x}]}", ["volumeMounts[0].mountPoint", "is required", "add"]),
        (
            "{componentType: frontend}",
            ["spec.services.A.extraPodSpec.mainContainer.image", "is required", "add the image"],
        ),
        (
            POD + ", sharedMemory: {size: much}}",
            ["spec.services.A.sharedMemory.size", "'much'", "write one such as 16Gi"],
        ),
        (POD + ", autoscaling: {enabled: true}}", ["autoscaling.maxReplicas", "is required", "add it"]),
    ],
)
def test_an_invalid_spec_names_field_value_and_cure(service, words):
    result = render("-f", "-", input=GRAPH % service)
    assert result.exit_code == 1
    assert all(word in result.stderr for word in ["error: DynamoGraphDeployment default/g: ", *words]), result.stderr


@pytest.mark.parametrize(
    ("manifest", "words"),
    [
        ("a: b: c", "is not YAML"),
        ("", "no object is in -"),
        ("---\n", "no object is in -"),
        (GRAPH.replace("name: g", "name: My_Chat") % (POD + "}"), "metadata.name: 'My_Chat' must begin and end with"),
        (GRAPH.replace("name: g", "name: g, namespace: a.b") % (POD + "}"), "metadata.namespace: 'a.b' must begin and"),
        ("[1, 2]", "document 1: is no Kubernetes object"),
        ("{kind: Pod}", "document 1: apiVersion is missing"),
        ("{apiVersion: v1, kind: Pod}", "document 1: Pod: metadata.name is missing"),
    ],
)
def test_what_is_no_manifest_is_said_so(manifest, words):
    result = render("-f", "-", input=manifest)
    assert result.exit_code == 1
    assert words in result.stderr


@pytest.mark.parametrize(
    ("written", "instead", "warning"),
    [
        ("kind: DynamoGraphDeployment", "kind: DynamoGraphDeploment", "; did you mean DynamoGraphDeployment?"),
        ("nvidia.com/v1alpha1", "nvidia.com/v1", "since its apiVersion is nvidia.com/v1; write nvidia.com/v1alpha1"),
    ],
)
def test_what_looks_like_ours_and_is_not_is_printed_with_a_warning(written, instead, warning):
    result = render("-f", "-", input=(GRAPH % (POD + "}")).replace(written, instead))
    assert result.exit_code == 0
    assert [item["metadata"]["name"] for item in yaml.safe_load_all(result.stdout)] == ["g"]
    assert warning in result.stderr


def test_other_kinds_of_nvidia_pass_without_a_word():
    result = render("-f", "-", input="{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: gpus}}")
    assert (result.exit_code, result.stderr) == (0, "")


MODEL = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoModel
metadata: {name: %s}
spec: {modelName: a, baseModelName: b}
"""


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (MODEL % "m", "nothing is printed: DynamoModel default/m becomes no object\n"),
        (
            "---\n".join(MODEL % name for name in "mn"),
            "nothing is printed: DynamoModel default/m, DynamoModel default/n become no object\n",
        ),
    ],
)
def test_what_becomes_no_object_is_said_so(manifest, said):
    result = render("-f", "-", input=manifest)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"warning: {said}")


def test_a_model_beside_what_becomes_one_passes_without_a_word():
    result = render("-f", "-", input=f"{MODEL % 'm'}---\n{GRAPH % (POD + '}')}")
    assert (result.exit_code, result.stderr) == (0, "")


def test_a_missing_file_is_said_so():
    result = render("-f", "no-such-file.yaml")
    assert result.exit_code == 1
    assert "no-such-file.yaml: No such file" in result.stderr


REQUEST = next(path for path in MANIFESTS if path.stem.endswith("profile_sla_dgdr"))
OUTPUT = Path(__file__).parents[1] / "profiling" / "config_with_planner.yaml"


def test_a_request_becomes_its_job():
    result = render("-f", str(REQUEST), "--no-namespace-objects")
    (job,) = yaml.safe_load_all(result.stdout)
    assert (job["kind"], job["metadata"]["name"]) == ("Job", "profile-sla-online")


def test_a_request_with_a_profilers_output_becomes_the_graph_that_comes_out():
    result = render("-f", str(REQUEST), "--profile-output", str(OUTPUT))
    assert result.exit_code == 0, result.stderr
    objects = list(yaml.safe_load_all(result.stdout))
    assert [(item["kind"], item["metadata"]["name"]) for item in objects[:3]] == [
        ("ConfigMap", "sla-online-planner-profile-data"),
        ("DynamoGraphDeployment", "sla-online"),
        ("DynamoComponentDeployment", "sla-online-frontend"),
    ]
    workers = [item for item in objects if item["kind"] == "Deployment" and "worker" in item["metadata"]["name"]]
    assert [worker["spec"]["template"]["spec"]["containers"][0]["image"] for worker in workers] == [
        "nvcr.io/nvidia/ai-dynamo/vllm-runtime:my-tag",
        "nvcr.io/nvidia/ai-dynamo/vllm-runtime:my-tag",
    ]


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("a: [", "the profiler's output is not YAML that can be used"),
        ("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}", "holds no DynamoGraphDeployment"),
        (
            "{apiVersion: nvidia.com/v1alpha1, kind: DynamoGraphDeployment, metadata: {name: x}, spec: {services: 5}}",
            "spec.services: has the value 5",
        ),
    ],
)
def test_an_output_that_cannot_be_used_is_an_error(output, problem):
    result = render("-f", str(REQUEST), "--profile-output", "-", input=output)
    assert result.exit_code == 1
    assert problem in result.stderr


def test_an_invalid_request_is_an_error_with_an_output_and_without(tmp_path):
    manifest = tmp_path / "request.yaml"
    manifest.write_text(REQUEST.read_text().replace("backend: vllm", "backend: other"))
    for more in ([], ["--profile-output", str(OUTPUT)]):
        result = render("-f", str(manifest), *more)
        assert result.exit_code == 1
        assert "spec.backend: has the value 'other'" in result.stderr


def test_what_is_not_made_of_an_output_is_warned_about():
    output = OUTPUT.read_text() + "\n---\n{apiVersion: v1, kind: Secret, metadata: {name: token}}"
    result = render("-f", str(REQUEST), "--profile-output", "-", input=output)
    assert "Secret token of the output is not made" in result.stderr


def test_what_nobody_knows_in_an_output_is_warned_about():
    output = OUTPUT.read_text().replace("      replicas:", "      replica:")
    result = render("-f", str(REQUEST), "--profile-output", "-", input=output)
    assert "DynamoGraphDeployment default/sla-online: unknown field spec.services." in result.stderr
    assert "did you mean replicas?" in result.stderr


CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "models"},
    "spec": {"accessModes": ["ReadWriteMany"], "resources": {"requests": {"storage": "1Gi"}}},
}


@pytest.mark.parametrize(
    ("namespace", "said"),
    [(None, False), ("default", False), ("other", True)],
    ids=["in the same namespace", "in the same namespace, named", "in another one"],
)
def test_a_claim_that_the_manifest_has_is_not_taken_as_there(namespace, said):
    service = {
        "volumeMounts": [{"name": "models", "mountPoint": "/models"}],
        "extraPodSpec": {"mainContainer": {"image": "registry.example.com/runtime:1"}},
    }
    graph = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeployment",
        "metadata": {"name": "g"},
        "spec": {"services": {"A": service}},
    }
    metadata = {**CLAIM["metadata"], **({"namespace": namespace} if namespace else {})}
    for documents in ([graph, {**CLAIM, "metadata": metadata}], [{**CLAIM, "metadata": metadata}, graph]):
        result = render("-f", "-", input=yaml.safe_dump_all(documents))
        assert result.exit_code == 0, result.stderr
        assert ("claim models is taken as there" in result.stderr) == said
