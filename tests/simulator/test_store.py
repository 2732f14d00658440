import pytest

from hooks.protocol import Kind
from hooks.simulator.api_server import start
from hooks.simulator.builtin import built_in
from hooks.simulator.clock import Clock
from hooks.simulator.custom import custom_resources
from hooks.simulator.errors import ApiError

CONFIG_MAP = Kind("ConfigMap", "v1", "configmaps")
WIDGET = Kind("Widget", "example.com/v1", "widgets")
DEFINITION = {
    "spec": {
        "group": "example.com",
        "scope": "Namespaced",
        "names": {"kind": "Widget", "plural": "widgets"},
        "versions": [{"name": "v1", "served": True, "subresources": {"status": {}}}],
    }
}


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(clock):
    return start(clock, [*built_in(), *custom_resources([DEFINITION])])


@pytest.fixture
def events(store):
    seen = []
    store.watch(lambda event, kind, item: seen.append((event, kind.kind, item["metadata"]["name"])))
    return seen


def config_map(name="c", namespace="default", owners=(), **metadata):
    references = [
        {"apiVersion": o["apiVersion"], "kind": o["kind"], "name": o["metadata"]["name"], "uid": o["metadata"]["uid"]}
        for o in owners
    ]
    metadata |= {"ownerReferences": references} if references else {}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace, **metadata}}


def widget(name="w", **content):
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata, **content}


def refused(reason, action):
    with pytest.raises(ApiError) as raised:
        action()
    assert raised.value.reason == reason
    return raised.value.message


def test_a_new_object_gets_what_only_the_server_gives(store):
    made = store.create(widget(spec={"size": 1}, status={"ready": True}))
    assert made["metadata"].pop("uid")
    assert made["metadata"].pop("resourceVersion")
    assert made["metadata"] == {
        "name": "w",
        "namespace": "default",
        "generation": 1,
        "creationTimestamp": "2026-01-01T00:00:00Z",
    }
    assert "status" not in made


def test_what_goes_in_and_comes_out_are_copies(store):
    given = config_map(labels={"a": "b"})
    made = store.create(given)
    made["metadata"]["labels"]["a"] = given["metadata"]["labels"]["a"] = "changed"
    assert store.get(CONFIG_MAP, "c", "default")["metadata"]["labels"] == {"a": "b"}


def test_a_write_that_changes_nothing_is_none(store, events):
    made = store.create(widget(spec={"size": 1}))
    events.clear()
    assert store.update(made) == made
    assert store.update_status(made) == made
    assert events == []
    assert [(write.verb, write.changed) for write in store.writes[-2:]] == [("update", False), ("update_status", False)]


def test_the_generation_counts_changes_of_the_spec_alone(store):
    made = store.create(widget(spec={"size": 1}))
    made["metadata"]["labels"] = {"a": "b"}
    made = store.update(made)
    made = store.update_status(made | {"status": {"ready": True}})
    assert made["metadata"]["generation"] == 1
    assert store.update(made | {"spec": {"size": 2}})["metadata"]["generation"] == 2


def test_status_and_the_rest_are_written_apart(store):
    made = store.create(widget(spec={"size": 1}))
    made = store.update_status(made | {"spec": {"size": 9}, "status": {"ready": True}})
    assert (made["spec"], made["status"]) == ({"size": 1}, {"ready": True})
    made = store.update(made | {"spec": {"size": 2}, "status": {"ready": False}})
    assert (made["spec"], made["status"]) == ({"size": 2}, {"ready": True})


def test_a_deployments_annotations_are_counted_unless_its_controller_writes_them_with_the_status(store):
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    made = store.create(
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "d", "namespace": "default", "labels": {"l": "1"}},
            "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template},
        }
    )
    made["metadata"] |= {"annotations": {"revision": "1"}, "labels": {"l": "2"}}
    made = store.update_status(made)
    assert made["metadata"]["annotations"] == {"revision": "1"}
    assert (made["metadata"]["labels"], made["metadata"]["generation"]) == ({"l": "1"}, 1)
    made["metadata"]["annotations"] = {"revision": "2"}
    assert store.update(made)["metadata"]["generation"] == 2


