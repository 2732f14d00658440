import io
import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from rich.console import Console

from hooks.cli import main
from hooks.cli.simulate_view import LiveTable
from hooks.simulator.simulation import Step

MANIFESTS = Path(__file__).parent.parent / "manifests"
DISAGGREGATED = str(MANIFESTS / "vllm--disagg.yaml")
WITH_CLAIM = str(MANIFESTS / "recipes--llama-3-70b--vllm--agg--deploy.yaml")


def simulate(*arguments, **options):
    return CliRunner().invoke(main, ["simulate", *arguments], **options)


def block(text, command):
    """The lines that stand below a command in the output."""
    return text.split(f"$ kubectl get {command}\n")[1].split("\n\n")[0].splitlines()


def test_a_real_manifest_becomes_ready_and_the_way_there_is_shown():
    result = simulate("-f", DISAGGREGATED)
    assert result.exit_code == 0, result.output
    way = result.stdout.split("$ kubectl")[0].splitlines()
    graph = [line for line in way if "DynamoGraphDeployment" in line]
    assert "Ready=False (some_resources_are_not_ready)" in graph[0]
    assert graph[-1].endswith("DynamoGraphDeployment default/vllm-disagg: Ready=True (all_resources_are_ready)")
    assert block(result.stdout, "dynamographdeployments") == [
        "NAME          READY   STATE        BACKEND   AGE",
        "vllm-disagg   True    successful             65s",
    ]
    assert block(result.stdout, "deployments")[1].split() == ["vllm-disagg-frontend", "1/1", "1", "1", "65s"]
    assert "note: taken as there: Secret default/hf-token-secret" in result.stdout


def test_a_failure_shows_where_and_why_it_stops():
    result = simulate("-f", DISAGGREGATED, "--fail", "deploy/vllm-disagg-vllmdecodeworker=ImagePullBackOff")
    assert result.exit_code == 1
    pods = {line.split()[0].rsplit("-", 2)[0]: line.split()[2] for line in block(result.stdout, "pods")[1:]}
    assert pods["vllm-disagg-vllmdecodeworker"] == "ImagePullBackOff"
    assert pods["vllm-disagg-frontend"] == "Running"
    assert "Warning BackOff Pod/vllm-disagg-vllmdecodeworker" in result.stdout
    assert "DynamoGraphDeployment default/vllm-disagg is not ready" in result.stdout
    assert "ProgressDeadlineExceeded" in result.stdout


MAIN = {"mainContainer": {"image": "x"}}
WORKER = {"componentType": "worker", "modelRef": {"name": "acme/base"}, "extraPodSpec": MAIN}


def resource(kind, name, namespace=None, **spec):
    metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
    return {"apiVersion": "nvidia.com/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


def graph(name="g", namespace=None, **services):
    return resource("DynamoGraphDeployment", name, namespace, services=services or {"Worker": WORKER})


def simulated(*arguments, resources):
    return simulate("-f", "-", *arguments, input=yaml.dump_all(resources))


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"modelType": "base"}, "EndpointsReady=True (EndpointsDiscovered)"),
        ({"modelType": "lora", "source": {"uri": "s3://acme/lora"}}, "EndpointsReady=True (AllEndpointsReady)"),
    ],
)
def test_a_model_is_ready_with_the_workers_that_serve_it(more, said):
    model = resource("DynamoModel", "m", modelName="m", baseModelName="acme/base", **more)
    result = simulated(resources=[graph(), model])
    assert result.exit_code == 0, result.output
    assert f"DynamoModel default/m: {said}" in result.stdout


def test_a_model_that_nothing_serves_is_not_ready_and_says_why():
    result = simulated(resources=[resource("DynamoModel", "m", modelName="m", baseModelName="acme/other")])
    assert result.exit_code == 1
    assert "DynamoModel default/m is not ready: EndpointsReady=False (NoEndpoints): no pod" in result.stdout


def settings_file(folder, **restriction):
    path = folder / "settings.yaml"
    path.write_text(yaml.dump({"namespaceRestriction": {"enabled": True, **restriction}}))
    return str(path)


