import copy
import datetime as dt
import json
import re
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hooks.manifest import (
    SIZE_LIMIT,
    Repeated,
    Unreadable,
    as_stored,
    desired_hash,
    repeated_keys,
    too_large,
    unreadable_quantities,
    without_nulls,
)
from hooks.quantities import is_quantity
from hooks.simulator.metacontroller.apply import merge

RECORDED = Path(__file__).parent / "recorded"
ZERO_VALUES = [
    tuple(line.split(maxsplit=3))
    for line in (RECORDED / "zero_values.txt").read_text().splitlines()
    if not line.startswith("#") and not line.endswith("refused")
]
AT_REST = yaml.safe_load((RECORDED / "at_rest.yaml").read_text())


@pytest.mark.parametrize(("parent", "field", "zero", "outcome"), ZERO_VALUES)
def test_a_zero_is_written_only_where_the_api_server_keeps_it(parent, field, zero, outcome):
    value = json.loads(zero)
    written = {field: value}
    stored = as_stored(written) if parent == "-" else as_stored({parent: [written]})[parent][0]
    structure = outcome.startswith("default {")
    assert stored == (written if outcome == "kept" or structure else {})


@pytest.mark.parametrize("case", AT_REST, ids=lambda case: case["reason"])
def test_at_rest_nothing_is_written(case):
    written = copy.deepcopy(case["written"])
    ours = as_stored(written)
    assert ours == case["sent"]
    assert merge(case["answered"], ours, ours) == case["answered"]
    assert written == case["written"]
    assert as_stored(ours) == ours


def updated(answered, before, after):
    """A Deployment's pod spec after an update, which the API server then fills in again."""
    before, after = as_stored(before), as_stored(after)
    return merge(answered, before, after)["spec"]


def test_an_account_that_is_given_up_does_not_stay_under_its_old_name():
    answered = pod(serviceAccountName="a", serviceAccount="a")
    assert updated(answered, pod(serviceAccountName="a"), pod()) == pod()["spec"]
    assert as_stored(pod(serviceAccount="a")) == answered


def test_a_volume_that_gets_a_source_has_no_second_one():
    answered = pod(volumes=[{"name": "v", "emptyDir": {}}])
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "c"}}
    assert updated(answered, pod(volumes=[{"name": "v"}]), pod(volumes=[claim]))["volumes"] == [claim]


def pod(**spec):
    return {"spec": {"containers": [{"name": "main", "image": "i"}], **spec}}


def container(**fields):
    return {"spec": {"containers": [{"name": "main", "image": "i", **fields}]}}


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        (pod(hostNetwork=False, nodeName="", tolerations=[], affinity=None), pod()),
        (container(tty=False, args=[], workingDir="", command=None), container()),
        (container(env=[{"name": "A", "value": ""}]), container(env=[{"name": "A"}])),
        (container(resources={"limits": {}}), container(resources={})),
        (pod(nodeSelector={}), pod()),
        (container(livenessProbe={"exec": None, "periodSeconds": 5.0}), container(livenessProbe={"periodSeconds": 5})),
    ],
)
def test_what_the_api_server_drops_is_left_out(written, stored):
    assert as_stored(written) == stored


@pytest.mark.parametrize(
    "kept",
    [
        pod(terminationGracePeriodSeconds=0, automountServiceAccountToken=False, enableServiceLinks=False),
        pod(securityContext={"runAsNonRoot": False, "runAsUser": 0}),
        pod(securityContext={}, volumes=[{"name": "v", "emptyDir": {}}]),
        pod(nodeSelector={"a": ""}, volumes=[{"name": "v", "hostPath": {"path": "/", "type": ""}}]),
        pod(volumes=[{"name": "v", "csi": {"driver": "d", "readOnly": False, "volumeAttributes": {"name": ""}}}]),
        container(envFrom=[{"secretRef": {"name": "s", "optional": False}}]),
        container(command=["", "a"]),
        {"metadata": {"labels": {"name": ""}}, "spec": {"selector": {"name": ""}, "replicas": 0}},
    ],
)
def test_what_the_api_server_keeps_is_kept(kept):
    assert as_stored(kept) == kept


def test_quantities_are_spelt_canonically():
    written = {"limits": {"cpu": "1000m", "memory": 1024, "e.com/x": "1u"}}
    stored = {"limits": {"cpu": "1", "memory": "1024", "e.com/x": "1m"}}
    assert as_stored(container(resources=written)) == container(resources=stored)
    assert as_stored(pod(volumes=[{"name": "v", "emptyDir": {"sizeLimit": "8192Mi"}}])) == pod(
        volumes=[{"name": "v", "emptyDir": {"sizeLimit": "8Gi"}}]
    )


def test_defaults_stand_in_lists_that_are_replaced_whole():
    volume = {"name": "v", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}
    stored = as_stored(pod(volumes=[volume]))
    assert stored["spec"]["volumes"][0]["projected"]["sources"] == [
        {"serviceAccountToken": {"path": "t", "expirationSeconds": 3600}}
    ]


def test_an_entry_that_a_merge_would_lose_is_found_with_its_place():
    ports = [{"containerPort": 53, "protocol": "TCP"}, {"containerPort": 53, "protocol": "UDP"}]
    assert repeated_keys(container(ports=ports)["spec"], "extraPodSpec") == [
        Repeated("extraPodSpec.containers[0].ports", "containerPort", 53)
    ]


