import copy

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.controllers import component_deployment, graph
from hooks.memo import Memo
from tests.golden_cases import cases

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(st.lists(JSON, max_size=20), st.integers(0, 2000))
def test_an_answer_is_the_functions_whatever_is_held(inputs, limit):
    memo = Memo(limit)
    for value in inputs + inputs[::-1]:
        assert memo(value, lambda value=value: {"of": value}) == {"of": value}


def test_what_was_asked_for_is_not_worked_out_again():
    memo, calls = Memo(1000), []
    for _ in range(3):
        memo([1], lambda: calls.append(1))
    assert len(calls) == 1
    memo.forget()
    memo([1], lambda: calls.append(1))
    assert len(calls) == 2


def test_answers_share_nothing():
    memo = Memo(1000)
    for _ in range(3):
        answer = memo("x", lambda: {"list": []})
        assert answer == {"list": []}
        answer["list"].append("changed by whoever got it")


def test_it_is_bounded_and_lets_go_of_what_was_asked_for_longest_ago():
    memo, calls = Memo(3 * 300), []

    def ask(value):
        return memo(value, lambda: calls.append(value) or "x" * 98)

    for value in (1, 2, 3, 1, 4, 1):
        ask(value)
    assert calls == [1, 2, 3, 4]
    ask(2)
    assert calls == [1, 2, 3, 4, 2]


def test_what_fails_is_asked_again():
    memo = Memo(1000)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            memo(0, lambda: 1 / 0)


def test_what_cannot_be_written_as_json_is_worked_out_each_time():
    assert Memo(1000)(2**70, lambda: 2**70) == 2**70


def forget():
    for memo in (component_deployment._built, graph._built):
        memo.forget()


def changed(value, depth=4):
    """The same JSON with something else, or nothing, in each place down to a depth."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in keys if depth else ():
        for inner in ("other", *changed(value[key], depth - 1)):
            yield {**value, key: inner} if isinstance(value, dict) else [*value[:key], inner, *value[key + 1 :]]
        if isinstance(value, dict):
            yield {name: item for name, item in value.items() if name != key}


@pytest.mark.parametrize(
    "case",
    [case for case in cases() if case.folder.parent.name in ("component_deployment", "graph_deployment")],
    ids=str,
)
@pytest.mark.parametrize("part", ["metadata", "spec"])
def test_what_is_known_of_one_parent_is_not_taken_for_one_that_differs_anywhere(case, part):
    body = case.request()
    for item in changed(body["parent"][part], depth=4 if part == "metadata" else 3):
        if part == "metadata" and not is_metadata(item):
            continue
        other = {**body, "parent": {**body["parent"], part: item}}
        forget()
        case.answer(copy.deepcopy(body))
        known = orjson.dumps(case.answer(copy.deepcopy(other)))
        forget()
        assert known == orjson.dumps(case.answer(copy.deepcopy(other))), item


def is_metadata(item):
    """Whether it is what a request's reader lets through."""
    maps = [item.get(key, {}) for key in ("labels", "annotations")]
    return {"name", "namespace"} <= item.keys() and all(isinstance(found, dict) for found in maps)
