import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hooks.configuration import SettingsError, load_settings, settings_of, variables
from hooks.settings import Settings
from hooks.settings_faults import settings_faults


def test_one_number_of_a_probe_changes_and_the_rest_of_the_probe_stays():
    settings = settings_of({"defaults": {"worker": {"startupProbe": {"failureThreshold": 1000}}}})
    assert settings.defaults.worker.startup_probe == {
        "httpGet": {"path": "/live", "port": 9090},
        "periodSeconds": 10,
        "timeoutSeconds": 5,
        "failureThreshold": 1000,
    }
    assert settings.defaults.worker.liveness_probe == Settings().defaults.worker.liveness_probe


def test_another_handler_takes_the_place_of_the_default_one():
    settings = settings_of({"defaults": {"worker": {"startupProbe": {"tcpSocket": {"port": 9090}}}}})
    assert settings.defaults.worker.startup_probe == {
        "tcpSocket": {"port": 9090},
        "periodSeconds": 10,
        "timeoutSeconds": 5,
        "failureThreshold": 720,
    }


def at(settings, path):
    found = settings.model_dump(by_alias=True)
    for key in path.split("."):
        found = found[key]
    return found


@pytest.mark.parametrize(
    ("document", "path", "wanted"),
    [
        ({"modelExpressURL": "http://m"}, "modelExpressURL", "http://m"),
        ({"defaults": {"frontend": {"args": []}}}, "defaults.frontend.args", []),
        ({"defaults": {"worker": {"startupProbe": None}}}, "defaults.worker.startupProbe", None),
        ({"profiling": {"resources": {"requests": {"cpu": None}}}}, "profiling.resources.requests", {"memory": "10Gi"}),
    ],
)
def test_a_document_changes_what_it_names(document, path, wanted):
    assert at(settings_of(document), path) == wanted


@pytest.mark.parametrize("document", [None, {}, {"server": None}], ids=["no document", "an empty one", "no entries"])
def test_a_document_that_says_nothing_changes_nothing(document):
    assert settings_of(document) == Settings()


environments = st.dictionaries(st.sampled_from(["A", "B", "DYN_SYSTEM_PORT"]), st.none() | st.text(), max_size=3)


@given(environments)
def test_a_map_is_merged_key_by_key_and_a_null_removes_its_key(change):
    merged = settings_of({"defaults": {"worker": {"env": change}}}).defaults.worker.env
    expected = Settings().defaults.worker.env | change
    assert merged == {name: value for name, value in expected.items() if value is not None}


@given(environments, st.integers(1, 2**40), st.none() | st.text())
def test_the_settings_in_effect_are_a_settings_file_that_gives_the_same(env, size, address):
    change = {"natsAddress": address, "server": {"maxBodyMiB": size}, "defaults": {"general": {"env": env}}}
    settings = settings_of(change)
    assert settings_of(yaml.safe_load(yaml.safe_dump(settings.model_dump(by_alias=True)))) == settings