def test_an_installation_for_chosen_namespaces_leaves_others_alone(tmp_path):
    settings = settings_file(tmp_path, installation="a", namespaces=["team-a", "team-b"])
    result = simulated("--settings", settings, resources=[graph(namespace="team-a"), graph("h", namespace="other")])
    assert result.exit_code == 1
    assert "DynamoGraphDeployment team-a/g: Ready=True" in result.stdout
    assert "DynamoGraphDeployment other/h is not ready: created" in result.stdout
    assert "other/h-worker" not in result.stdout
    assert (
        "note: DynamoGraphDeployment other/h is left alone: namespaceRestriction.namespaces names the namespaces "
        "team-a, team-b\n"
    ) in result.stdout


def test_an_installation_for_chosen_namespaces_without_a_name_looks_after_nothing(tmp_path):
    result = simulated("--settings", settings_file(tmp_path, namespaces=["default"]), resources=[graph()])
    assert result.exit_code == 1
    assert "note: this installation looks after nothing: the setting namespaceRestriction.installation" in result.stdout


def test_missing_claims_are_waited_for_and_the_option_is_named():
    result = simulate("-f", WITH_CLAIM)
    assert result.exit_code == 1
    assert "waits for PersistentVolumeClaims default/model-cache; --assume-claims takes them as there" in result.stdout
    assert simulate("-f", WITH_CLAIM, "--assume-claims").exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--until", "Ready"], 0),
        (["--until", "dgd/vllm-disagg:Ready"], 0),
        (["--until", "dgd/vllm-disagg:state=successful"], 0),
        (["--until", "dcd/vllm-disagg-frontend:Available"], 0),
        (["--until", "dgd/vllm-disagg:Ready=False"], 0),
        (["--until", "Ready", "--for", "10s"], 1),
        (["--for", "10s"], 1),
        (["--for", "2m"], 0),
        (["--seed", "7"], 0),
    ],
)
def test_how_it_ends(arguments, code):
    result = simulate("-f", DISAGGREGATED, *arguments)
    assert result.exit_code == code, result.output


@pytest.mark.parametrize(
    ("until", "code"),
    [("dm/m:EndpointsReady", 0), ("svc/g-worker:Ready", 1), ("hpa/g-worker:AbleToScale", 0), ("pvc/x:Ready", 2)],
)
def test_kinds_go_by_the_short_names_that_kubectl_takes(until, code):
    model = resource("DynamoModel", "m", modelName="m", baseModelName="acme/base")
    scaled = graph(Worker=WORKER | {"autoscaling": {"enabled": True, "minReplicas": 1, "maxReplicas": 2}})
    assert simulated("--until", until, "--for", "5m", resources=[model, scaled]).exit_code == code


def test_what_is_not_there_of_a_kind_that_is_is_told_before_anything_happens():
    result = simulate("-f", DISAGGREGATED, "--delete", "thing/x@1h")
    assert result.exit_code == 2
    assert result.stdout == ""


@pytest.mark.parametrize("namespace", [[], ["-n", "team-a"]])
@pytest.mark.parametrize(
    ("action", "said", "code"),
    [
        (["--scale", "dgd/g/Worker=2"], "Deployment team-a/g-worker: 2/2 ready", 0),
        (["--delete", "dgd/g"], "DynamoGraphDeployment team-a/g: gone", 0),
        (["--fail", "deploy/g-worker=Quota"], "Warning FailedCreate ReplicaSet/g-worker", 1),
        (["--until", "dgd/g:Ready"], "DynamoGraphDeployment team-a/g: Ready=True", 0),
    ],
)
def test_names_are_looked_for_where_the_manifests_go(namespace, action, said, code):
    result = simulated(*namespace, *action, resources=[graph(namespace="team-a")])
    assert result.exit_code == code, result.output
    assert said in result.stdout


def test_names_in_one_of_several_namespaces_are_looked_for_where_it_is_said():
    both = [graph(namespace="team-a"), graph(namespace="team-b")]
    result = simulated("--fail", "deploy/g-worker=ImagePullBackOff", "-n", "team-b", resources=both)
    assert "DynamoGraphDeployment team-a/g: Ready=True" in result.stdout
    assert "DynamoGraphDeployment team-b/g is not ready" in result.stdout
    lost = simulated("--delete", "dgd/g", resources=both)
    assert lost.exit_code == 2
    assert '"g" not found in namespace default (-n names another one)' in lost.stderr


