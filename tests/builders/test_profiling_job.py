import re
from pathlib import Path

import orjson
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hooks.builders.profiling_job import build_profiling_job, with_pull_secrets
from hooks.errors import InvalidSpec
from hooks.profiling.configuration import as_argument, as_yaml
from hooks.profiling.specification import parse_spec, read_request, spec_hash
from hooks.settings import Settings
from tests import published

MANIFESTS = Path(__file__).parent.parent / "manifests"


def parent(config=None, **spec):
    profiling = {"profilerImage": "registry.example/vllm-runtime:1"} | spec.pop("profilingConfig", {})
    if config is not None:
        profiling["config"] = config
    return {
        "metadata": {"name": "chat", "namespace": "inference", "uid": "4711"},
        "spec": {"model": "Qwen/Qwen3-0.6B", "backend": "vllm", "profilingConfig": profiling, **spec},
    }


def job(config=None, settings=None, pull_secrets=(), **spec):
    request = read_request(parent(config, **spec), Settings.model_validate(settings or {}))
    return with_pull_secrets(build_profiling_job(request), pull_secrets)


def pod(*args, **kwargs):
    return job(*args, **kwargs)["spec"]["template"]["spec"]


def container(name, *args, **kwargs):
    return next(found for found in pod(*args, **kwargs)["containers"] if found["name"] == name)


def expanded(argument, variables):
    """An argument as the kubelet hands it over (Kubernetes, "Define Dependent Environment Variables")."""
    return re.sub(
        r"\$(\$|\(([^)]*)\))",
        lambda found: "$" if found[1] == "$" else variables.get(found[2], found[0]),
        argument,
    )


def profiled(config=None, **spec):
    """What the profiler reads."""
    profiler = container("profiler", config, **spec)
    arguments = profiler["args"]
    variables = {entry["name"]: entry.get("value", "") for entry in profiler["env"]}
    return yaml.safe_load(expanded(arguments[arguments.index("--profile-config") + 1], variables))


def faults(config=None, settings=None, **spec):
    with pytest.raises(InvalidSpec) as invalid:
        job(config, settings, **spec)
    return [str(fault) for fault in invalid.value.faults]


def test_the_profiler_finds_model_backend_namespace_and_folder():
    assert profiled() == {
        "deployment": {"model": "Qwen/Qwen3-0.6B", "namespace": "inference"},
        "engine": {"backend": "vllm"},
        "output_dir": "/data",
    }


def test_the_profiler_finds_the_workers_image_and_the_base_graph():
    found = profiled(
        deploymentOverrides={"workersImage": "registry.example/mine:1"},
        profilingConfig={"configMapRef": {"name": "base"}},
    )
    assert found["deployment"]["dgd_image"] == "registry.example/mine:1"
    assert found["engine"]["config"] == "/config/disagg.yaml"


def test_what_the_request_says_wins_over_the_configuration():
    config = {
        "deployment": {"model": "other", "dgdImage": "other", "deployment_timeout": 5},
        "engine": {"backend": "sglang", "config": "/other", "is_moe_model": True},
    }
    found = profiled(
        config,
        deploymentOverrides={"workersImage": "mine:1"},
        profilingConfig={"configMapRef": {"name": "base"}},
    )
    assert found["deployment"] == {
        "model": "Qwen/Qwen3-0.6B",
        "namespace": "inference",
        "dgdImage": "mine:1",
        "deployment_timeout": 5,
    }
    assert found["engine"] == {"backend": "vllm", "config": "/config/disagg.yaml", "is_moe_model": True}


@pytest.mark.parametrize("folder", ["/data", "/data/run-1", "/data/./x"])
@pytest.mark.parametrize("key", ["output_dir", "outputDir"])
def test_a_folder_below_the_volume_is_where_profiler_and_copier_look(key, folder):
    assert profiled({key: folder})[key] == folder
    assert ({"output_dir", "outputDir"} - {key}).isdisjoint(profiled({key: folder}))
    assert f"--folder={folder}" in container("output-copier", {key: folder})["args"]


@pytest.mark.parametrize(
    "value",
    [
        *(500.0, 0.1, 1e-05, 1e22, 3000, -1, True, False),
        *("", "0.20.0", "1e3", "on", "null", "~", "2026-11-30", "12:30:45", "500.0", "007", "true"),
        *(" a ", "a\nb", "\t", "ü😀", "a\x85b", "{x}", "a: b # c", "- x", "'\"\\", "&a", "*a", "!x", "%", "@", "`"),
        *("$(DGDR_NAME)", "$$", "$", "$$(DGDR_NAME)", "$(", "$(DGDR_NAME)$$(x"),
    ],
)
def test_the_users_values_arrive_unchanged(value):
    found = profiled({"sla": {"x": value, "list": [value, [value]]}})["sla"]
    assert found == {"x": value, "list": [value, [value]]}
    assert type(found["x"]) is type(value)


