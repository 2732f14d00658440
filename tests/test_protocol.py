import pytest

from hooks.errors import MalformedRequest, UnprocessableRequest
from hooks.protocol import Kind, RelatedRule, read_sync

GRAPH = Kind("DynamoGraphDeployment", "nvidia.com/v1alpha1", "dynamographdeployments")
CLAIM = Kind("PersistentVolumeClaim", "v1", "persistentvolumeclaims")
PARENT = {"apiVersion": GRAPH.api_version, "kind": GRAPH.kind, "metadata": {"name": "g", "namespace": "d"}}


@pytest.mark.parametrize("key", ["c", "d/c"], ids=["v1", "v2"])
def test_objects_are_found_by_their_metadata_whatever_the_key(key):
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c", "namespace": "d"}}
    request = read_sync({"parent": PARENT, "children": {CLAIM.key: {key: claim}}}, GRAPH)
    assert request.children.find(CLAIM, "c", "d") is claim


def test_absent_is_not_empty():
    request = read_sync({"parent": PARENT, "children": {CLAIM.key: {}}}, GRAPH)
    assert request.children.asked(CLAIM)
    assert not request.related.asked(CLAIM)
    assert request.installed(CLAIM)


@pytest.mark.parametrize(
    ("body", "error", "where"),
    [
        ([], MalformedRequest, "$: must be an object, is a list"),
        ({}, MalformedRequest, "$.parent: is required"),
        ({"parent": PARENT | {"kind": "Pod"}}, UnprocessableRequest, "$.parent: is a Pod"),
        ({"parent": PARENT | {"metadata": {}}}, MalformedRequest, "$.parent.metadata.name"),
        ({"parent": PARENT, "children": []}, MalformedRequest, "$.children: must be an object, is a list"),
        ({"parent": PARENT, "related": {"Pod.v1": {"x": 1}}}, MalformedRequest, "$.related['Pod.v1']['x']"),
        ({"parent": PARENT, "finalizing": "no"}, MalformedRequest, "$.finalizing"),
    ],
)
def test_a_wrong_envelope_says_where(body, error, where):
    with pytest.raises(error) as raised:
        read_sync(body, GRAPH)
    assert str(raised.value).startswith(where)


def test_a_hook_may_be_for_several_kinds():
    assert read_sync({"object": PARENT}, CLAIM, GRAPH).parent == PARENT
    wanted = "this hook is for a PersistentVolumeClaim of v1 or a DynamoGraphDeployment of nvidia.com/v1alpha1"
    with pytest.raises(UnprocessableRequest, match=wanted):
        read_sync({"object": PARENT | {"kind": "Pod"}}, CLAIM, GRAPH)


def test_a_bare_map_of_labels_is_no_selector():
    with pytest.raises(ValueError, match="not a label selector"):
        RelatedRule(CLAIM, selector={"app": "x"})


def test_a_parent_without_a_namespace_is_refused_and_told_so():
    parent = PARENT | {"metadata": {"name": "g"}}
    with pytest.raises(MalformedRequest, match="namespace: is required, a DynamoGraphDeployment lies in one; add it"):
        read_sync({"parent": parent}, GRAPH)


@pytest.mark.parametrize("place", ["Secret.v1", "Service.v2", "Service", "Deployment.apps/v1"])
def test_an_object_is_of_the_kind_that_its_place_says(place):
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s", "namespace": "d"}}
    assert read_sync({"parent": PARENT, "children": {"Service.v1": {"s": service}}}, GRAPH)
    with pytest.raises(MalformedRequest, match="is a Service of v1, which its place denies"):
        read_sync({"parent": PARENT, "children": {place: {"s": service}}}, GRAPH)
