import pytest

from hooks.simulator.metacontroller.answers import UnreadableAnswer, read_composite, read_customize, read_decorator


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"no", "is no JSON"),
        (b"[]", "is no object"),
        (b'{"childs": []}', "unknown field 'childs'"),
        (b'{"Children": []}', "unknown field 'Children'"),
        (b'{"children": [], "children": []}', "field 'children' twice"),
        (b'{"status": {"a": {"b": 1, "b": 2}}}', "field 'b' twice"),
        (b'{"children": {}}', "children has the wrong type"),
        (b'{"resyncAfterSeconds": "5"}', "resyncAfterSeconds has the wrong type"),
        (b'{"finalized": 1}', "finalized has the wrong type"),
        (b'{"children": [{"metadata": {}}]}', r"children\[0\] is no object of a kind"),
        (b'{"children": [null]}', r"children\[0\] is no object of a kind"),
        (b'{"children": [{"kind": "X", "metadata": {"labels": {"a": 1}}}]}', "labels that are no strings"),
        (b'{"status": {"a": NaN}}', "NaN is no JSON"),
    ],
)
def test_an_answer_is_read_strictly(body, said):
    with pytest.raises(UnreadableAnswer, match=said):
        read_composite(body, strict=True)


def test_a_loose_reading_takes_what_it_knows():
    assert read_composite(b'{"children": [], "extra": 1, "finalized": true}', strict=False).finalized


def test_what_is_null_is_absent():
    answer = read_composite(b'{"status": null, "children": null, "resyncAfterSeconds": null}', strict=True)
    assert (answer.status, answer.children, answer.resync_after_seconds) == (None, [], 0)


def test_a_field_that_stands_twice_inside_a_child_is_not_seen():
    body = b'{"children": [{"kind": "X", "metadata": {}, "a": 1, "a": 2}]}'
    assert read_composite(body, strict=True).children[0]["a"] == 2


def test_a_decorator_answers_with_other_fields():
    answer = read_decorator(b'{"labels": {"a": null}, "attachments": []}', strict=True)
    assert answer.labels == {"a": None}
    with pytest.raises(UnreadableAnswer, match="unknown field 'children'"):
        read_decorator(b'{"children": []}', strict=True)


def test_a_rule_is_read_strictly_too():
    with pytest.raises(UnreadableAnswer, match=r"relatedResources\[0\] has the unknown field 'selector'"):
        read_customize(b'{"relatedResources": [{"apiVersion": "v1", "resource": "pods", "selector": {}}]}', strict=True)