json_values = st.recursive(
    st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=10,
)


@given(st.dictionaries(st.text(), json_values))
def test_any_configuration_arrives_unchanged(config):
    assert yaml.safe_load(expanded(as_argument(as_yaml(config)), {"NAME": "value"})) == config


def test_hardware_is_handed_on_as_it_is():
    assert profiled({"hardware": {}})["hardware"] == {}
    assert profiled({"hardware": {"min_num_gpus_per_engine": None, "x": 1}})["hardware"] == {"x": 1}
    envs = [{"name": "TRITON_PTXAS_PATH", "value": "/x"}]
    assert profiled({"deployment": {"envs": envs}})["deployment"]["envs"] == envs


def test_gpu_discovery_is_an_argument():
    assert container("profiler", enableGpuDiscovery=True)["args"][-1] == "--enable-gpu-discovery"
    assert len(container("profiler")["args"]) == 2


@pytest.mark.parametrize(
    ("sweep", "app"),
    [
        ({"use_ai_configurator": True}, "aic-profiler"),
        ({"useAiConfigurator": True}, "aic-profiler"),
        ({"use_ai_configurator": False}, "dynamo-profiler"),
        ({"use_ai_configurator": "true"}, "dynamo-profiler"),
        ({}, "dynamo-profiler"),
        ("fast", "dynamo-profiler"),
    ],
)
def test_the_labels_say_how_it_profiles(sweep, app):
    made = job({"sweep": sweep})
    assert made["metadata"]["labels"] == {
        "app": app,
        "dgdr": "chat",
        "dgdr.nvidia.com/name": "chat",
        "nvidia.com/managed-by": "dynamo-operator",
    }
    assert made["spec"]["template"]["metadata"]["labels"] == made["metadata"]["labels"]


def test_the_platforms_settings_decide_where_it_runs_and_for_how_long():
    settings = {
        "natsAddress": "nats://n:4222",
        "etcdAddress": "http://e:2379",
        "profiling": {
            "nodeSelector": {"pool": "gpu"},
            "tolerations": [{"key": "gpu", "operator": "Exists"}],
            "backoffLimit": 0,
            "activeDeadlineSeconds": 60,
            "resources": {"requests": {"cpu": "1000m"}},
            "hfTokenSecret": {"name": "token", "key": "T"},
            "outputCopierImage": "registry.example/hooks:2",
        },
    }
    made = job(settings=settings)
    assert made["spec"]["backoffLimit"] == 0
    assert made["spec"]["activeDeadlineSeconds"] == 60
    template = made["spec"]["template"]["spec"]
    assert template["nodeSelector"] == {"pool": "gpu"}
    assert template["tolerations"] == [{"key": "gpu", "operator": "Exists"}]
    profiler, copier = template["containers"]
    assert profiler["resources"] == {"requests": {"cpu": "1"}}
    assert profiler["env"] == [
        {
            "name": "HUGGING_FACE_HUB_TOKEN",
            "valueFrom": {"secretKeyRef": {"name": "token", "key": "T", "optional": True}},
        },
        {"name": "NATS_SERVER", "value": "nats://n:4222"},
        {"name": "ETCD_ENDPOINTS", "value": "http://e:2379"},
        {"name": "DGDR_NAME", "value": "chat"},
        {"name": "DGDR_NAMESPACE", "value": "inference"},
        {"name": "DGDR_UID", "value": "4711"},
    ]
    assert copier["image"] == "registry.example/hooks:2"


def test_pull_secrets_are_those_that_were_found():
    assert pod(pull_secrets=("a", "b"))["imagePullSecrets"] == [{"name": "a"}, {"name": "b"}]
    assert "imagePullSecrets" not in pod()


def test_the_base_graph_is_mounted_and_never_copied():
    reference = {"configMapRef": {"name": "base", "key": "agg.yaml"}}
    made = pod(profilingConfig=reference)
    assert made["volumes"][1] == {
        "name": "base",
        "configMap": {"name": "base", "items": [{"key": "agg.yaml", "path": "disagg.yaml"}]},
    }
    assert {"name": "base", "mountPath": "/config", "readOnly": True} in made["containers"][0]["volumeMounts"]


def test_it_remembers_what_it_was_made_from():
    overrides = {"name": "fast", "labels": {"b": "1", "a": "2"}}
    annotations = job(autoApply=True, deploymentOverrides=overrides)["metadata"]["annotations"]
    remembered = annotations["dgdr.nvidia.com/spec"]
    assert orjson.loads(remembered) == {"backend": "vllm", "autoApply": True, "deploymentOverrides": overrides}
    assert annotations["dgdr.nvidia.com/spec-hash"] == spec_hash(
        parse_spec(parent(autoApply=True, deploymentOverrides=overrides)["spec"])
    )


