"""What the API server would refuse: `render` and `simulate` refuse the same manifests, with the same lines."""

import pytest

from hooks.cli import render
from tests.cli.commands import invoked, run

GRAPH = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: g%s}
spec: %s
"""
SERVICE = "{services: {A: {extraPodSpec: {mainContainer: {image: x}}, %s}}}"
MODEL = "{apiVersion: nvidia.com/v1alpha1, kind: DynamoModel, metadata: {name: m}, spec: %s}"


@pytest.mark.parametrize(
    ("manifest", "faults"),
    [
        pytest.param(
            GRAPH % ("", SERVICE % "replicas: two"),
            ["spec.services.A.replicas: has the value 'two'; write a whole number, without quotes"],
            id="a type",
        ),
        pytest.param(
            GRAPH % ("", SERVICE % "volumeMounts: [{name: c}], autoscaling: {enabled: true}"),
            [
                (
                    "spec.services.A.autoscaling.maxReplicas: is required when autoscaling is enabled; add it, or set "
                    "enabled to false"
                ),
                (
                    "spec.services.A.volumeMounts[0].mountPoint: is required; add the path in the container (a "
                    "service's volumeMounts have no mountPath)"
                ),
            ],
            id="rules",
        ),
        pytest.param(
            GRAPH % ("", SERVICE % "replicas: -1, livenessProbe: {httpGet: {path: /}, timeoutSeconds: x}"),
            [
                "spec.services.A.replicas: has the value -1; it should be greater than or equal to 0",
                "spec.services.A.livenessProbe.httpGet.port: Required value",
                (
                    'spec.services.A.livenessProbe.timeoutSeconds: Invalid value: "string": '
                    'spec.services.A.livenessProbe.timeoutSeconds in body must be of type integer: "string"'
                ),
            ],
            id="what the hooks leave to the API server",
        ),
        pytest.param(
            GRAPH % ("", "{pvcs: [{name: c}, {name: c}]}"),
            [
                (
                    "spec.pvcs[1].name: has the value 'c', as pvcs[0] has; leave one of the two out; several services "
                    "can mount the same claim"
                )
            ],
            id="a key twice",
        ),
        pytest.param(
            GRAPH % (", labels: {a: b c}", "{services: {}}"),
            ['metadata.labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric'],
            id="a label",
        ),
        pytest.param(
            GRAPH % (", namespace: a.b", "{services: {}}"),
            ["metadata.namespace: 'a.b' must begin and end with a letter or digit and have only a-z, 0-9 and '-'"],
            id="a namespace",
        ),
        pytest.param(
            GRAPH % (", labels: [a]", "{services: {}}"),
            ["metadata.labels: must be an object of strings"],
            id="metadata",
        ),
        pytest.param(
            MODEL % "{modelName: a, baseModelName: b, modelType: lora}",
            [
                (
                    "spec.source: is required where modelType is lora; write s3://bucket/path or "
                    "hf://organization/model, if need be with @revision"
                )
            ],
            id="a model",
        ),
    ],
)
def test_both_refuse_the_same_with_the_same_lines(manifest, faults):
    code, rendered = run("render", manifest)
    assert code == 1
    assert run("simulate", manifest) == (2, rendered)
    kind = "DynamoModel default/m" if "DynamoModel" in manifest else "DynamoGraphDeployment "
    assert len(rendered) == len(faults)
    for line, fault in zip(rendered, faults, strict=True):
        assert line.startswith(f"error: {kind}")
        assert fault in line


def test_what_the_hooks_alone_find_is_no_refusal():
    manifest = GRAPH % ("", "{services: {Worker: {}, worker: {}}}")
    code, rendered = run("render", manifest)
    assert code == 1
    assert "the name 'g-worker' is that of service Worker too; rename one of the two" in rendered[0]
    assert run("simulate", manifest)[0] == 1  # the cluster takes it, and the graph fails


def test_a_refused_object_becomes_nothing_and_the_faults_of_its_components_are_told_as_well():
    manifest = GRAPH % ("", "{services: {A: {livenessProbe: {timeoutSeconds: x, exec: {command: [a]}}}}}")
    result = invoked("render", manifest)
    assert (result.exit_code, result.stdout) == (1, "")
    assert [line.split(": ")[1:3] for line in result.stderr.splitlines()] == [
        ["DynamoGraphDeployment default/g", "spec.services.A.extraPodSpec.mainContainer.image"],
        ["DynamoGraphDeployment default/g", "spec.services.A.livenessProbe.timeoutSeconds"],
    ]
    assert run("simulate", manifest) == (2, result.stderr.splitlines())


def test_what_both_find_in_a_service_is_told_once_in_our_words():
    code, rendered = run("render", GRAPH % ("", SERVICE % "sharedMemory: {size: much}"))
    said = "spec.services.A.sharedMemory.size: 'much' is no amount; write one such as 16Gi"
    assert (code, rendered) == (1, [f"error: DynamoGraphDeployment default/g: {said}"])


def test_a_component_that_comes_from_no_graph_is_told_by_its_own_name():
    rendered = run("render", (GRAPH % ("", "{}")).replace("GraphDep", "ComponentDep"))[1]
    said = "spec.extraPodSpec.mainContainer.image: is required; add the image to run"
    assert rendered == [f"error: DynamoComponentDeployment default/g: {said}"]


def test_a_misspelt_field_is_told_beside_the_fault_that_it_leads_to():
    manifest = GRAPH % ("", SERVICE % "volumeMounts: [{name: c, mountpoint: /c}]")
    code, rendered = run("render", manifest)
    assert code == 1
    assert rendered[0].endswith("did you mean mountPoint?")
    assert run("simulate", manifest) == (2, rendered)


def test_without_the_packages_that_know_the_hooks_judge_alone(monkeypatch):
    monkeypatch.setattr(render, "find_spec", lambda name: None if name == "cel" else name)
    code, rendered = run("render", GRAPH % ("", SERVICE % "livenessProbe: {httpGet: {}}"))
    assert code == 0
    assert rendered == [
        "warning: without cel, what only the API server knows of is not checked; install dynamo-hooks[simulate]"
    ]


def test_several_faults_of_another_kind_stand_in_lines_too():
    manifest = "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {ports: [{port: 0}, {port: 70000}]}}"
    code, said = run("simulate", manifest)
    assert code == 2
    assert said[0] == 'Error from server (Invalid): Service "s" is invalid:'
    assert len(said) > 2
    assert all(line.startswith("* spec.ports[") for line in said[1:])
