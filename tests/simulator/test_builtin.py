"""Built-in objects over time, and where the embedded API server is on purpose another than version 1.36.

What it answers to single requests is held against a real server's answers in test_server_cases.py.
"""

import pytest

from hooks.simulator.api_server import start
from hooks.simulator.builtin import built_in
from hooks.simulator.builtin.defaults import image_tag
from hooks.simulator.clock import Clock
from hooks.simulator.errors import ApiError

POD_SPEC = {"containers": [{"name": "c", "image": "i"}]}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    made = start(clock, built_in())
    clock.run_for(1)
    return made


def item(kind, name="x", api_version="v1", **content):
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}


def pod(name="p", **spec):
    return item("Pod", name, spec=POD_SPEC | spec)


def claim(**spec):
    asked = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "2Gi"}}}
    return item("PersistentVolumeClaim", spec=asked | spec)


def refused(reason, action):
    with pytest.raises(ApiError) as raised:
        action()
    assert raised.value.reason == reason
    return raised.value.message


@pytest.mark.parametrize("name", ["1x", "X", "a.b", "a" * 64])
def test_services_are_named_as_every_supported_version_wants_it(store, name):
    made = item("Service", name, spec={"ports": [{"port": 80}]})
    assert "metadata.name" in refused("Invalid", lambda: store.create(made))


def test_a_service_keeps_the_address_it_was_given(store):
    made = store.create(item("Service", spec={"ports": [{"port": 80}]}))
    address = made["spec"]["clusterIP"]
    assert address.startswith("10.96.")
    again = store.update(item("Service", spec={"ports": [{"port": 81}]}))
    assert again["spec"]["clusterIP"] == address


def test_a_pod_needs_its_account(store):
    message = refused("Forbidden", lambda: store.create(pod(serviceAccountName="planner")))
    assert message == (
        'pods "p" is forbidden: error looking up service account default/planner: serviceaccount "planner" not found'
    )
    assert store.create(pod())["spec"]["serviceAccountName"] == "default"


def test_a_pod_requests_what_it_is_limited_to(store):
    container = {"name": "c", "image": "i", "resources": {"limits": {"cpu": "1000m", "nvidia.com/gpu": 1}}}
    made = store.create(pod(containers=[container]))
    assert made["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "1", "nvidia.com/gpu": "1"}


def test_of_a_pod_little_more_than_the_image_can_change(store):
    made = store.create(pod())
    made["spec"]["containers"][0]["image"] = "j"
    made = store.update(made)
    made["spec"]["containers"][0]["args"] = ["x"]
    assert "pod updates may not change fields other than" in refused("Invalid", lambda: store.update(made))


def test_a_claim_in_use_stays_until_its_pod_is_gone(store, clock):
    store.create(claim())
    store.create(pod(volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "x"}}]))
    store.delete("PersistentVolumeClaim", "x", "default")
    clock.run_for(60)
    assert store.get("PersistentVolumeClaim", "x", "default")["metadata"]["deletionTimestamp"]
    store.delete("Pod", "p", "default")
    clock.run_for(60)
    refused("NotFound", lambda: store.get("PersistentVolumeClaim", "x", "default"))


@pytest.mark.parametrize(("size", "words"), [("3Gi", ""), ("1Gi", "field can not be less than status.capacity")])
def test_a_bound_claim_may_grow_but_not_shrink(store, size, words):
    made = store.create(claim())
    made = store.update_status(made | {"status": {"phase": "Bound", "capacity": {"storage": "2Gi"}}})
    made["spec"]["resources"]["requests"]["storage"] = size
    if words:
        assert words in refused("Invalid", lambda: store.update(made))
    else:
        assert store.update(made)["spec"]["resources"]["requests"]["storage"] == size


def test_two_spellings_of_one_object_are_one(store):
    made = store.create(item("Secret", stringData={"a": "b"}))
    store.update(item("Secret", data={"a": "Yg=="}, type="Opaque"))
    assert store.get("Secret", "x", "default") == made
    assert not store.writes[-1].changed


def test_an_unknown_field_is_dropped_with_a_warning_or_refused_as_kubectl_asks(store):
    made = item("ConfigMap", daata={"a": "b"})
    assert "daata" not in store.create(made)
    assert store.warnings == ['unknown field "daata"']
    message = refused("BadRequest", lambda: store.create(made, strict=True))
    assert message.endswith('strict decoding error: unknown field "daata"')


def test_times_are_written_in_utc_and_whole_seconds(store):
    made = store.create(pod())
    running = {"startedAt": "2026-01-01T02:00:00.5+01:00"}
    status = {"containerStatuses": [{"name": "c", "state": {"running": running}}], "phase": "Running"}
    stored = store.update_status(made | {"status": status})["status"]["containerStatuses"][0]
    assert stored["state"]["running"] == {"startedAt": "2026-01-01T01:00:00Z"}
    assert (stored["ready"], stored["restartCount"], stored["image"], stored["lastState"]) == (False, 0, "", {})


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("nginx", "latest"),
        ("nginx:1", "1"),
        ("host:5000/a/b", "latest"),
        ("host:5000/a/b:1.2", "1.2"),
        ("nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.7.0", "0.7.0"),
        (f"a@sha256:{'0' * 64}", ""),
        (f"a:1@sha256:{'0' * 64}", "1"),
        ("No Image", ""),
    ],
)
def test_the_tag_of_an_image_decides_how_it_is_pulled(image, tag):
    assert image_tag(image) == tag
