"""Custom resources where a real server's recorded answers do not reach: changed definitions, and our own crds/."""

import copy

import pytest
import yaml

from hooks.packaged import packaged
from hooks.simulator.clock import Clock
from hooks.simulator.custom import custom_resources
from hooks.simulator.errors import ApiError
from hooks.simulator.store import Store

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
DEFINITIONS = [yaml.load(path.read_text(), LOADER) for path in sorted(packaged("crds").glob("*.yaml"))]
OURS = custom_resources(DEFINITIONS)


def definition(spec, *, status=True):
    properties = {
        "spec": {"type": "object", "properties": spec},
        "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}},
    }
    version = {
        "name": "v1",
        "served": True,
        "subresources": {"status": {}} if status else {},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    }
    names = {"kind": "Widget", "plural": "widgets"}
    return {"spec": {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]}}


def widget(**spec):
    metadata = {"name": "w", "namespace": "default"}
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata, "spec": spec}


def store_with(*definitions):
    return Store(Clock(), custom_resources(definitions))


def refused(action):
    with pytest.raises(ApiError) as raised:
        action()
    return raised.value.message


def ours(kind, name="x", **spec):
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "nvidia.com/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec}


@pytest.fixture
def store():
    return Store(Clock(), OURS)


def loosened_store(spec):
    """A store in which an object lies that today's definition would refuse."""
    store = store_with(
        definition({"size": {"type": "integer"}, "list": {"type": "array", "items": {"type": "string"}}})
    )
    made = store.create(widget(size=500, list=["long enough"]))
    strict = custom_resources([definition(spec)])[0]
    store.serve([strict])
    return store, made


def test_what_was_there_before_its_definition_got_stricter_does_not_refuse_an_update():
    limited = {
        "size": {"type": "integer", "maximum": 100, "x-kubernetes-validations": [{"rule": "self < 50"}]},
        "list": {"type": "array", "items": {"type": "string", "maxLength": 3}},
        "other": {"type": "string"},
    }
    store, made = loosened_store(limited)
    made["spec"]["other"] = "x"
    made = store.update(made)
    assert (made["spec"]["size"], made["spec"]["other"]) == (500, "x")
    assert "should be less than or equal to 100" in refused(lambda: store.update(made | {"spec": {"size": 400}}))


@pytest.mark.parametrize(("status", "generation"), [(True, 1), (False, 2)])
def test_without_a_status_subresource_the_status_counts_like_everything_else(status, generation):
    store = store_with(definition({"size": {"type": "integer"}}, status=status))
    made = store.create(widget(size=1) | {"status": {}})
    assert ("status" in made) == (not status)
    changed = made | {"status": {"ready": True}}
    made = store.update_status(changed) if status else store.update(changed)
    assert made["metadata"]["generation"] == generation


def test_a_rule_may_ask_for_an_old_value_that_need_not_be_there():
    rule = {
        "rule": "!oldSelf.hasValue() || oldSelf.value() <= self",
        "optionalOldSelf": True,
        "message": "it never shrinks",
    }
    store = store_with(definition({"size": {"type": "integer", "x-kubernetes-validations": [rule]}}))
    made = store.create(widget(size=2))
    assert "it never shrinks" in refused(lambda: store.update(made | {"spec": {"size": 1}}))
    assert store.update(made | {"spec": {"size": 3}})["spec"] == {"size": 3}


def test_rules_read_fields_whose_names_are_no_names_in_cel():
    rule = {"rule": "self.a__dash__b == 'x' && self.__namespace__ == 'n'", "message": "dashes"}
    fields = {"a-b": {"type": "string"}, "namespace": {"type": "string"}}
    both = {"both": {"type": "object", "properties": fields, "x-kubernetes-validations": [rule]}}
    store = store_with(definition(both))
    store.create(widget(both={"a-b": "x", "namespace": "n"}))
    assert "dashes" in refused(lambda: store.create(widget(both={"a-b": "y", "namespace": "n"})))


def test_a_rule_that_cannot_be_evaluated_says_why():
    rule = {"rule": "nothing(self)", "message": "m"}
    store = store_with(definition({"size": {"type": "integer", "x-kubernetes-validations": [rule]}}))
    message = refused(lambda: store.create(widget(size=1)))
    assert "nothing" in message
    assert "evaluating rule: m" in message


def test_a_definition_whose_rule_is_no_cel_is_refused_when_it_is_first_asked():
    rule = {"rule": "self >"}
    store = store_with(definition({"size": {"type": "integer", "x-kubernetes-validations": [rule]}}))
    with pytest.raises(ValueError, match="self >"):
        store.create(widget(size=1))


def test_all_four_kinds_of_ours_are_served_with_a_status(store):
    kinds = {resource.kind.kind for resource in store.kinds() if resource.has_status}
    assert kinds == {
        "DynamoComponentDeployment",
        "DynamoGraphDeployment",
        "DynamoGraphDeploymentRequest",
        "DynamoModel",
    }


@pytest.mark.parametrize(
    ("item", "words"),
    [
        (ours("DynamoGraphDeployment", backendFramework="tgi"), 'Unsupported value: "tgi"'),
        (ours("DynamoGraphDeployment", services={f"s{n}": {} for n in range(26)}), "must have at most 25 items"),
        (
            ours("DynamoGraphDeployment", services={"a": {"replicas": -1}}),
            "spec.services.a.replicas in body should be greater than or equal to 0",
        ),
        (
            ours("DynamoGraphDeployment", services={"a": {"autoscaling": {"enabled": True}}}),
            "spec.services[a].autoscaling.maxReplicas: Required value: maxReplicas is required",
        ),
        (ours("DynamoModel", baseModelName="b", modelName="m", modelType="LoRA"), 'Unsupported value: "LoRA"'),
        (
            ours(
                "DynamoGraphDeploymentRequest",
                "r" * 56,
                model="m",
                backend="vllm",
                profilingConfig={"config": {}, "profilerImage": "i"},
            ),
            "metadata.name may have at most 55 characters",
        ),
    ],
)
def test_our_own_definitions_refuse_what_makes_no_sense(store, item, words):
    assert words in refused(lambda: store.create(item))


def test_a_status_with_an_unknown_field_is_stored_without_it_time_and_again(store):
    made = store.create(ours("DynamoGraphDeployment", services={}))
    for _ in range(2):
        made = store.update_status(made | {"status": {"state": "pending", "surplus": 1}})
    assert made["status"] == {"state": "pending"}
    assert [write.changed for write in store.writes[-2:]] == [True, False]
    assert store.warnings == ['unknown field "status.surplus"'] * 2


def test_a_status_against_its_schema_is_refused(store):
    made = store.create(ours("DynamoGraphDeployment", services={}))
    wrong = {"conditions": [{"type": "Ready"}]}
    assert "status.conditions[0].status: Required value" in refused(
        lambda: store.update_status(made | {"status": wrong})
    )


def test_a_definition_is_not_changed_by_its_use():
    before = copy.deepcopy(DEFINITIONS)
    store_with(*DEFINITIONS).create(ours("DynamoGraphDeployment", services={"a": {}}))
    assert before == DEFINITIONS
