from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.simulator.metacontroller.apply import (
    LAST_APPLIED,
    MergeConflict,
    first_version,
    merge,
    next_version,
)
from hooks.simulator.metacontroller.plain import same, text


@pytest.mark.parametrize(
    ("observed", "applied", "desired", "merged", "reason"),
    [
        ({"a": 1, "b": 2}, {}, {"a": 3}, {"a": 3, "b": 2}, "what was never desired is left alone"),
        ({"a": 1, "b": 2}, {"b": 2}, {"a": 1}, {"a": 1}, "what was desired and is not any more goes"),
        ({"a": {"x": 1, "y": 2}}, {"a": {"x": 1}}, {"a": {}}, {"a": {"y": 2}}, "the same inside an object"),
        ({"a": 1}, {"a": 1}, {"a": None}, {"a": None}, "a null is a value, and differs for ever from its absence"),
        ({"a": {"x": 1}}, {"a": {"x": 1}}, {"a": None}, {"a": {}}, "a null over an object empties what was applied"),
        ({"a": [1, 2]}, {"a": [1, 2]}, {"a": [2]}, {"a": [2]}, "a list of other things is replaced whole"),
        ({"a": [{"x": 1}]}, {}, {"a": [{"x": 2}]}, {"a": [{"x": 2}]}, "so is one of objects without a merge key"),
        (
            {"a": [{"name": "x", "v": 1}, {"name": "y"}]},
            {},
            {"a": [{"name": "z"}, {"name": "x", "w": 2}]},
            {"a": [{"name": "x", "v": 1, "w": 2}, {"name": "y"}, {"name": "z"}]},
            "a list with a merge key keeps the observed order, what is new comes last",
        ),
        (
            {"a": [{"name": "x"}, {"name": "y"}]},
            {"a": [{"name": "x"}]},
            {"a": [{"name": "y"}]},
            {"a": [{"name": "y"}]},
            "an item that was desired and is not any more goes",
        ),
        (
            {"a": [{"name": "x"}]},
            {"a": [{"name": "x"}]},
            {"a": [{"value": 1}]},
            {"a": [{"value": 1}]},
            "the key must be in every item of all three",
        ),
        (
            {"a": [{"name": "x", "containerPort": 1}]},
            {},
            {"a": [{"name": "y", "containerPort": 1}]},
            {"a": [{"name": "y", "containerPort": 1}]},
            "the first key that fits wins: containerPort before name",
        ),
        (
            {"a": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]},
            {},
            {"a": [{"port": 53, "protocol": "TCP"}, {"port": 53, "protocol": "UDP"}]},
            {"a": [{"port": 53, "protocol": "UDP"}, {"port": 53, "protocol": "UDP"}]},
            "an entry with a repeated key is lost",
        ),
        (
            {"a": [{"port": 80}]},
            {},
            {"a": [{"port": 80.0}]},
            {"a": [{"port": 80.0}]},
            "keys are compared as text",
        ),
    ],
)
def test_a_merge(observed, applied, desired, merged, reason):
    assert merge(observed, applied, desired) == merged, reason


@pytest.mark.parametrize(("desired"), [{"a": [1]}, {"a": "x"}])
def test_an_object_cannot_be_merged_with_something_else(desired):
    with pytest.raises(MergeConflict, match=r"\.a: is an object in the cluster"):
        merge({"a": {}}, None, desired)


keys = st.sampled_from(["name", "port", "a", "b"])
values = st.recursive(
    st.none() | st.integers(0, 3) | st.sampled_from(["x", "y"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(keys, values, max_size=3)


@given(observed=objects, applied=objects, desired=objects)
def test_a_merge_changes_none_of_the_three(observed, applied, desired):
    before = text({"all": [observed, applied, desired]})
    with suppress(MergeConflict):
        merge(observed, applied, desired)
    assert text({"all": [observed, applied, desired]}) == before


@pytest.mark.parametrize(("number", "written"), [(500.0, "500"), (0.5, "0.5"), (1e300, "1e+300")])
def test_a_number_is_written_whole_where_it_is_read_so(number, written):
    assert text({"n": number}) == f'{{"n":{written}}}'


scalars = st.dictionaries(keys, st.integers(0, 3) | st.sampled_from(["x", "y"]), max_size=3)
trees = st.dictionaries(keys, scalars | st.integers(0, 3), max_size=3)


@given(applied=trees, desired=trees)
def test_nothing_but_the_desired_is_left_of_what_only_we_wrote(applied, desired):
    """Where shapes agree; a merge of objects with other things is an error, above."""
    for key in applied.keys() & desired.keys():
        if isinstance(applied[key], dict) != isinstance(desired[key], dict):
            return
    assert merge(applied, applied, desired) == desired


def made(desired):
    created = first_version(desired)
    created["metadata"] |= {"uid": "u", "resourceVersion": "1", "generation": 1}
    return created


def test_what_was_applied_stands_in_an_annotation():
    created = first_version({"kind": "X", "metadata": {"name": "x"}, "spec": {"b": 1, "a": "<&>"}})
    applied = created["metadata"]["annotations"][LAST_APPLIED]
    assert applied == r'{"kind":"X","metadata":{"name":"x"},"spec":{"a":"\u003c\u0026\u003e","b":1}}'


def test_the_same_desired_object_changes_nothing():
    desired = {"kind": "X", "metadata": {"name": "x", "annotations": {"a": "b"}}, "spec": {"replicas": 0}}
    observed = made(desired)
    observed["spec"]["filled"] = "by the server"
    observed["status"] = {"ready": 1}
    assert same(next_version(observed, desired), observed)


@pytest.mark.parametrize("field", ["uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp"])
def test_what_the_server_writes_is_put_back(field):
    observed = made({"kind": "X", "metadata": {"name": "x"}})
    desired = {"kind": "X", "metadata": {"name": "x", field: "other"}, "status": {"ready": 7}}
    new = next_version(observed, desired)
    assert new["metadata"].get(field) == observed["metadata"].get(field)
    assert "status" not in new


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [(1, 1, True), (1, 1.0, False), (1, True, False), ({"a": [1]}, {"a": [1.0]}, False), ({"a": None}, {}, False)],
)
def test_equality_tells_types_apart(left, right, equal):
    assert same(left, right) is equal
