import pytest
import yaml

from hooks.simulator.cluster import NeverAtRest, WritesAtRest
from tests.simulator.metacontroller.toys import COMPOSITE, CONFIG_MAP, answer, cluster, config_map, messages, widget


def small(method):
    controller = yaml.safe_load(COMPOSITE)
    controller["spec"]["childResources"] = [
        {"apiVersion": "v1", "resource": "configmaps", "updateStrategy": {"method": method}}
    ]
    return controller


def test_children_are_made_owned_and_labelled():
    running = cluster(lambda request: answer(config_map(data={"a": request["parent"]["spec"]["a"]})))
    parent = running.apply(widget(a="1"))[0]
    running.settle()
    child = running.get("ConfigMap", "c")
    assert child["data"] == {"a": "1"}
    assert child["metadata"]["labels"] == {"controller-uid": parent["metadata"]["uid"]}
    assert child["metadata"]["ownerReferences"][0]["uid"] == parent["metadata"]["uid"]
    assert running.get("Widget", "w")["status"] == {"state": "fine", "observedGeneration": 1}
    running.check_fixed_point()


def test_a_hook_sees_its_children_under_their_kinds_and_every_kind_has_an_entry():
    seen = []

    def sync(request):
        seen.append(request["children"])
        return answer(config_map())

    running = cluster(sync)
    running.apply(widget())
    running.settle()
    assert seen[0] == {"ConfigMap.v1": {}, "Service.v1": {}, "Job.batch/v1": {}, "Deployment.apps/v1": {}}
    assert list(seen[-1]["ConfigMap.v1"]) == ["default/c"]


@pytest.mark.parametrize("seed", range(3))
def test_an_empty_list_of_children_deletes_them_all(seed):
    names = ["a", "b", "c"]
    running = cluster(lambda _: answer(*map(config_map, names)), seed=seed, lag=0.5)
    running.apply(widget())
    running.settle()
    names.clear()
    running.resync_all()
    assert running.store.list(CONFIG_MAP) == []


def test_a_label_taken_over_from_the_parent_fails_the_sync():
    """As with a DGD's `controller-uid`, copied from a DCD's labels to its children."""
    running = cluster(lambda request: answer(config_map(labels=request["parent"]["metadata"]["labels"])))
    running.apply(widget(labels={"controller-uid": "of-the-grandparent"}))
    running.settle()
    assert running.find("ConfigMap", "c") is None
    assert "do not match its parent's selector" in messages(running)[0]


def test_labels_that_are_null_fail_the_sync():
    running = cluster(lambda _: answer(config_map(labels=None)))
    running.apply(widget())
    running.settle()
    assert running.find("ConfigMap", "c") is None
    assert "the labels of ConfigMap c are no object but None" in messages(running)[0]


def test_an_owned_object_without_the_label_is_released():
    wanted = [config_map()]
    running = cluster(lambda _: answer(*wanted))
    running.apply(widget())
    running.settle()
    wanted.clear()
    running.edit("ConfigMap", "c", lambda item: item["metadata"].pop("labels"))
    running.settle()
    assert "ownerReferences" not in running.get("ConfigMap", "c")["metadata"]


def test_an_orphan_with_the_label_is_adopted_and_becomes_what_is_desired():
    wanted = []
    running = cluster(lambda _: answer(*wanted))
    uid = running.apply(widget())[0]["metadata"]["uid"]
    running.settle()
    running.apply(config_map(data={"theirs": "1"}))
    wanted.append(config_map(data={"ours": "2"}))
    running.edit("ConfigMap", "c", lambda item: item["metadata"].update(labels={"controller-uid": uid}))
    running.settle()
    child = running.get("ConfigMap", "c")
    assert child["metadata"]["ownerReferences"][0]["uid"] == uid
    assert child["data"] == {"theirs": "1", "ours": "2"}
    running.check_fixed_point()


def test_a_name_that_is_taken_is_passed_over_in_silence():
    running = cluster(lambda _: answer(config_map(data={"ours": "2"})))
    running.apply(config_map(data={"theirs": "1"}))
    running.apply(widget())
    running.settle()
    assert running.get("ConfigMap", "c")["data"] == {"theirs": "1"}
    assert not messages(running)
    assert {write.refused.reason for write in running.writes if write.refused} == {"AlreadyExists"}


