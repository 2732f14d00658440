import pytest

from hooks.settings import Settings
from hooks.simulator.installation import our_installation
from hooks.simulator.kustomize import with_component
from hooks.simulator.metacontroller.manifests import UnusableController

TARGET = {"kind": "CompositeController"}


def composite(name="c"):
    return {"kind": "CompositeController", "metadata": {"name": name}, "spec": {"rules": [1]}}


def component(patch, target=TARGET, **more):
    return {"resources": [], "patches": [{"target": target, "patch": patch}], **more}


def add(path, value=2):
    return [{"op": "add", "path": path, "value": value}]


@pytest.mark.parametrize(
    ("path", "spec"), [("/spec/rules/-", {"rules": [1, 2]}), ("/spec/more", {"rules": [1], "more": 2})]
)
def test_a_patch_adds_to_what_it_targets(path, spec):
    found = with_component(
        [composite(), {"kind": "DecoratorController", "metadata": {"name": "d"}}], component(add(path))
    )
    assert [item.get("spec") for item in found] == [spec, None]


def test_a_patch_deletes_what_it_names():
    target = {"kind": "CompositeController", "name": "b"}
    found = with_component([composite("a"), composite("b")], component({"$patch": "delete"}, target))
    assert [item["metadata"]["name"] for item in found] == ["a"]


def test_a_suffix_ends_all_names_those_of_the_components_own_resources_too():
    made = component(add("/spec/x"), resources=[composite("more")], nameSuffix="-a")
    assert [item["metadata"]["name"] for item in with_component([composite()], made)] == ["c-a", "more-a"]


@pytest.mark.parametrize(
    "patch",
    [
        [{"op": "remove", "path": "/spec/rules"}],
        [{"op": "add", "path": "/spec/rules/0", "value": 0}],
        {"spec": {"rules": []}},
    ],
)
def test_what_no_component_of_ours_does_is_refused_rather_than_left_out(patch):
    with pytest.raises(UnusableController, match="is not simulated"):
        with_component([composite()], component(patch))


def test_an_installation_for_chosen_namespaces_has_the_component_for_it():
    restriction = {"enabled": True, "installation": "blue", "namespaces": ["x", "y"]}
    found = our_installation(Settings.model_validate({"namespaceRestriction": restriction})).controllers
    by_name = {controller.name: controller for controller in found}
    assert {name.rpartition("-")[2] for name in by_name} == {"blue"}
    assert "dynamo-claims-blue" in by_name
    assert "dynamo-registry-secrets-blue" not in by_name
    assert by_name["dynamo-namespaces-blue"].parents[0].label_selector == {
        "matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["x", "y"]}]
    }
    composites = [controller for controller in found if controller.composite]
    assert [controller.parents[0].label_selector for controller in composites] == [
        {"matchLabels": {"nvidia.com/dynamo-installation": "blue"}}
    ] * 4
