import pytest
import yaml

from tests.simulator.metacontroller.toys import DECORATOR, cluster, config_map, widget

ANNOTATION = "metacontroller.k8s.io/decorator-controller"


def namespace(name="team", **labels):
    return {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def decorated(*attachments, **more):
    return lambda _: {"attachments": list(attachments), **more}


def messages(running):
    return [event.message for event in running.events]


def test_an_attachment_is_owned_and_carries_the_name_of_its_controller():
    running = cluster(decorated(config_map(namespace="team", data={"a": "1"})), controller=DECORATOR)
    running.apply(namespace(decorate="yes"))
    running.settle()
    made = running.get("ConfigMap", "c", "team")["metadata"]
    assert made["annotations"][ANNOTATION] == "namespaces"
    assert made["ownerReferences"][0]["kind"] == "Namespace"
    assert made["ownerReferences"][0]["controller"]
    running.check_fixed_point()


def test_an_attachment_of_a_namespace_needs_a_namespace_itself():
    running = cluster(decorated(config_map()), controller=DECORATOR)
    running.apply(namespace(decorate="yes"))
    running.settle()
    assert running.find("ConfigMap", "c", "team") is None
    assert "does not allow this method" in messages(running)[0]


def test_what_is_not_selected_is_left_alone():
    running = cluster(decorated(config_map(namespace="team")), controller=DECORATOR)
    running.apply(namespace())
    running.settle()
    assert running.hooks.calls == {}


def test_only_its_own_attachments_are_shown_to_a_hook():
    seen = []

    def sync(request):
        seen.append(sorted(request["attachments"]["ConfigMap.v1"]))
        return {"attachments": [config_map(namespace="team")]}

    running = cluster(sync, controller=DECORATOR)
    made = running.apply(namespace(decorate="yes"))[0]
    owner = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "name": "team",
        "uid": made["metadata"]["uid"],
        "controller": True,
    }
    running.apply(config_map("theirs", namespace="team", ownerReferences=[owner]))
    running.settle()
    assert seen[-1] == ["team/c"]


def test_an_attachment_that_is_not_named_any_more_is_deleted():
    wanted = [config_map(namespace="team")]
    running = cluster(lambda _: {"attachments": wanted}, controller=DECORATOR)
    running.apply(namespace(decorate="yes"))
    running.settle()
    wanted.clear()
    running.resync_all()
    assert running.find("ConfigMap", "c", "team") is None


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ({"new": "1"}, {"decorate": "yes", "new": "1"}),
        ({"old": None}, {"decorate": "yes"}),
        ({}, {"decorate": "yes", "old": "1"}),
    ],
)
def test_labels_are_set_and_deleted(answer, labels):
    running = cluster(decorated(labels=answer), controller=DECORATOR)
    running.apply(namespace(decorate="yes", **({} if "new" in answer else {"old": "1"})))
    running.settle()
    found = running.get("Namespace", "team")["metadata"]["labels"]
    assert {key: value for key, value in found.items() if "kubernetes.io" not in key} == labels
    running.check_fixed_point()


def test_a_status_is_written_where_the_answer_has_one():
    controller = yaml.safe_load(DECORATOR)
    controller["spec"]["resources"] = [{"apiVersion": "example.com/v1", "resource": "widgets"}]
    running = cluster(decorated(status={"state": "decorated"}), controller=controller)
    running.apply(widget())
    running.settle()
    assert running.get("Widget", "w")["status"] == {"state": "decorated"}
    running.check_fixed_point()


def test_attachments_of_a_namespaced_object_get_its_namespace():
    controller = yaml.safe_load(DECORATOR)
    controller["spec"]["resources"] = [{"apiVersion": "example.com/v1", "resource": "widgets"}]
    running = cluster(decorated(config_map()), controller=controller)
    running.apply(widget())
    running.settle()
    assert running.find("ConfigMap", "c") is not None
    running.check_fixed_point()


def test_objects_can_be_chosen_by_annotations():
    controller = yaml.safe_load(DECORATOR)
    controller["spec"]["resources"] = [
        {"apiVersion": "v1", "resource": "configmaps", "annotationSelector": {"matchAnnotations": {"mark": "me"}}}
    ]
    controller["spec"]["attachments"] = []
    running = cluster(decorated(annotations={"seen": "yes"}), controller=controller)
    running.apply(config_map("a", annotations={"mark": "me"}), config_map("b"))
    running.settle()
    assert running.get("ConfigMap", "a")["metadata"]["annotations"]["seen"] == "yes"
    assert "seen" not in running.get("ConfigMap", "b")["metadata"]["annotations"]


def test_a_finalizer_holds_the_object_until_the_hook_lets_go():
    done = []
    running = cluster(
        decorated(config_map(namespace="team")),
        controller=DECORATOR,
        finalize=lambda _: {"attachments": [], "finalized": bool(done)},
    )
    running.apply(namespace(decorate="yes"))
    running.settle()
    assert running.get("Namespace", "team")["metadata"]["finalizers"] == [
        "metacontroller.io/decoratorcontroller-namespaces"
    ]
    running.edit("Namespace", "team", lambda item: item["metadata"]["labels"].update(decorate="no"))
    running.settle()
    assert running.find("ConfigMap", "c", "team") is None, "one that is not selected any more is finalized too"
    done.append(True)
    running.resync_all()
    assert "finalizers" not in running.get("Namespace", "team")["metadata"]