def test_a_timestamp_makes_an_endless_loop_which_is_reported():
    running = cluster(lambda _: answer(config_map(data={"now": str(running.clock.now())})))
    running.apply(widget())
    with pytest.raises(NeverAtRest, match="update ConfigMap default/c by metacontroller/widgets: changed it"):
        running.settle(within=60)


def test_a_status_that_changes_each_time_makes_one_too():
    running = cluster(lambda _: {"status": {"state": str(running.clock.now())}, "children": []})
    running.apply(widget())
    with pytest.raises(NeverAtRest, match="update_status Widget"):
        running.settle(within=60)


def test_with_ignore_status_changes_it_makes_none():
    controller = yaml.safe_load(COMPOSITE)
    controller["spec"]["parentResource"]["ignoreStatusChanges"] = True
    running = cluster(lambda _: {"status": {"state": str(running.clock.now())}, "children": []}, controller=controller)
    running.apply(widget())
    running.settle()
    assert running.hooks.calls == {"/widgets/sync": 1}
    running.edit("Widget", "w", lambda item: item["metadata"].update(labels={"a": "b"}))
    running.settle()
    assert running.hooks.calls == {"/widgets/sync": 2}


def test_a_value_that_the_server_drops_is_written_at_rest_which_is_reported():
    running = cluster(lambda _: answer(config_map(namespace="default", generateName=None)))
    running.apply(widget())
    with pytest.raises(WritesAtRest, match="update ConfigMap default/c by metacontroller/widgets: changed nothing"):
        running.check_fixed_point()


def test_a_status_against_its_schema_fails_the_sync_for_ever():
    running = cluster(lambda _: {"status": {"condition": "fine"}, "children": [config_map()]})
    running.apply(widget())
    running.run_for(60)
    assert "status.state: Required value" in messages(running)[0]
    assert "status" not in running.get("Widget", "w")
    assert running.find("ConfigMap", "c") is not None


def test_an_immutable_field_fails_the_sync_and_nothing_else_changes():
    parallel = [1]

    def job():
        container = {"name": "a", "image": "i"}
        pod = {"spec": {"containers": [container], "restartPolicy": "Never"}}
        spec = {"completions": parallel[0], "template": pod}
        return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": spec}

    controller = yaml.safe_load(COMPOSITE)
    controller["spec"]["childResources"] = [
        {"apiVersion": "batch/v1", "resource": "jobs", "updateStrategy": {"method": "InPlace"}}
    ]
    running = cluster(lambda _: answer(job()), controller=controller)
    running.apply(widget())
    running.settle()
    parallel[0] = 2
    running.resync_all()
    assert "field is immutable" in messages(running)[0]
    assert running.get("Job", "j")["spec"]["completions"] == 1


def test_a_quantity_in_another_spelling_is_written_at_rest_which_is_reported():
    def deployment():
        container = {"name": "a", "image": "i", "resources": {"limits": {"cpu": "1000m"}}}
        labels = {"app": "x"}
        template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
        spec = {"selector": {"matchLabels": labels}, "template": template}
        return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}, "spec": spec}

    running = cluster(lambda _: answer(deployment()))
    running.apply(widget())
    with pytest.raises(WritesAtRest, match="update Deployment default/d by metacontroller/widgets: changed nothing"):
        running.check_fixed_point()


def test_a_status_with_a_field_that_the_schema_lacks_is_written_again_and_again():
    running = cluster(lambda _: {"status": {"state": "fine", "ratio": 1.0}, "children": []})
    running.apply(widget())
    with pytest.raises((WritesAtRest, NeverAtRest), match="update_status Widget default/w"):
        running.check_fixed_point()


def test_a_kind_that_is_not_declared_is_made_blindly_and_never_updated():
    data = {"a": "1"}
    running = cluster(lambda _: answer(config_map(data=dict(data))), controller=with_no_children())
    running.apply(widget())
    running.settle()
    data["a"] = "2"
    writes = running.resync_all()
    assert running.get("ConfigMap", "c")["data"] == {"a": "1"}
    assert [write.refused.reason for write in writes] == ["AlreadyExists"]


def with_no_children():
    controller = yaml.safe_load(COMPOSITE)
    controller["spec"]["childResources"] = []
    return controller