def test_what_is_in_several_namespaces_is_told_apart():
    result = simulated(resources=[graph(namespace="team-a"), graph(namespace="team-b")])
    assert block(result.stdout, "dynamographdeployments --all-namespaces") == [
        "NAMESPACE   NAME   READY   STATE        BACKEND   AGE",
        "team-a      g      True    successful             5s",
        "team-b      g      True    successful             5s",
    ]
    events = result.stdout.split("Events:\n")[1]
    assert {f"Deployment team-{one}/g-worker: Scaled up" in events for one in "ab"} == {True}


def test_an_object_of_the_users_may_be_called_default_and_the_clusters_own_account_is_not_shown():
    result = simulated(resources=[graph("default", namespace="team-a")])
    assert block(result.stdout, "dynamographdeployments")[1].split()[0] == "default"
    assert "ServiceAccount team-a/default" not in result.stdout
    names = {line.split()[0] for line in block(result.stdout, "serviceaccounts")[1:]}
    assert names == {"planner-serviceaccount"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--for", "30s", "--delete", "dgd/g"],
            "--delete dgd/g was not reached: not all was at rest by then; give it a time, as in --delete dgd/g@10m",
        ),
        (["--for", "30m", "--delete", "dgd/g@1h"], "--delete dgd/g@1h was not reached: the end came before"),
    ],
)
def test_a_simulation_lasts_no_longer_than_it_is_told_and_says_what_it_did_not_reach(arguments, said):
    frontend = {"componentType": "frontend", "extraPodSpec": MAIN}
    result = simulated(*arguments, resources=[graph(Frontend=frontend)])
    assert result.exit_code == 1
    assert f"note: {said}\n" in result.stdout
    assert "gone" not in result.stdout
    assert block(result.stdout, "dynamographdeployments")[1].split()[-1] == arguments[1]


def test_what_was_not_reached_before_that_what_is_waited_for_came_is_only_said():
    result = simulate("-f", DISAGGREGATED, "--until", "Ready", "--delete", "dgd/vllm-disagg@1h")
    assert result.exit_code == 0
    assert "note: --delete dgd/vllm-disagg@1h was not reached" in result.stdout


def test_a_simulation_goes_on_for_a_day_after_the_last_action():
    result = simulated("--delete", "dgd/g@2d", resources=[graph()])
    assert result.exit_code == 0, result.output
    assert "48h0m0.1s  DynamoGraphDeployment default/g: gone" in result.stdout


def test_a_graph_is_scaled_and_deleted():
    result = simulate("-f", DISAGGREGATED, "--scale", "dgd/vllm-disagg/Frontend=3@5m", "--delete", "dgd/vllm-disagg@1h")
    assert result.exit_code == 0, result.output
    assert "Deployment default/vllm-disagg-frontend: 3/3 ready" in result.stdout
    assert "1h0m0.1s  DynamoGraphDeployment default/vllm-disagg: gone" in result.stdout
    assert "$ kubectl get deployments" not in result.stdout


