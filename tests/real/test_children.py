"""Every child that a golden case asks for: a real server takes it, and hands it back as the embedded store does."""

import json

import pytest

from tests.golden_cases import cases
from tests.real.comparison import object_differences, plain

pytestmark = pytest.mark.real


def made(case):
    """The children of a case's answer, without those that are there and that it just names to keep them."""
    observed = case.request().get(case.parts[1], {})
    names = {identity(item) for items in observed.values() for item in items.values()}
    return [child for child in case.children(case.answer()) if "spec" in child or identity(child) not in names]


def identity(item):
    return item["kind"], item["metadata"].get("namespace"), item["metadata"]["name"]


@pytest.mark.parametrize("case", [case for case in cases() if made(case)], ids=str)
def test_each_child_is_taken_and_comes_back_as_from_the_embedded_store(real, embedded, case):
    wanted = {json.dumps(child, sort_keys=True): child for child in made(case)}.values()
    namespaces = {child["metadata"]["namespace"] for child in wanted if "namespace" in child["metadata"]}
    real_one, embedded_one = real(*namespaces), embedded(*namespaces)
    for child in wanted:
        tried = real_one.try_out(child, strict=True)
        told = object_differences(plain(embedded_one.create(child, strict=True)), plain(tried))
        assert not told, f"{identity(child)}:\n{told}"
    assert real_one.warnings == embedded_one.warnings == []
