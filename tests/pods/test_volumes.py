import pytest

from tests.asked import ask, component, laid_over, main_container

VLLM = main_container(command=["python3", "-m", "dynamo.vllm"]) | {"componentType": "worker"}
SHM = {"name": "shared-memory", "mountPath": "/dev/shm"}


def shared_memory(pod):
    return [volume["emptyDir"] for volume in pod.get("volumes", ()) if "emptyDir" in volume]


def claim_volume(name, claim=None):
    return {"name": name, "persistentVolumeClaim": {"claimName": claim or name}}


@pytest.mark.parametrize(
    ("shared", "size"),
    [
        pytest.param(None, "8Gi", id="nothing set"),
        pytest.param({}, "8Gi", id="empty"),
        pytest.param({"size": "16Gi"}, "16Gi", id="a size"),
        pytest.param({"size": "8192Mi"}, "8Gi", id="in canonical form"),
        pytest.param({"size": 1024, "disabled": False}, "1024", id="a number"),
        pytest.param({"size": ""}, "8Gi", id="an empty size counts as unset"),
        pytest.param({"disabled": True, "size": "16Gi"}, None, id="disabled"),
    ],
)
def test_shared_memory_is_a_file_system_in_memory_of_that_size(shared, size):
    answer = ask(component({"sharedMemory": shared}))
    assert shared_memory(answer.pod) == ([{"medium": "Memory", "sizeLimit": size}] if size else [])
    assert answer.main.get("volumeMounts", []) == ([SHM] if size else [])


@pytest.mark.parametrize("size", ["plenty", "-1"])
def test_a_size_of_shared_memory_that_is_none_is_an_invalid_spec(size):
    answer = ask(component({"sharedMemory": {"size": size}}))
    assert answer.message == f"spec.sharedMemory.size: '{size}' is no amount; write one such as 16Gi"


@pytest.mark.parametrize(
    "own",
    [
        pytest.param(
            {
                "extraPodSpec": {
                    "volumes": [{"name": "mine", "emptyDir": {"medium": "Memory"}}],
                    "mainContainer": {"volumeMounts": [{"name": "mine", "mountPath": "/dev/shm/"}]},
                }
            },
            id="a volume of theirs",
        ),
        pytest.param(
            {
                "extraPodSpec": {
                    "volumes": [{"name": "shared-memory", "emptyDir": {"medium": "Memory"}}],
                    "mainContainer": {"volumeMounts": [SHM]},
                }
            },
            id="of the name that ours would have",
        ),
        pytest.param({"volumeMounts": [{"name": "mine", "mountPoint": "/dev/shm"}]}, id="a claim"),
    ],
)
def test_who_mounts_something_at_dev_shm_gets_no_shared_memory_of_ours(own):
    answer = ask(component(laid_over({"sharedMemory": {"size": "256Gi"}}, own)))
    assert [mount["mountPath"].rstrip("/") for mount in answer.main["volumeMounts"]] == ["/dev/shm"]
    assert len(answer.pod["volumes"]) == 1
    assert all("sizeLimit" not in volume for volume in shared_memory(answer.pod))


def test_a_claim_is_mounted_where_the_component_says():
    answer = ask(component({"volumeMounts": [{"name": "models", "mountPoint": "/models"}]}))
    assert answer.pod["volumes"][0] == claim_volume("models")
    assert answer.main["volumeMounts"] == [{"name": "models", "mountPath": "/models"}, SHM]


def test_a_claim_mounted_twice_is_one_volume():
    mounts = [{"name": "m", "mountPoint": "/a"}, {"name": "m", "mountPoint": "/b"}]
    answer = ask(component({"volumeMounts": mounts}))
    assert [volume["name"] for volume in answer.pod["volumes"]] == ["m", "shared-memory"]
    assert answer.main["volumeMounts"] == [{"name": "m", "mountPath": "/a"}, {"name": "m", "mountPath": "/b"}, SHM]


OF_MAIN = {"extraPodSpec": {"mainContainer": {"volumeMounts": [{"name": "x", "mountPath": "/a"}]}}}


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        (
            {"volumeMounts": [{"name": "m", "mountPoint": "/a"}, {"name": "n", "mountPoint": "/a"}]},
            "spec.volumeMounts[1].mountPoint",
        ),
        (
            {"volumeMounts": [{"name": "m", "mountPoint": "/a"}], **OF_MAIN},
            "spec.extraPodSpec.mainContainer.volumeMounts[0].mountPath",
        ),
    ],
)
def test_two_mounts_at_one_path_are_told_by_the_fields_that_ask_for_them(spec, place):
    assert ask(component(spec)).message == (
        f"{place}: '/a' is where spec.volumeMounts[0].mountPoint mounts something; choose another path, or keep one of "
        "the two"
    )


@pytest.mark.parametrize(
    ("claim", "volume"),
    [
        ("models", "models"),
        ("models.v1", "models-v1-5efd8736"),
        ("shared-memory", "shared-memory-e5438e13"),
        ("m" * 64, "m" * 54 + "-55d24d1e"),
    ],
)
def test_the_volume_of_a_claim_is_called_as_it_where_a_volume_may_be(claim, volume):
    answer = ask(component({"volumeMounts": [{"name": claim, "mountPoint": "/a"}]}))
    assert answer.pod["volumes"][0] == claim_volume(volume, claim)