@pytest.mark.parametrize(
    ("document", "line"),
    [
        ([], "s: must be an object (key: value)"),
        ({"nats_address": "x"}, "s: nats_address: is no setting; did you mean natsAddress?"),
        ({"server": {"zzz": 1}}, "s: server.zzz: is no setting; here are maxBodyMiB, threads, workers"),
        ({"server": {"threads": "8"}}, "s: server.threads: has the value '8'; write a whole number, without quotes"),
        ({"server": {"threads": 0}}, "s: server.threads: has the value 0; it should be greater than 0"),
        ({"server": 5}, "s: server: has the value 5; write an object (key: value)"),
        ({"discoveryBackend": "etcd"}, "s: discoveryBackend: has the value 'etcd'; it should be 'kubernetes'"),
        (
            {"defaults": {"worker": {"env": {"A": 1}}}},
            "s: defaults.worker.env.A: has the value 1; write a string",
        ),
        (
            {"defaults": {"worker": {"startupProbe": {"failureThreshold": "many"}}}},
            "s: defaults.worker.startupProbe.failureThreshold: has the value 'many'; write a whole number from 1 on",
        ),
        (
            {"defaults": {"worker": {"startupProbe": {"failureTreshold": 1}}}},
            "s: defaults.worker.startupProbe.failureTreshold: is no field of a probe; there are initialDelaySeconds, ",
        ),
        (
            {"defaults": {"worker": {"startupProbe": {"exec": {}, "grpc": {}}}}},
            "s: defaults.worker.startupProbe: has exec and grpc of exec, grpc, httpGet and tcpSocket",
        ),
        (
            {"defaults": {"planner": {"livenessProbe": {"periodSeconds": 5}}}},
            "s: defaults.planner.livenessProbe: has none of exec, grpc, httpGet and tcpSocket",
        ),
        ({"defaults": {"sharedMemorySize": "8 GB"}}, "s: defaults.sharedMemorySize: has the value '8 GB'; "),
    ],
)
def test_a_wrong_value_is_named_with_its_path_and_a_cure(document, line):
    with pytest.raises(SettingsError) as raised:
        settings_of(document, source="s")
    assert raised.value.lines[0].startswith(line)


def test_all_wrong_values_are_named_at_once():
    with pytest.raises(SettingsError) as raised:
        settings_of({"server": {"threads": 0, "thread": 4}, "mpiRun": {"secretName": ""}})
    assert [line.split(": ")[1] for line in raised.value.lines] == [
        "server.thread",
        "mpiRun.secretName",
        "server.threads",
    ]


