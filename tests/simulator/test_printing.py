from datetime import UTC, datetime, timedelta

import pytest

from hooks.simulator.printing import at_path, table

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def aged(**age):
    created = (NOW - timedelta(**age)).strftime("%Y-%m-%dT%H:%M:%SZ")
    item = {"metadata": {"name": "c", "creationTimestamp": created}}
    return table("ConfigMap", [item], NOW).rows[0][-1]


@pytest.mark.parametrize(
    ("age", "text"),
    [
        ({"seconds": 0}, "0s"),
        ({"seconds": 119}, "119s"),
        ({"seconds": 120}, "2m"),
        ({"seconds": 250}, "4m10s"),
        ({"minutes": 25, "seconds": 5}, "25m"),
        ({"hours": 2, "minutes": 5}, "125m"),
        ({"hours": 3, "minutes": 5}, "3h5m"),
        ({"hours": 26}, "26h"),
        ({"days": 5}, "5d"),
    ],
)
def test_ages_are_told_as_kubectl_tells_them(age, text):
    assert aged(**age) == text


ITEM = {"spec": {"a": {"b": 1}}, "status": {"conditions": [{"type": "Ready", "status": "True"}], "list": [7]}}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (".spec.a.b", 1),
        ('.status.conditions[?(@.type=="Ready")].status', "True"),
        ('.status.conditions[?(@.type=="Other")].status', None),
        (".status.list[0]", 7),
        (".status.list[1]", None),
        (".spec.none.at.all", None),
    ],
)
def test_a_column_finds_its_value(path, value):
    assert at_path(ITEM, path) == value


def test_a_path_of_another_kind_is_refused():
    with pytest.raises(ValueError, match="is no part of a printer column's path"):
        at_path(ITEM, ".spec..b")


def test_columns_of_a_custom_resource_are_those_that_its_definition_declares():
    columns = [
        {"name": "Model", "type": "string", "jsonPath": ".spec.model"},
        {"name": "Hidden", "type": "string", "jsonPath": ".spec.model", "priority": 1},
        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
    ]
    items = [
        {"metadata": {"name": "a", "creationTimestamp": "2025-12-31T23:59:00Z"}, "spec": {"model": "qwen"}},
        {"metadata": {"name": "bb", "creationTimestamp": "2025-12-31T23:59:30Z"}},
    ]
    drawn = table("Thing", items, NOW, columns)
    assert drawn.lines() == ["NAME   MODEL   AGE", "a      qwen    60s", "bb             30s"]


def test_objects_of_several_namespaces_are_told_apart():
    items = [
        {"metadata": {"name": "a", "namespace": space, "creationTimestamp": "2025-12-31T23:59:00Z"}}
        for space in ("x", "yy")
    ]
    drawn = table("ConfigMap", items, NOW, namespaces=True)
    assert drawn.lines() == ["NAMESPACE   NAME   AGE", "x           a      60s", "yy          a      60s"]