@pytest.mark.parametrize(
    "same",
    [
        {"autoApply": False},
        {"enableGpuDiscovery": False, "deploymentOverrides": None},
        {"fieldOfALaterVersion": 1},
        {"profilingConfig": {"config": None}},
    ],
)
def test_defaults_and_nulls_do_not_change_a_specs_hash(same):
    assert spec_hash(parse_spec(parent(**same)["spec"])) == spec_hash(parse_spec(parent()["spec"]))


@pytest.mark.parametrize("other", [{"autoApply": True}, {"model": "m"}, {"config": {"a": 1}}, {"backend": "sglang"}])
def test_any_other_value_changes_it(other):
    assert spec_hash(parse_spec(parent(**other)["spec"])) != spec_hash(parse_spec(parent()["spec"]))


@pytest.mark.parametrize("name", ["profile_sla_aic_dgdr", "profile_sla_dgdr"])
def test_a_real_request_becomes_a_job_that_kubernetes_takes(name):
    request = yaml.safe_load((MANIFESTS / f"benchmarks--profiler--{name}.yaml").read_text())
    request["metadata"] |= {"namespace": "default", "uid": "1"}
    made = build_profiling_job(read_request(request, Settings()))
    assert published.faults(made) == []


def test_a_job_with_everything_is_one_that_kubernetes_takes():
    made = job(
        {"sweep": {"use_ai_configurator": True}},
        {"profiling": {"nodeSelector": {"a": "b"}, "tolerations": [{"operator": "Exists"}]}},
        ("secret",),
        enableGpuDiscovery=True,
        profilingConfig={"configMapRef": {"name": "base"}},
    )
    assert published.faults(made) == []


@pytest.mark.parametrize(
    ("config", "spec", "fault"),
    [
        ({"deployment": "x"}, {}, "spec.profilingConfig.config.deployment: has the value 'x'; write an object"),
        ({"engine": []}, {}, "spec.profilingConfig.config.engine: has the value []; write an object"),
        (
            {"deployment": {"namespace": "b"}},
            {},
            "config.deployment.namespace: has the value 'b', but the profiler may",
        ),
        (
            {"output_dir": "/results"},
            {},
            "config.output_dir: has the value '/results', but results are taken from /data",
        ),
        ({"outputDir": "/data/../etc"}, {}, "config.outputDir: has the value '/data/../etc'"),
        ({"output_dir": 5}, {}, "config.output_dir: has the value 5"),
        ({"output_dir": "/data/a", "outputDir": "/data/b"}, {}, "config.output_dir: differs from outputDir"),
        ({"x": "x" * 140_000}, {}, "spec.profilingConfig.config: has 1401"),
        ({}, {"model": ""}, "spec.model: has the value ''"),
        ({}, {"backend": "x"}, "spec.backend: has the value 'x'; it should be 'sglang', 'vllm' or 'trtllm'"),
        ({}, {"deploymentOverrides": {"name": "A"}}, "deploymentOverrides.name: 'A' is no name that a graph may have"),
        ({}, {"deploymentOverrides": {"name": "a" * 64}}, "is no name that a graph may have; write at most 61"),
        ({}, {"deploymentOverrides": {"namespace": "a.b"}}, "namespace: 'a.b' is no name of a namespace"),
        (
            {},
            {"deploymentOverrides": {"labels": {"a": "b c"}}},
            "deploymentOverrides.labels[a]: 'b c' is no label value",
        ),
        ({}, {"deploymentOverrides": {"annotations": {"a b": "c"}}}, "annotations[a b]: is no annotation key"),
    ],
)
def test_what_cannot_be_profiled_is_said_before_any_gpu_is_used(config, spec, fault):
    assert any(fault in found for found in faults(config, **spec)), faults(config, **spec)


def test_every_fault_is_said_at_once():
    found = faults({"deployment": 1, "output_dir": 2}, deploymentOverrides={"name": "A", "labels": {"a": " "}})
    assert len(found) == 4


def test_gpus_are_not_discovered_where_only_chosen_namespaces_are_looked_after():
    settings = {"namespaceRestriction": {"enabled": True, "namespaces": ["inference"]}}
    (fault,) = faults(settings=settings, enableGpuDiscovery=True)
    assert fault.startswith(
        "spec.enableGpuDiscovery: is true, but this installation looks after chosen namespaces only"
    )


def test_a_name_too_long_for_its_job_is_said():
    long = parent()
    long["metadata"]["name"] = "x" * 56
    with pytest.raises(InvalidSpec, match=r"metadata.name: has 56 characters, 55 are allowed"):
        read_request(long, Settings())