def test_the_environment_is_above_the_file_and_the_file_above_the_defaults(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("natsAddress: nats://file\nserver: {threads: 3, workers: 4}\n")
    settings = load_settings(None, {"DYNAMO_HOOKS_CONFIG": str(file), "DYNAMO_HOOKS_SERVER__WORKERS": "5"})
    assert settings.nats_address == "nats://file"
    assert (settings.server.max_body_mib, settings.server.threads, settings.server.workers) == (64, 3, 5)


def test_a_file_that_is_given_goes_before_the_one_that_the_environment_names(tmp_path):
    given_file = tmp_path / "given.yaml"
    given_file.write_text("natsAddress: given")
    assert load_settings(given_file, {"DYNAMO_HOOKS_CONFIG": "/nowhere"}).nats_address == "given"


@pytest.mark.parametrize(
    ("name", "value", "path", "wanted"),
    [
        ("MODEL_EXPRESS_URL", "8080", "modelExpressURL", "8080"),
        ("DISCOVERY_BACKEND", "kubernetes", "discoveryBackend", "kubernetes"),
        ("MULTINODE__VLLM_HYBRID_LOAD_BALANCING", "false", "multinode.vllmHybridLoadBalancing", False),
        ("NAMESPACE_RESTRICTION__NAMESPACES", "[a, b]", "namespaceRestriction.namespaces", ["a", "b"]),
        ("DEFAULTS__WORKER__STARTUP_PROBE", "{periodSeconds: 9}", "defaults.worker.startupProbe.failureThreshold", 720),
        ("INGRESS", "{className: nginx}", "ingress.className", "nginx"),
        ("MPI_RUN__SECRET_NAME", "", "mpiRun.secretName", "mpi-run-ssh-secret"),
    ],
)
def test_a_variable_sets_one_setting(name, value, path, wanted):
    assert at(load_settings(None, {f"DYNAMO_HOOKS_{name}": value}), path) == wanted


def test_every_setting_has_its_variable_and_no_two_share_one():
    paths = [variable.path for variable in variables().values()]
    assert len(set(paths)) == len(paths)
    assert ("defaults", "planner", "serviceAccountName") in paths


def test_a_misspelt_variable_and_a_wrong_value_are_both_named():
    with pytest.raises(SettingsError) as raised:
        load_settings(
            None,
            {
                "DYNAMO_HOOKS_SERVER__PORT": "8080",
                "DYNAMO_HOOKS_SERVER__THREAD": "1",
                "DYNAMO_HOOKS_SERVER__WORKERS": "two",
            },
        )
    assert raised.value.lines == (
        "DYNAMO_HOOKS_SERVER__PORT: names no setting; did you mean DYNAMO_HOOKS_SERVER__WORKERS?",
        "DYNAMO_HOOKS_SERVER__THREAD: names no setting; did you mean DYNAMO_HOOKS_SERVER__THREADS?",
        "DYNAMO_HOOKS_SERVER__WORKERS: server.workers: has the value 'two'; write a whole number, without quotes",
    )


def test_variables_that_kubernetes_sets_for_the_service_of_the_hooks_are_no_settings():
    links = {
        "DYNAMO_HOOKS_SERVICE_HOST": "10.0.0.1",
        "DYNAMO_HOOKS_SERVICE_PORT": "8080",
        "DYNAMO_HOOKS_SERVICE_PORT_HTTP": "8080",
        "DYNAMO_HOOKS_PORT": "tcp://10.0.0.1:8080",
        "DYNAMO_HOOKS_PORT_8080_TCP": "tcp://10.0.0.1:8080",
        "DYNAMO_HOOKS_PORT_8080_TCP_ADDR": "10.0.0.1",
        "DYNAMO_HOOKS_METRICS_SERVICE_HOST": "10.0.0.2",
        "DYNAMO_HOOKS_METRICS_PORT_9090_TCP_PROTO": "tcp",
    }
    assert load_settings(None, links) == Settings()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"server: {threads: 1}\nserver: {workers: 1}\n", "is not YAML: the key 'server' is there twice"),
        (b"server: [\n", "is not YAML: while parsing"),
        (b"a: 1\n---\nb: 2\n", "is not YAML: expected a single document"),
        (b"\xff\xfe", "cannot be read: is not UTF-8"),
        (b"[" * 5000, "is nested too deep"),
        (b"{[a]: 1}", "is not YAML: "),
    ],
)
def test_a_file_that_is_no_settings_file_says_why(tmp_path, content, reason):
    file = tmp_path / "settings.yaml"
    file.write_bytes(content)
    with pytest.raises(SettingsError) as raised:
        load_settings(file, {})
    assert str(raised.value).startswith(f"{file}: {reason}")