def test_without_a_time_things_happen_once_all_is_at_rest():
    result = simulate("-f", DISAGGREGATED, "--scale", "deploy/vllm-disagg-frontend=0")
    assert "Deployment default/vllm-disagg-frontend: 1/1 ready" in result.stdout.split("0/0 ready")[0]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--fail", "deploy/x=Boredom"], "'Boredom' is no reason to fail; one of ImagePullBackOff, CrashLoopBackOff"),
        (["--fail", "deploy=Quota"], "'deploy' names no object; write KIND/NAME, such as dgd/chat"),
        (
            ["--fail", "deploy/x=Quota"],
            "deployment/x never was there in namespace default, so it could not fail; there is deployment/vllm-",
        ),
        (["--fail", "job/x=Quota"], "job/x never was there in namespace default, so it could not fail; there is dep"),
        (["--fail", "svc/vllm-disagg-frontend=Quota"], "a Service has no pods that could fail"),
        (["--fail", "thing/x=Quota"], "the cluster has no kind 'thing'"),
        (["--until", "thing/x:Ready"], "the cluster has no kind 'thing'"),
        (["--until", "Ready=true"], "'true' is no status of a condition; write Ready=True|False|Unknown"),
        (["--delete", "ns/nope"], '--delete ns/nope: namespaces "nope" not found\n'),
        (["--scale", "hpa/nope=3"], 'horizontalpodautoscalers.autoscaling "nope" not found in namespace default'),
        (["--scale", "dgd/vllm-disagg=2"], "name one of the graph's services: dgd/vllm-disagg/Frontend|"),
        (["--scale", "deploy/x=many"], "'deploy/x=many' has no number of replicas"),
        (["--delete", "thing/x"], "the cluster has no kind 'thing'"),
        (["--delete", "deploy/unknown"], 'deployments.apps "unknown" not found'),
        (["--for", "soon"], "'soon' is no duration; write 90s, 5m or 1h30m"),
        (["--until", "dgd/x:state"], "is no condition; write Ready"),
        (["--without", "Grove"], "'Grove' is not one of 'Istio', 'LeaderWorkerSet'"),
    ],
)
def test_what_makes_no_sense_is_said(arguments, said):
    result = simulate("-f", DISAGGREGATED, *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_an_empty_file_is_refused():
    result = simulate("-f", "-", input="# nothing\n")
    assert result.exit_code == 2
    assert "no object is in -" in result.stderr


@pytest.mark.parametrize(
    ("text", "said"), [(None, "No such file or directory"), ("a: [", "is not YAML"), ("", "no object is in")]
)
def test_a_file_that_cannot_be_read_is_a_wrong_command_line(tmp_path, text, said):
    file = tmp_path / "graph.yaml"
    if text is not None:
        file.write_text(text)
    result = simulate("-f", str(file))
    assert result.exit_code == 2
    assert said in result.stderr


def test_wrong_settings_are_a_wrong_command_line(tmp_path):
    (tmp_path / "settings.yaml").write_text("natsAdress: x")
    result = simulate("-f", DISAGGREGATED, "--settings", str(tmp_path / "settings.yaml"))
    assert result.exit_code == 2
    assert "natsAdress" in result.stderr


def test_a_file_that_is_no_manifest_is_refused(tmp_path):
    file = tmp_path / "x.yaml"
    file.write_text("just: words")
    result = simulate("-f", str(file))
    assert result.exit_code == 2
    assert "document 1: apiVersion is missing or no string" in result.stderr


@pytest.mark.parametrize(
    ("output", "read"), [("yaml", yaml.safe_load_all), ("json", lambda text: json.loads(text)["items"])]
)
def test_all_objects_can_be_had(output, read):
    result = simulate("-f", DISAGGREGATED, "-o", output)
    objects = list(read(result.stdout))
    kinds = {item["kind"] for item in objects}
    assert {"DynamoGraphDeployment", "DynamoComponentDeployment", "Deployment", "ReplicaSet", "Pod", "Service"} <= kinds
    graph = next(item for item in objects if item["kind"] == "DynamoGraphDeployment")
    assert graph["status"]["state"] == "successful"


def test_fields_that_nobody_knows_are_dropped_and_named():
    result = simulate("-f", str(MANIFESTS / "basics--kubernetes--shared_frontend--shared_frontend.yaml"))
    assert result.exit_code == 0, result.output
    assert (
        "note: DynamoGraphDeployment vllm-agg: unknown field spec.services.VllmDecodeWorker.pvc counts for nothing, "
        "and kubectl refuses it; describe the claim under spec.pvcs and mount it by its name under volumeMounts\n"
    ) in result.stdout
    assert "was dropped" not in result.stdout


def test_the_same_seed_shows_the_same_run():
    first, second = (simulate("-f", DISAGGREGATED, "--seed", "3").stdout for _ in range(2))
    assert first == second
    assert first != simulate("-f", DISAGGREGATED, "--seed", "4").stdout


def test_standard_input_and_several_files(tmp_path):
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "hf-token-secret"}}
    result = simulate("-f", "-", "-f", DISAGGREGATED, input=yaml.dump(secret))
    assert result.exit_code == 0
    assert "taken as there" not in result.stdout


