"""The pods of a group as a whole: what spreads the engine is laid into the pod that the component has anyway."""

import pytest

from tests.asked import ask, component

ENGINES = ("vllm", "sglang", "trtllm")
FLAGS = {"vllm": ["-tp", "8"], "sglang": [], "trtllm": []}
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def pods(engine="trtllm", settings=None, gpu="4", container=None, **spec):
    """The pod specs of leader and worker, and the whole answer."""
    command = {"command": ["python3", "-m", f"dynamo.{engine}"], "args": FLAGS[engine], **(container or {})}
    given = {"componentType": "worker", "multinode": {"nodeCount": 2}, "resources": {"limits": {"gpu": gpu}}, **spec}
    extra = {**given.pop("extraPodSpec", {}), "mainContainer": {"image": "x", **command}}
    answer = ask(component({**given, "extraPodSpec": extra}), settings=settings)
    templates = (answer.child("LeaderWorkerSet") or {}).get("spec", {}).get("leaderWorkerTemplate", {})
    return *(templates.get(f"{role}Template", {}).get("spec") for role in ("leader", "worker")), answer


@pytest.mark.parametrize("engine", ENGINES)
def test_a_workers_probes_go_whoever_gave_them(engine):
    probe = {"exec": {"command": ["true"]}}
    for given in ({}, {"livenessProbe": probe, "readinessProbe": probe}, {"container": dict.fromkeys(PROBES, probe)}):
        leader, worker, _ = pods(engine, **given)
        assert set(PROBES) <= leader["containers"][0].keys()
        left = {field: worker["containers"][0][field] for field in PROBES if field in worker["containers"][0]}
        times = {"initialDelaySeconds": 20, "periodSeconds": 20, "timeoutSeconds": 5, "failureThreshold": 10}
        answers = {"readinessProbe": {"tcpSocket": {"port": 2222}, **times}}
        assert left == (answers if engine == "trtllm" else {})


def test_the_users_variables_of_open_mpi_stand_once():
    name = "OMPI_MCA_orte_keep_fqdn_hostnames"
    for pod in pods()[:2]:
        assert [entry for entry in pod["containers"][0]["env"] if entry["name"] == name] == [
            {"name": name, "value": "1"}
        ]
    for pod in pods(envs=[{"name": name, "value": "0"}, {"name": "OMPI_X", "value": "y"}])[:2]:
        entries = [entry for entry in pod["containers"][0]["env"] if entry["name"].startswith("OMPI")]
        assert entries == [{"name": name, "value": "0"}, {"name": "OMPI_X", "value": "y"}]


@pytest.mark.parametrize("name", ["LWS_LEADER_ADDRESS", "LWS_GROUP_SIZE", "LWS_WORKER_INDEX"])
@pytest.mark.parametrize("engine", ENGINES)
def test_what_tells_a_pod_its_place_is_nobody_elses_to_set(engine, name):
    answer = pods(engine, envs=[{"name": name, "value": "a[$(touch x)]"}])[2]
    assert answer.condition["reason"] == "InvalidSpec"
    assert f"spec.envs[{name}]: is what each pod of a group is told by LeaderWorkerSet; leave it out" in answer.message


def test_where_nothing_is_added_to_a_command_every_variable_is_the_users():
    assert pods("vllm", gpu="8", envs=[{"name": "LWS_WORKER_INDEX", "value": "7"}])[0] is not None


def test_both_roles_mount_the_keys_of_the_platforms_secret():
    for pod in pods(settings={"mpiRun": {"secretName": "my-keys"}})[:2]:
        (mount,) = [mount for mount in pod["containers"][0]["volumeMounts"] if mount["mountPath"] == "/ssh-pk"]
        (volume,) = [volume for volume in pod["volumes"] if volume["name"] == mount["name"]]
        assert mount["readOnly"] is True
        assert volume["secret"] == {"secretName": "my-keys", "defaultMode": 0o644}


def test_keys_that_the_user_mounts_are_the_ones():
    mine = {"name": "mine", "mountPath": "/ssh-pk/"}
    extra = {"volumes": [{"name": "mine", "secret": {"secretName": "mine"}}]}
    for pod in pods(container={"volumeMounts": [mine]}, extraPodSpec=extra)[:2]:
        mounts = [
            mount["name"] for mount in pod["containers"][0]["volumeMounts"] if mount["mountPath"].startswith("/ssh-pk")
        ]
        assert mounts == ["mine"]
        assert {"secret"} & {key for volume in pod["volumes"] for key in volume} == {"secret"}
        assert [volume["name"] for volume in pod["volumes"] if "secret" in volume] == ["mine"]