def test_a_stale_version_is_a_conflict(store):
    made = store.create(widget(spec={"size": 1}))
    store.update(made | {"spec": {"size": 2}})
    message = refused("Conflict", lambda: store.update(made | {"spec": {"size": 3}}))
    assert message == (
        'Operation cannot be fulfilled on widgets.example.com "w": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


def test_a_name_is_taken_once(store):
    store.create(config_map())
    assert refused("AlreadyExists", lambda: store.create(config_map())) == 'configmaps "c" already exists'


def test_an_object_goes_when_its_last_finalizer_does(store, events):
    made = store.create(config_map(finalizers=["example.com/hold"]))
    store.delete(CONFIG_MAP, "c", "default")
    marked = store.get(CONFIG_MAP, "c", "default")
    assert marked["metadata"]["deletionTimestamp"] == "2026-01-01T00:00:00Z"
    message = refused("Invalid", lambda: store.update(config_map(finalizers=["example.com/hold", "example.com/b"])))
    assert "no new finalizers can be added if the object is being deleted" in message
    del marked["metadata"]["finalizers"]
    store.update(marked)
    assert events[-1] == ("DELETED", "ConfigMap", "c")
    assert made["metadata"]["uid"] == marked["metadata"]["uid"]
    refused("NotFound", lambda: store.get(CONFIG_MAP, "c", "default"))


def test_owned_objects_go_with_their_last_owner(store, clock):
    first, second = store.create(widget("first")), store.create(widget("second"))
    store.create(config_map("one", owners=[first]))
    store.create(config_map("both", owners=[first, second]))
    store.delete(WIDGET, "first", "default")
    clock.run_for(10)
    assert [item["metadata"]["name"] for item in store.list(CONFIG_MAP, "default")] == ["both"]
    [owner] = store.get(CONFIG_MAP, "both", "default")["metadata"]["ownerReferences"]
    assert owner["uid"] == second["metadata"]["uid"]


def test_an_owner_counts_by_its_uid_not_by_its_name(store, clock):
    gone = store.create(widget("owner"))
    store.delete(WIDGET, "owner", "default")
    store.create(widget("owner"))
    store.create(config_map(owners=[gone]))
    clock.run_for(10)
    assert store.list(CONFIG_MAP, "default") == []


def test_orphans_stay_and_foreground_waits(store, clock):
    owner = store.create(widget("owner"))
    store.create(config_map(owners=[owner]))
    store.delete(WIDGET, "owner", "default", propagation="Orphan")
    clock.run_for(10)
    assert "ownerReferences" not in store.get(CONFIG_MAP, "c", "default")["metadata"]
    owner = store.create(widget("owner"))
    held = config_map("held", owners=[owner], finalizers=["example.com/hold"])
    held["metadata"]["ownerReferences"][0]["blockOwnerDeletion"] = True
    store.create(held)
    store.delete(WIDGET, "owner", "default", propagation="Foreground")
    clock.run_for(10)
    assert store.get(WIDGET, "owner", "default")["metadata"]["finalizers"] == ["foregroundDeletion"]
    held = store.get(CONFIG_MAP, "held", "default")
    del held["metadata"]["finalizers"]
    store.update(held)
    clock.run_for(10)
    refused("NotFound", lambda: store.get(WIDGET, "owner", "default"))


def test_a_namespace_takes_along_what_is_in_it(store, clock):
    store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team"}})
    clock.run_for(1)
    assert [item["metadata"]["name"] for item in store.list("ServiceAccount", "team")] == ["default"]
    store.create(config_map(namespace="team", finalizers=["example.com/hold"]))
    store.delete("Namespace", "team")
    assert store.get("Namespace", "team")["status"] == {"phase": "Terminating"}
    message = refused("Forbidden", lambda: store.create(config_map("late", namespace="team")))
    assert message.endswith("unable to create new content in namespace team because it is being terminated")
    clock.run_for(10)
    held = store.get(CONFIG_MAP, "c", "team")
    del held["metadata"]["finalizers"]
    store.update(held)
    clock.run_for(10)
    refused("NotFound", lambda: store.get("Namespace", "team"))


def test_nothing_is_made_in_a_namespace_that_is_not_there(store):
    assert (
        refused("NotFound", lambda: store.create(config_map(namespace="nowhere"))) == 'namespaces "nowhere" not found'
    )
    refused("MethodNotAllowed", lambda: store.create(config_map(namespace="")))


def test_a_kind_the_cluster_lacks_is_not_found(store):
    refused("NotFound", lambda: store.create({"apiVersion": "x/v1", "kind": "Y", "metadata": {"name": "y"}}))


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ({}, ["a", "ab", "none"]),
        ({"matchLabels": {"a": "1"}}, ["a", "ab"]),
        ({"matchExpressions": [{"key": "b", "operator": "Exists"}]}, ["ab"]),
        ({"matchExpressions": [{"key": "b", "operator": "DoesNotExist"}]}, ["a", "none"]),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["1"]}]}, ["none"]),
        ({"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "In", "values": ["2"]}]}, ["ab"]),
    ],
)
def test_selectors_select_by_labels(store, selector, names):
    for name, labels in {"a": {"a": "1"}, "ab": {"a": "1", "b": "2"}, "none": {}}.items():
        store.create(config_map(name, labels=labels))
    assert [item["metadata"]["name"] for item in store.list(CONFIG_MAP, "default", selector)] == names


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({"name": "Upper"}, 'metadata.name: Invalid value: "Upper": a lowercase RFC 1123 subdomain must consist of'),
        ({"name": ""}, "metadata.name: Required value: name or generateName is required"),
        ({"labels": {"a": "no spaces"}}, 'metadata.labels: Invalid value: "no spaces": a valid label must be'),
        ({"labels": {"a": "x" * 64}}, "must be no more than 63 bytes"),
        ({"annotations": {"a": "x" * 262144}}, "metadata.annotations: Too long: may not be more than 262144 bytes"),
    ],
)
def test_metadata_is_judged(store, metadata, words):
    assert words in refused(
        "Invalid", lambda: store.create(config_map() | {"metadata": config_map()["metadata"] | metadata})
    )


def test_writes_name_who_wrote_and_what_was_refused(store):
    with store.acting("somebody"):
        store.create(config_map())
        refused("AlreadyExists", lambda: store.create(config_map()))
    first, second = store.writes[-2:]
    assert (first.by, first.changed, first.refused) == ("somebody", True, None)
    assert (second.changed, second.refused.reason) == (False, "AlreadyExists")