def test_a_list_is_merged_by_the_first_key_that_all_its_items_have():
    mounts = [{"name": "c", "mountPath": "/a"}, {"name": "c", "mountPath": "/b"}]
    assert repeated_keys(container(volumeMounts=mounts)) == []
    assert repeated_keys({"volumeMounts": [{"name": "c", "mountPoint": "/a"}, {"name": "c", "mountPoint": "/b"}]}) == [
        Repeated("volumeMounts", "name", "c")
    ]


def test_a_list_whose_items_share_no_key_is_not_merged():
    assert repeated_keys({"x": [{"name": "a"}, {"name": "a"}, {"key": "b"}]}) == []
    assert repeated_keys({"x": ["a", "a"]}) == []


def test_a_quantity_that_cannot_be_read_is_found_and_left_alone():
    written = container(resources={"limits": {"nvidia.com/gpu": "one", "cpu": "1"}})
    assert unreadable_quantities(written["spec"], "spec") == [
        Unreadable("spec.containers[0].resources.limits[nvidia.com/gpu]", "one")
    ]
    assert as_stored(written) == written


def test_nulls_go_from_custom_resources_and_nothing_else():
    written = {"a": None, "b": [{"c": None, "d": ""}, None], "e": {}, "f": 0}
    before = copy.deepcopy(written)
    assert without_nulls(written) == {"b": [{"d": ""}], "e": {}, "f": 0}
    assert written == before


def test_the_hash_is_of_the_content_and_not_of_the_order_of_keys():
    assert desired_hash({"a": 1, "b": [1, 2]}) == desired_hash({"b": [1, 2], "a": 1})
    assert desired_hash({"a": 1, "b": [1, 2]}) != desired_hash({"a": 1, "b": [2, 1]})
    assert desired_hash({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


def test_a_large_object_is_measured_as_the_annotation_that_it_becomes():
    def config(data, annotations):
        return {"metadata": {"annotations": annotations}, "data": {"x": data}}

    empty = len('{"metadata":{"annotations":{}},"data":{"x":""}}')
    assert too_large(config("x" * (SIZE_LIMIT - empty), {})) is None
    assert too_large(config("x" * (SIZE_LIMIT - empty + 1), {})) == SIZE_LIMIT + 1
    assert too_large(config("x" * 200_000 + "&" * 10_000, {})) == empty + 200_000 + 60_000
    assert too_large(config("", {"a": "x" * 130_000})) == empty + len('"a":""') + 130_000 + 1 + 130_000


SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "null", "name"])
KEYS = st.sampled_from(["name", "port", "key", "spec"])
JSON = st.recursive(SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3))


@given(JSON, st.lists(KEYS | st.just(0), max_size=4))
def test_a_repeated_key_is_found_wherever_it_stands(beside, way):
    value = [{"name": "a", "x": beside}, {"name": "b"}, {"name": "a"}]
    path = ""
    for step in reversed(way):
        value = [{"key": value}] if step == 0 else {step: value}
        path = f"[{step}].key{path}" if step == 0 else f".{step}{path}"
    spec = {"at": value, "beside": beside}
    assert (f"at{path}", "name", "a") in repeated_keys(spec)


@given(JSON)
def test_a_copy_without_nulls_is_like_its_original_but_for_them(value):
    def pruned(item):
        if isinstance(item, dict):
            return {key: pruned(below) for key, below in item.items() if below is not None}
        return [pruned(below) for below in item if below is not None] if isinstance(item, list) else item

    before = copy.deepcopy(value)
    copied = without_nulls(value)
    assert copied == pruned(value)
    assert value == before
    assert copied is not value or not isinstance(value, dict | list)


def test_a_date_that_yaml_has_read_is_copied_as_it_is():
    written = {"a": dt.date(2026, 11, 30), "b": None}
    assert without_nulls(written) == {"a": dt.date(2026, 11, 30)}


FIELDS = st.sampled_from(
    [
        *("spec", "containers", "volumes", "sources", "env", "name", "value", "type", "limits", "requests", "csi"),
        *("target", "divisor", "hostPath", "sizeLimit", "readOnly", "tty", "args", "labels", "selector", "other"),
        *("serviceAccountName", "serviceAccount", "downwardAPI", "items", "serviceAccountToken", "fieldRef"),
        *("matchLabels", "emptyDir", "resourceFieldRef"),
    ]
)
FIELD_VALUES = (
    st.none() | st.booleans() | st.sampled_from([0, 1, 0.0, 0.5, 500.0, "", "a", "1000m", "1024Mi", "0.0001"])
)
OBJECTS = st.recursive(
    st.dictionaries(FIELDS, FIELD_VALUES, max_size=4),
    lambda values: st.dictionaries(
        FIELDS, FIELD_VALUES | values | st.lists(FIELD_VALUES | values, max_size=3), max_size=4
    ),
    max_leaves=20,
)


def nulls(value):
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return value is None or any(map(nulls, children))


@given(OBJECTS)
def test_whatever_is_written_its_stored_form_is_its_own_and_free_of_nulls(written):
    before = copy.deepcopy(written)
    stored = as_stored(written)
    assert as_stored(stored) == stored
    assert not nulls(stored)
    assert not nulls(without_nulls(written))
    assert written == before


def at(value, path):
    for step in re.findall(r"[^.\[\]]+", path):
        value = value[int(step) if step.isdigit() else step]
    return value


@given(OBJECTS)
def test_what_is_found_stands_where_the_path_says(written):
    for found in unreadable_quantities({"spec": written}, "parent"):
        assert at({"parent": {"spec": written}}, found.path) == found.value
        assert not is_quantity(found.value)
    for found in repeated_keys({"spec": written}, "parent"):
        values = [item[found.key] for item in at({"parent": {"spec": written}}, found.path)]
        assert [str(value) for value in values].count(str(found.value)) > 1
