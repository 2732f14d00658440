"""The table of third_party/forked/golang/expansion/expand_test.go, in our words, and what an edit of the result is."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hooks.pods.expansion import Unplaceable, expand, kept_from_kubelet
from tests.pods.harness import kubelet

VALUES = {"A": "a", "B": "b c", "E": "", "$": "never", "X Y": "z"}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("$(A)", "a"),
        ("x$(A)$(B)y", "xab cy"),
        ("$(NOBODY)", "$(NOBODY)"),
        ("$(E)|", "|"),
        ("$$(A)", "$(A)"),
        ("$$$(A)", "$a"),
        ("$$$$(A)", "$$(A)"),
        ("$A ${A}", "$A ${A}"),
        ("$", "$"),
        ("$(", "$("),
        ("$(A", "$(A"),
        ("$($(A)", "$($(A)"),
        ("$($(A))", "$($(A))"),
        ("$(( 2 * $(A) ))", "$(( 2 * $(A) ))"),
        ("$x$(A)", "$xa"),
        ("$(X Y)", "z"),
        ("é$(A)é", "éaé"),
    ],
)
def test_references_are_filled_in_as_the_kubelet_does(source, expected):
    assert expand(source, VALUES).text == kubelet(source, VALUES) == expected


texts = st.lists(st.one_of(st.sampled_from(["$", "(", ")", "$(A)", "$(E)", "$$", "A", "é"]), st.characters())).map(
    "".join
)


@given(texts)
def test_any_text_is_read_as_the_kubelet_reads_it(source):
    assert expand(source, VALUES).text == kubelet(source, VALUES)


@given(texts)
@example('exec "$@" --x $(( 8 * LWS_WORKER_INDEX ))')
@example("d=$(mktemp -d)")
def test_a_kept_text_arrives_as_it_is_whatever_variables_there_are(text):
    mentioned = {part.partition(")")[0]: "never" for part in text.split("$(")[1:]}
    assert kubelet(kept_from_kubelet(text), mentioned) == text


def test_what_the_kubelet_leaves_alone_is_written_plainly():
    assert kept_from_kubelet("$HOME ${A} $") == "$HOME ${A} $"


closed = texts.filter(lambda text: text.rfind("$(") <= text.rfind(")") and not text.endswith("$"))


@given(closed, closed, closed, texts)
def test_an_edit_of_what_is_read_is_an_edit_of_what_was_written(before, replaced, behind, new):
    source = f"{before} {replaced} {behind}"
    read = [expand(part, VALUES).text for part in (f"{before} ", replaced, f" {behind}")]
    start, end = len(read[0]), len(read[0] + read[1])
    first, last, written = expand(source, VALUES).edited(start, end, new)
    assert written == new
    assert kubelet(source[:first] + "\0" + source[last:], VALUES) == f"{read[0]}\0{read[2]}"


def test_nothing_is_written_inside_of_a_value():
    traced = expand("x $(B) y", VALUES)
    assert traced.edited(2, 5, "new") == (2, 6, "new")
    assert traced.edited(5, 5, "!") == (6, 6, "!")
    with pytest.raises(Unplaceable):
        traced.edited(3, 3, "new")
    with pytest.raises(Unplaceable):
        traced.edited(0, 3, "new")