def test_a_file_that_is_not_there_says_so():
    with pytest.raises(SettingsError, match=r"^/nowhere/settings: cannot be read: No such file"):
        load_settings(None, {"DYNAMO_HOOKS_CONFIG": "/nowhere/settings"})


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (
            {"defaults": {"worker": {"ports": [{"name": "a"}]}}},
            "defaults.worker.ports[0].containerPort: null is no port",
        ),
        ({"defaults": {"worker": {"ports": [{"containerPort": 1}]}}}, "defaults.worker.ports[0].name: null is no name"),
        (
            {"defaults": {"frontend": {"ports": [{"name": "Web", "containerPort": 70000, "protocol": "tcp"}]}}},
            "defaults.frontend.ports[0].protocol: has the value 'tcp'; write one of TCP, UDP, SCTP",
        ),
        (
            {"defaults": {"planner": {"ports": [{"port": 1}]}}},
            "defaults.planner.ports[0].port: is no field of Kubernetes",
        ),
        ({"defaults": {"worker": {"env": {"A=B": "c"}}}}, "defaults.worker.env.A=B: is no name of an environment"),
        ({"defaults": {"planner": {"serviceAccountName": "A B"}}}, "defaults.planner.serviceAccountName: 'A B' must"),
        (
            {"defaults": {"compilationCacheMountPoints": {"vllm": "cache"}}},
            "defaults.compilationCacheMountPoints.vllm: 'cache' is no absolute path",
        ),
        (
            {"profiling": {"resources": {"requests": {"cpu": "banana"}}}},
            "profiling.resources.requests.cpu: 'banana' is no",
        ),
        ({"profiling": {"resources": {"limits": 5}}}, "profiling.resources.limits: has the value 5; write an object"),
        (
            {"profiling": {"resources": {"cpu": 5}}},
            "profiling.resources.cpu: is no field of Kubernetes; there are requ",
        ),
        ({"profiling": {"tolerations": [{"operator": "exists"}]}}, "profiling.tolerations[0].operator: has the value"),
        (
            {"profiling": {"tolerations": [{"operator": "Equal"}]}},
            "profiling.tolerations[0].key: is required; add it, or",
        ),
        (
            {"profiling": {"tolerations": [{"key": "gpu", "operator": "Exists", "value": "x"}]}},
            "profiling.tolerations[0].value: has no meaning with the operator Exists; leave it out",
        ),
        (
            {"profiling": {"tolerations": [{"key": "gpu", "tolerationSeconds": "5", "effect": "No"}]}},
            "profiling.tolerations[0].tolerationSeconds: has the value '5'; write a whole number of seconds",
        ),
        ({"profiling": {"nodeSelector": {"a b": "c"}}}, "profiling.nodeSelector[a b]: is no label key"),
        ({"profiling": {"hfTokenSecret": {"name": ""}}}, "profiling.hfTokenSecret.name: '' must begin and end with"),
        ({"profiling": {"hfTokenSecret": {"key": "a/b"}}}, "profiling.hfTokenSecret.key: 'a/b' must have only letters"),
        ({"profiling": {"outputCopierImage": ""}}, "profiling.outputCopierImage: '' is empty; write another one"),
        ({"rbac": {"plannerClusterRole": ""}}, "rbac.plannerClusterRole: '' is no name of a ClusterRole"),
        ({"mpiRun": {"secretName": "Bad Name"}}, "mpiRun.secretName: 'Bad Name' must begin and end with"),
        ({"ingress": {"className": "A B"}}, "ingress.className: 'A B' must begin and end with a letter or digit"),
        ({"ingress": {"hostSuffix": ".example.com"}}, "ingress.hostSuffix: '.example.com' must begin and end with"),
        ({"namespaceRestriction": {"enabled": True}}, "namespaceRestriction.namespaces: is empty"),
        (
            {"namespaceRestriction": {"enabled": True, "namespaces": ["a.b"]}},
            "namespaceRestriction.namespaces[0]: 'a.b' must begin and end with a letter or digit",
        ),
    ],
)
def test_what_no_cluster_would_take_stops_the_start_with_its_path_and_a_cure(tmp_path, document, fault):
    file = tmp_path / "settings.yaml"
    file.write_text(yaml.safe_dump(document))
    with pytest.raises(SettingsError) as raised:
        load_settings(file, {})
    assert any(line.startswith(f"{file}: {fault}") for line in raised.value.lines), raised.value.lines


def test_settings_that_make_sense_together_alone_may_come_from_two_variables():
    environment = {
        "DYNAMO_HOOKS_NAMESPACE_RESTRICTION__ENABLED": "true",
        "DYNAMO_HOOKS_NAMESPACE_RESTRICTION__NAMESPACES": "[team-a]",
    }
    assert load_settings(None, environment).namespace_restriction.namespaces == ["team-a"]


def test_what_a_cluster_takes_is_no_fault():
    document = {
        "profiling": {
            "tolerations": [{"operator": "Exists"}, {"key": "nvidia.com/gpu", "effect": "NoSchedule", "value": "x"}],
            "resources": {"limits": {"nvidia.com/gpu": 8, "memory": "1.5Gi"}},
        },
        "rbac": {"plannerClusterRole": "system:planner"},
        "defaults": {"worker": {"ports": [{"name": "system", "containerPort": 9090}]}},
    }
    assert settings_faults(settings_of(document)) == settings_faults(Settings()) == []
