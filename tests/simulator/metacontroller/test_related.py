import pytest
import yaml

from tests.simulator.metacontroller.toys import COMPOSITE, answer, cluster, config_map, hook, widget


def related_names(seen):
    return sorted(seen[-1].get("ConfigMap.v1", {}))


def rule(**more):
    return {"apiVersion": "v1", "resource": "configmaps", **more}


def running(*rules, version="v2"):
    """A cluster whose Widgets ask for related objects by those rules, and what its hook was shown of them."""
    seen = []

    def sync(request):
        seen.append(request["related"])
        return answer()

    manifest = hook(hook(yaml.safe_load(COMPOSITE), "sync", version), "customize", version)
    rules = {"relatedResources": rules}
    return cluster(sync, controller=manifest, customize=lambda _: rules, namespaces=("default", "other")), seen


@pytest.mark.parametrize(
    ("rules", "found"),
    [
        ([rule(names=["a"], namespace="default")], ["default/a"]),
        ([rule(names=["a", "b"], namespace="default")], ["default/a"]),
        ([rule(names=["a"], namespace="default"), rule(names=["b"], namespace="other")], ["default/a", "other/b"]),
        ([rule(labelSelector={"matchLabels": {"x": "1"}}, namespace="other")], ["other/b"]),
        ([rule(labelSelector={}, namespace="default")], ["default/a"]),
        ([rule(namespace="default")], ["default/a"]),
        ([rule(names=["none"], namespace="default")], []),
        ([rule(names=["a"])], ["default/a", "other/a"]),
        ([rule(labelSelector={})], ["default/a", "other/a", "other/b"]),
        ([rule(names=[])], ["default/a", "other/a", "other/b"]),
        ([rule(namespaceSelector={"matchLabels": {"kubernetes.io/metadata.name": "other"}})], ["other/a", "other/b"]),
    ],
    ids=[
        "by name",
        "a name that is not there",
        "several rules add up",
        "by label",
        "an empty selector selects all",
        "so does none",
        "none found still has its entry",
        "by name, without namespace: the whole cluster",
        "by label, without namespace: the whole cluster",
        "an empty list of names: everything",
        "by the namespace's labels",
    ],
)
def test_what_a_rule_selects(rules, found):
    made, seen = running(*rules)
    for name, namespace, labels in [("a", "default", {}), ("a", "other", {}), ("b", "other", {"x": "1"})]:
        made.apply(config_map(name, namespace=namespace, labels=labels))
    made.apply(widget())
    made.settle()
    assert "ConfigMap.v1" in seen[-1]
    assert related_names(seen) == found


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (rule(names=["a"], labelSelector={}), "names and a selector"),
        (rule(namespace="default", namespaceSelector={}), "a namespace and a namespaceSelector"),
        ({"apiVersion": "alien.io/v1", "resource": "aliens"}, "no aliens of alien.io/v1"),
        ({"apiVersion": "v1", "resource": "namespaces", "namespaceSelector": {}}, "have no namespace"),
    ],
)
def test_a_rule_that_cannot_be_followed_fails_every_sync(bad, said):
    made, seen = running(bad)
    made.apply(widget())
    made.settle()
    assert not seen
    assert said in next(iter(made.events)).message


def test_a_change_of_a_related_object_syncs_the_parents_that_asked_for_it():
    made, seen = running(rule(names=["a"], namespace="default"))
    made.apply(widget())
    made.settle()
    before = len(seen)
    made.apply(config_map("unasked"))
    made.settle()
    assert len(seen) == before
    made.apply(config_map("a"))
    made.settle()
    assert related_names(seen) == ["default/a"]
    made.delete("ConfigMap", "a")
    made.settle()
    assert related_names(seen) == []


def test_one_that_ceases_to_match_counts_as_changed():
    made, seen = running(rule(labelSelector={"matchLabels": {"x": "1"}}, namespace="default"))
    made.apply(config_map("a", labels={"x": "1"}))
    made.apply(widget())
    made.settle()
    assert related_names(seen) == ["default/a"]
    made.edit("ConfigMap", "a", lambda item: item["metadata"].pop("labels"))
    made.settle()
    assert related_names(seen) == []


def test_the_answer_is_kept_for_twenty_minutes_and_for_one_generation():
    made, _ = running(rule(names=["a"], namespace="default"))
    made.apply(widget())
    made.settle()
    made.run_for(19 * 60)
    assert made.hooks.calls["/widgets/customize"] == 1
    made.edit("Widget", "w", lambda item: item["metadata"].update(labels={"a": "b"}))
    made.settle()
    assert made.hooks.calls["/widgets/customize"] == 1, "labels are no new generation"
    made.edit("Widget", "w", lambda item: item["spec"].update(a=1))
    made.settle()
    assert made.hooks.calls["/widgets/customize"] == 2
    made.run_for(26 * 60)
    assert made.hooks.calls["/widgets/customize"] == 3, "asked again by the first resync after it ran out"


def test_while_the_hooks_are_away_and_the_answer_has_run_out_a_change_is_only_seen_by_a_resync():
    made, seen = running(rule(names=["a"], namespace="default"))
    made.run_for(100)  # so that the answer, of this moment, does not run out just when a resync comes
    made.apply(widget())
    made.settle()
    made.run_for(20 * 60 + 2)
    made.hooks.fail(seconds=10)
    made.apply(config_map("a"))
    made.run_for(150)
    assert related_names(seen) == []
    made.run_for(100)
    assert related_names(seen) == ["default/a"]


def test_a_version_one_hook_sees_only_its_own_namespace():
    made, seen = running(rule(labelSelector={}), version="v1")
    made.apply(config_map("a"), config_map("b", namespace="other"), widget())
    made.settle()
    assert related_names(seen) == ["a"]


def test_a_version_one_hook_cannot_ask_for_another():
    made, _ = running(rule(names=["b"], namespace="other"), version="v1")
    made.apply(widget())
    made.settle()
    assert "cannot look into another namespace" in next(iter(made.events)).message