def test_a_terminal_shows_a_table_that_changes():
    drawn = io.StringIO()
    with LiveTable(Console(file=drawn, force_terminal=True, width=120)) as view:
        view.step(Step(0.0, "DynamoGraphDeployment", "default", "chat", "created"))
        view.step(Step(1.0, "Pod", "default", "chat-1", "Pending"))
        view.step(Step(65.0, "Pod", "default", "chat-1", ""))
        view.step(Step(66.0, "DynamoGraphDeployment", "default", "chat", "Ready=True"))
    pictures = {picture.split("s")[0]: picture for picture in drawn.getvalue().split("after ")[1:]}
    assert list(pictures) == ["0.0", "1.0", "1m5.0", "1m6.0"]
    assert "Pending" in pictures["1.0"]
    assert "Pending" not in pictures["1m5.0"]
    assert "Ready=True" in pictures["1m6.0"]


def test_a_table_that_changes_tells_namespaces_apart_where_there_are_several():
    drawn = io.StringIO()
    with LiveTable(Console(file=drawn, force_terminal=True, width=120)) as view:
        view.step(Step(0.0, "Pod", "team-a", "chat-1", "Pending"))
        view.step(Step(1.0, "Pod", "team-b", "chat-1", "Pending"))
    pictures = {picture.split("s")[0]: picture for picture in drawn.getvalue().split("after ")[1:]}
    assert "team-a" not in pictures["0.0"]
    assert {f"team-{one}/chat-1" in pictures["1.0"] for one in "ab"} == {True}


REQUEST = str(MANIFESTS / "benchmarks--profiler--profile_sla_dgdr.yaml")
OUTPUT = str(MANIFESTS.parent / "profiling" / "config_with_planner.yaml")


def test_a_request_profiles_and_becomes_a_running_graph():
    result = simulate("-f", REQUEST, "--profile-output", OUTPUT)
    assert result.exit_code == 0, result.output
    assert block(result.stdout, "dynamographdeploymentrequests") == [
        "NAME         MODEL             BACKEND   STATE   DGD-STATE    AGE",
        "sla-online   Qwen/Qwen3-0.6B   vllm      Ready   successful   121m",
    ]
    assert block(result.stdout, "dynamographdeployments")[1].split()[:3] == ["sla-online", "True", "successful"]
    assert "ConfigMap default/sla-online-planner-profile-data: created" in result.stdout


def test_a_request_whose_profiler_fails_says_why():
    result = simulate("-f", REQUEST, "--profile-fail", "no GPU is fast enough")
    assert result.exit_code == 1
    assert block(result.stdout, "dynamographdeploymentrequests")[1].split()[3:] == ["Failed", "120m"]
    (failed,) = [line for line in result.stdout.splitlines() if line.startswith("DynamoGraphDeploymentRequest")]
    assert "the profiler ended with exit code 1 (Error: no GPU is fast enough)" in failed


def test_what_profiling_comes_to_is_asked_for():
    result = simulate("-f", REQUEST)
    assert result.exit_code == 1
    assert block(result.stdout, "dynamographdeploymentrequests")[1].split()[3] == "Profiling"
    assert (
        "note: profiling goes on; what comes of it --profile-output FILE says, or --profile-fail TEXT" in result.stdout
    )


@pytest.mark.parametrize("option", ["--profile-output", "--profile-fail"])
def test_what_a_profiler_comes_to_is_of_no_use_without_a_request(option):
    result = simulate("-f", DISAGGREGATED, option, OUTPUT)
    assert result.exit_code == 2
    assert "what a profiler comes to counts for nothing: no request is in" in result.stderr


def test_a_profiler_has_an_output_or_fails():
    result = simulate("-f", REQUEST, "--profile-output", OUTPUT, "--profile-fail", "x")
    assert result.exit_code == 2
    assert "give --profile-output or --profile-fail" in result.output