@pytest.mark.parametrize("engine", ENGINES)
def test_gpus_of_another_kind_count_as_well(engine):
    command = {"resources": {"requests": {"gpu": "4", "gpuType": "gpu.intel.com/xe"}}}
    leader, worker, _ = pods(engine, **command)
    plain_leader, plain_worker, _ = pods(engine, gpu="4")
    for pod, plain in ((leader, plain_leader), (worker, plain_worker)):
        for field in ("command", "args"):
            assert pod["containers"][0].get(field) == plain["containers"][0].get(field)


@pytest.mark.parametrize("amount", ["4.0", "4000m", "0.4e1", "4e0"])
def test_gpus_count_however_their_number_is_written(amount):
    assert pods(gpu=amount)[:2] == pods(gpu="4")[:2]


@pytest.mark.parametrize("amount", ["4", "4000m", 4, 4.0])
def test_gpus_of_the_users_main_container_count_as_well(amount):
    of_main = pods(resources={}, container={"resources": {"limits": {"nvidia.com/gpu": amount}}})
    assert of_main[:2] == pods(gpu="4")[:2]


@pytest.mark.parametrize("engine", ENGINES)
def test_without_gpus_a_command_is_left_as_it_is(engine):
    for pod in pods(engine, resources={})[:2]:
        assert pod["containers"][0]["command"] == ["python3", "-m", f"dynamo.{engine}"]
        assert pod["containers"][0].get("args", []) == FLAGS[engine]


def test_all_faults_are_told_at_once_those_of_the_command_too():
    *_, answer = pods(
        "vllm", container={"args": ["-tp", "$TP"], "image": ""}, volumeMounts=[{"name": "c", "mountPoint": "x"}]
    )
    for part in ("mainContainer.args: has -tp $TP", "mainContainer.image: is required"):
        assert part in answer.message


def test_what_is_to_be_said_stands_in_the_message():
    *_, answer = pods("vllm", container={"args": ["-tp", "4"]})
    assert "Each of the 2 nodes runs vLLM by itself: tensor 4 * pipeline 1 * data parallel 1" in answer.message


@pytest.mark.parametrize(("given", "scheduler"), [({}, "volcano"), ({"schedulerName": "mine"}, "mine")])
def test_the_platforms_scheduler_where_the_user_names_none(given, scheduler):
    for pod in pods(settings={"multinode": {"schedulerName": "volcano"}}, extraPodSpec=given)[:2]:
        assert pod["schedulerName"] == scheduler


@pytest.mark.parametrize("engine", ENGINES)
def test_a_component_that_is_no_worker_runs_its_command_on_each_node(engine):
    for pod in pods(engine, componentType="main")[:2]:
        assert pod["containers"][0]["command"] == ["python3", "-m", f"dynamo.{engine}"]


@pytest.mark.parametrize("written", ["$(LWS_GROUP_SIZE)", "$LWS_GROUP_SIZE"])
def test_the_size_of_the_group_is_known(written):
    line = {"command": ["python3", "-m", "dynamo.vllm", "-pp", written]}
    if not written.startswith("$("):
        line = {"command": ["sh", "-c", f"python3 -m dynamo.vllm -pp {written}"]}
    leader, _, answer = pods("vllm", gpu="1", container={**line, "args": []})
    assert answer.condition["reason"] != "InvalidSpec"
    assert "ray start --head" in str(leader["containers"][0])


def test_a_users_own_value_for_the_size_of_the_group_is_the_one():
    line = {"command": ["python3", "-m", "dynamo.vllm", "-pp", "$(LWS_GROUP_SIZE)"], "args": []}
    leader = pods("vllm", gpu="1", container=line, envs=[{"name": "LWS_GROUP_SIZE", "value": "1"}])[0]
    assert "ray" not in str(leader["containers"][0])


def test_a_users_volume_that_has_the_name_of_the_keys_is_not_taken_for_them():
    volumes = {"volumes": [{"name": "mpi-ssh-keys", "emptyDir": {}}]}
    assert pods(extraPodSpec=volumes)[2].message == (
        "spec.extraPodSpec.volumes[0].name: 'mpi-ssh-keys' is the name of a volume that the component has already; "
        "give it another name"
    )
    own = {"volumeMounts": [{"name": "mpi-ssh-keys", "mountPath": "/ssh-pk"}]}
    assert pods(extraPodSpec=volumes, container=own)[0]["volumes"][-1] == volumes["volumes"][0]


def test_a_claim_that_has_the_name_of_the_keys_is_another_volume():
    leader = pods(volumeMounts=[{"name": "mpi-ssh-keys", "mountPoint": "/m"}])[0]
    claims = [volume for volume in leader["volumes"] if "persistentVolumeClaim" in volume]
    assert [volume["name"] for volume in claims] == ["mpi-ssh-keys-e81c8dac"]