def test_a_kind_that_the_cluster_lacks_fails_the_sync_but_not_the_rest():
    alien = {"apiVersion": "alien.io/v1", "kind": "Alien", "metadata": {"name": "a"}}
    running = cluster(lambda _: answer(alien, config_map()))
    running.apply(widget())
    running.settle()
    assert running.find("ConfigMap", "c") is not None
    assert "no kind Alien of alien.io/v1" in messages(running)[0]
    assert running.get("Widget", "w")["status"]["state"] == "fine"


def test_a_controller_whose_kinds_are_not_all_there_does_not_start():
    controller = yaml.safe_load(COMPOSITE)
    controller["spec"]["childResources"].append({"apiVersion": "alien.io/v1", "resource": "aliens"})
    running = cluster(lambda _: answer(), controller=controller)
    running.apply(widget())
    running.settle()
    assert running.hooks.calls == {}
    assert "no aliens of alien.io/v1" in messages(running, "CreateError")[0]


@pytest.mark.parametrize(
    ("method", "data", "same_uid"),
    [("OnDelete", {"a": "1"}, True), ("InPlace", {"a": "2"}, True), ("Recreate", {"a": "2"}, False)],
)
def test_how_a_child_is_updated(method, data, same_uid):
    wanted = {"a": "1"}
    running = cluster(lambda _: answer(config_map(data=dict(wanted))), controller=small(method))
    running.apply(widget())
    running.settle()
    before = running.get("ConfigMap", "c")
    wanted["a"] = "2"
    running.resync_all()
    after = running.get("ConfigMap", "c")
    assert after["data"] == data
    assert (after["metadata"]["uid"] == before["metadata"]["uid"]) is same_uid
    running.check_fixed_point()


def test_a_child_that_a_user_deleted_comes_back():
    running = cluster(lambda _: answer(config_map()), controller=small("OnDelete"))
    running.apply(widget())
    running.settle()
    running.delete("ConfigMap", "c")
    running.settle()
    assert running.find("ConfigMap", "c") is not None


def test_children_go_with_their_parent():
    running = cluster(lambda _: answer(config_map()))
    running.apply(widget())
    running.settle()
    running.delete("Widget", "w")
    running.settle()
    assert running.find("ConfigMap", "c") is None


def test_a_list_merged_by_a_repeated_key_loses_an_entry():
    ports = [{"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}]
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": {"ports": ports}}
    running = cluster(lambda _: answer(service))
    running.apply(widget())
    running.settle()
    assert "Duplicate value" in messages(running)[0], "the second sync already sends one of the ports twice"


@pytest.mark.parametrize(("size", "fits"), [(120_000, True), (262_000, False)])
def test_what_was_applied_has_to_fit_into_annotations(size, fits):
    running = cluster(lambda _: answer(config_map(data={"a": "x" * size})))
    running.apply(widget())
    running.settle()
    assert (running.find("ConfigMap", "c") is not None) is fits
    assert bool(messages(running)) is not fits
    assert fits or "metadata.annotations: Too long" in messages(running)[0]


@pytest.mark.parametrize("seed", range(5))
def test_the_same_seed_gives_the_same_run(seed):
    def run():
        running = cluster(lambda _: answer(*map(config_map, "abc")), seed=seed, lag=0.3)
        for name in "xyz":
            running.apply(widget(name))
        running.settle()
        return str(running.trace)

    assert run() == run()


def test_a_widget_of_version_one_hooks_sees_bare_names():
    controller = yaml.safe_load(COMPOSITE)
    controller["spec"]["hooks"]["sync"]["version"] = "v1"
    seen = []

    def sync(request):
        seen.append(request["children"]["ConfigMap.v1"])
        return {**answer(config_map()), "unknown": "fields are no matter"}

    running = cluster(sync, controller=controller)
    running.apply(widget())
    running.settle()
    assert list(seen[-1]) == ["c"]
    assert not messages(running)


def test_an_unknown_field_in_an_answer_fails_the_sync():
    running = cluster(lambda _: {"status": {}, "childs": [config_map()]})
    running.apply(widget())
    running.run_for(1)
    assert "unknown field 'childs'" in messages(running)[0]
    assert "SyncError" in str(running.trace)