def test_a_users_own_volumes_and_mounts_follow():
    extra = {
        "volumes": [{"name": "tmp", "emptyDir": {}}],
        "mainContainer": {"volumeMounts": [{"name": "tmp", "mountPath": "/tmp/x", "readOnly": True}]},
    }
    answer = ask(component({"extraPodSpec": extra, "volumeMounts": [{"name": "m", "mountPoint": "/a"}]}))
    assert [volume["name"] for volume in answer.pod["volumes"]] == ["m", "shared-memory", "tmp"]
    assert answer.main["volumeMounts"][-1] == {"name": "tmp", "mountPath": "/tmp/x", "readOnly": True}


def test_a_users_volume_of_the_same_claim_is_the_same_volume():
    extra = {"volumes": [claim_volume("m")], "mainContainer": {"volumeMounts": [{"name": "m", "mountPath": "/b"}]}}
    answer = ask(component({"extraPodSpec": extra, "volumeMounts": [{"name": "m", "mountPoint": "/a"}]}))
    assert [volume["name"] for volume in answer.pod["volumes"]] == ["m", "shared-memory"]


def test_a_users_volume_of_the_same_name_and_another_content_is_an_invalid_spec():
    extra = {"volumes": [{"name": "m", "emptyDir": {}}]}
    answer = ask(component({"extraPodSpec": extra, "volumeMounts": [{"name": "m", "mountPoint": "/a"}]}))
    assert answer.message.startswith("spec.extraPodSpec.volumes[0].name: 'm' is the name of a volume")


@pytest.mark.parametrize(
    ("mount", "path"),
    [
        pytest.param({"useAsCompilationCache": True}, "/root/.cache/vllm", id="the backend's default"),
        pytest.param({"useAsCompilationCache": True, "mountPoint": "/c"}, "/c", id="a mount point of its own"),
    ],
)
def test_vllm_finds_its_compilation_cache(mount, path):
    answer = ask(component(VLLM | {"volumeMounts": [{"name": "cache", **mount}]}))
    assert answer.main["volumeMounts"][0] == {"name": "cache", "mountPath": path}
    assert answer.env["VLLM_CACHE_ROOT"] == path


def test_a_users_own_variable_for_the_compilation_cache_wins():
    spec = VLLM | {"volumeMounts": [{"name": "c", "useAsCompilationCache": True}]}
    answer = ask(component(spec | {"envs": [{"name": "VLLM_CACHE_ROOT", "value": "/mine"}]}))
    assert answer.env["VLLM_CACHE_ROOT"] == "/mine"


def test_a_claim_that_is_no_compilation_cache_sets_no_variable():
    answer = ask(component(VLLM | {"volumeMounts": [{"name": "cache", "mountPoint": "/c"}]}))
    assert "VLLM_CACHE_ROOT" not in answer.env


def test_another_backends_compilation_cache_is_mounted_and_sets_no_variable():
    spec = {"componentType": "worker", "backendFramework": "sglang"}
    mounts = [{"name": "c", "mountPoint": "/c", "useAsCompilationCache": True}]
    answer = ask(component(spec | {"volumeMounts": mounts}))
    assert answer.main["volumeMounts"][0] == {"name": "c", "mountPath": "/c"}
    assert "VLLM_CACHE_ROOT" not in answer.env


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        pytest.param(
            {"volumeMounts": [{"name": "c", "mountPath": "/x"}]},
            "spec.volumeMounts[0].mountPoint: is required; "
            "add the path in the container (a service's volumeMounts have no mountPath)",
            id="mountPath",
        ),
        pytest.param(
            {"volumeMounts": [{"name": "c", "useAsCompilationCache": True}]},
            "spec.volumeMounts[0].mountPoint: is required, a component without a backend has no default for a "
            "compilation cache; add the path in the container",
            id="no backend",
        ),
        pytest.param(
            {
                "componentType": "worker",
                "backendFramework": "trtllm",
                "volumeMounts": [{"name": "c", "useAsCompilationCache": True}],
            },
            "spec.volumeMounts[0].mountPoint: is required, backend trtllm has no default for a "
            "compilation cache; add the path in the container",
            id="a backend without a default",
        ),
        pytest.param(
            {"volumeMounts": [{"name": "My_Claim", "mountPoint": "/c"}]},
            "spec.volumeMounts[0].name: 'My_Claim' must begin and end with a letter or digit and have only a-z, 0-9, "
            "'-' and '.'; write the name of an object",
            id="no name of a claim",
        ),
    ],
)
def test_a_mount_that_cannot_be_is_an_invalid_spec(spec, message):
    answer = ask(component(spec))
    assert (answer.condition["reason"], answer.message) == ("InvalidSpec", message)


def test_a_null_that_stands_for_a_default_counts_as_absent():
    mounts = [{"name": "c", "mountPoint": "/x", "useAsCompilationCache": None}]
    assert ask(component({"volumeMounts": mounts})).main["volumeMounts"][0]["mountPath"] == "/x"


def test_what_the_api_server_hands_back_of_a_mount_changes_nothing():
    plain = ask(component({"volumeMounts": [{"name": "c", "mountPoint": "/x"}]}))
    stored = ask(component({"volumeMounts": [{"name": "c", "mountPoint": "/x", "useAsCompilationCache": False}]}))
    assert plain.children == stored.children
