import pytest
import yaml

from hooks.simulator.metacontroller.manifests import ResourceName, UnusableController, read_controller, read_controllers
from tests.simulator.metacontroller.toys import COMPOSITE, DECORATOR


def test_a_composite_controller_is_read():
    controller = read_controller(yaml.safe_load(COMPOSITE))
    assert controller.composite
    assert controller.generate_selector
    assert controller.children[ResourceName("batch/v1", "jobs")] == "OnDelete"
    assert controller.hooks["sync"].path == "/widgets/sync?v=1"
    assert controller.hooks["sync"].strict


def changed(path, value, text=COMPOSITE):
    controller = yaml.safe_load(text)
    *outer, last = path
    place = controller["spec"]
    for key in outer:
        place = place[key]
    place[last] = value
    return controller


@pytest.mark.parametrize(
    ("controller", "said"),
    [
        (changed(["hooks"], {}), "spec.hooks: has neither sync nor finalize"),
        (changed(["hooks", "sync"], {"webhook": {}}), "spec.hooks.sync: webhook needs a url"),
        (changed(["hooks", "sync", "webhook", "etag"], {"enabled": True}), "etag is not simulated"),
        (changed(["parentResource"], {"resource": "widgets"}), "spec.parentResource: needs apiVersion and resource"),
        (
            changed(["childResources", 0, "updateStrategy"], {"method": "RollingInPlace"}),
            "RollingInPlace is not simulated",
        ),
        (changed(["resources", 0], {}, DECORATOR), r"spec.resources\[0\]: needs apiVersion and resource"),
        ({"kind": "ConfigMap", "metadata": {"name": "c"}}, "ConfigMap c is no controller"),
    ],
)
def test_what_is_not_simulated_is_refused_by_name(controller, said):
    with pytest.raises(UnusableController, match=said):
        read_controller(controller)


def test_a_service_and_a_path_are_as_good_as_a_url():
    webhook = {"path": "/widgets/sync", "service": {"name": "hooks", "namespace": "dynamo"}}
    assert read_controller(changed(["hooks", "sync"], {"webhook": webhook})).hooks["sync"].path == "/widgets/sync"


def test_other_kinds_among_the_manifests_are_left_out():
    documents = [*map(yaml.safe_load, (COMPOSITE, DECORATOR)), {"apiVersion": "v1", "kind": "Namespace"}]
    assert [controller.name for controller in read_controllers(documents)] == ["widgets", "namespaces"]
