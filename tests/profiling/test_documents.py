import json
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from hooks.profiling.documents import LARGEST, UnreadableDocuments, read_documents


def test_documents_come_in_order_without_the_empty_ones():
    assert read_documents("a: 1\n---\n---\n# nothing\n---\n- b\n") == [{"a": 1}, ["b"]]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: null\nb: [1, null, {c: null}]", {"b": [1, {}]}),
        ("day: 2026-11-30", {"day": "2026-11-30"}),
        ("at: 2026-11-30T12:00:00Z", {"at": "2026-11-30T12:00:00Z"}),
        ("8000: http\ntrue: 1", {"8000": "http", "true": 1}),
        ('{"a": [1.5, true, "x"]}', {"a": [1.5, True, "x"]}),
        ("a: &one {b: 1}\nc: *one", {"a": {"b": 1}, "c": {"b": 1}}),
        ("base: &base {x: 1}\nall: {<<: *base, y: 2}", {"base": {"x": 1}, "all": {"x": 1, "y": 2}}),
        ("1e3", "1e3"),
    ],
)
def test_a_document_is_read_as_json(text, value):
    assert read_documents(text) == [value]


def test_what_aliases_share_is_copied():
    document = read_documents("a: &one {b: 1}\nc: *one")[0]
    document["a"]["b"] = 2
    assert document["c"] == {"b": 1}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [1, 2", "line 1"),
        ("a: {b: 1}}", "line 1"),
        ("a: !!python/object:os.system {}", "python/object"),
        ("a: !!binary aGk=", "$.a has a value that JSON cannot hold"),
        ("a: [.nan]", "$.a[0] has a value that JSON cannot hold: 'nan'"),
        ("a: 99999999999999999999", "$.a has a value that JSON cannot hold"),
        ("[1, 2]: x", "unhashable"),
        ("1.5: x", "$ has a key that is no string: '1.5'"),
        ("a: &a [*a]", "a value contains itself"),
        ("\x00", "characters are not allowed"),
        ("[" * 100_000, "nest"),
        ("[" * 150 + "]" * 150, "nested more than 100 levels deep"),
        ("a: !!int abc", "abc"),
        ("a: !!bool maybe", "maybe"),
        ("a: !!timestamp x", "NoneType"),
        ("a: 0x_", "base 16"),
        ("a: " + "9" * 5000, "digits"),
    ],
)
def test_what_cannot_be_read_is_refused_with_the_place(text, problem):
    with pytest.raises(UnreadableDocuments, match=re.escape(problem)) as refused:
        read_documents(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("repeat", ["[{0},{0},{0},{0},{0},{0},{0},{0},{0},{0}]", "{{<<: [{0},{0},{0},{0},{0},{0}]}}"])
def test_aliases_of_aliases_do_not_grow_without_bound(repeat):
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{level}: &a{level} {repeat.format(f'*a{level - 1}')}" for level in range(1, 60)]
    with pytest.raises(UnreadableDocuments, match=str(LARGEST)):
        read_documents("\n".join(lines))


json_values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=20,
)


@given(json_values)
def test_what_pyyaml_writes_comes_back_unchanged(value):
    assert read_documents(yaml.safe_dump([value])) == [[value]]


@given(st.text(alphabet="{}[]:,-&*!|>'\"#%@ \nabx01.~?<_"))
def test_any_text_is_read_or_refused(text):
    try:
        documents = read_documents(text)
    except UnreadableDocuments:
        return
    assert json.loads(json.dumps(documents, allow_nan=False)) == documents
