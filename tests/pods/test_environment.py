import copy
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.pods.environment import resolve_references

SERVICES = {"DB_SERVICE_HOST": "10.0.0.1", "DOLLARS": "$(A)$$"}
"""What the kubelet knows besides the list: one entry set for each Service of the namespace."""

FROM_ELSEWHERE = "a $(value) from elsewhere$"
"""What a variable with `valueFrom` turns out to be: the kubelet takes it as it is."""


def expanded(environment):
    """The kubelet's rules, read from Kubernetes' documentation, one character after the other."""
    known = {}
    for variable in environment:
        value = variable.get("value") or ""
        known[variable["name"]] = FROM_ELSEWHERE if "valueFrom" in variable else expanded_value(value, SERVICES | known)
    return known


def expanded_value(value, known):
    text, position = "", 0
    while position < len(value):
        rest = value[position:]
        closing = rest.find(")")
        if rest.startswith("$$"):
            text, position = text + "$", position + 2
        elif rest.startswith("$(") and closing > 0:
            text += known.get(rest[2:closing], rest[: closing + 1])
            position += closing + 1
        else:
            text, position = text + rest[0], position + 1
    return text


def literals(**values):
    return [{"name": name, "value": value} for name, value in values.items()]


@pytest.mark.parametrize(
    ("written", "resolved"),
    [
        pytest.param(literals(A="x", B="$(A)y"), literals(A="x", B="xy"), id="an earlier variable is put in"),
        pytest.param(literals(A="x", B="$(A)", C="$(B)"), literals(A="x", B="x", C="x"), id="and on from there"),
        pytest.param(literals(A="x", B="$$(A)"), literals(A="x", B="$$(A)"), id="an escaped one is text"),
        pytest.param(literals(A="$$(X)", B="$(A)"), literals(A="$$(X)", B="$$(X)"), id="and stays text"),
        pytest.param(literals(B="$(A)", A="x"), literals(B="$$(A)", A="x"), id="a later one is text"),
        pytest.param(literals(B="$(A)", A="x", C="$(B)"), literals(B="$$(A)", A="x", C="$$(A)"), id="wherever put"),
        pytest.param(literals(A="$(NO)", B="$(A)"), literals(A="$(NO)", B="$(NO)"), id="a Service may supply it"),
        pytest.param(literals(A="$(A):x", B="$(A)"), literals(A="$(A):x", B="$$(A):x"), id="its own name is text"),
        pytest.param(literals(A="$(", B="$(A)B)"), literals(A="$(", B="$$(B)"), id="two texts make no reference"),
        pytest.param(literals(A="a$", B="$(A)(A)"), literals(A="a$", B="a$$(A)"), id="nor a dollar sign and a text"),
        pytest.param(literals(A="", B="<$(A)>"), literals(A="", B="<>"), id="an empty value counts"),
        pytest.param([{"name": "A"}, *literals(B="<$(A)>")], [{"name": "A"}, *literals(B="<>")], id="so does none"),
        pytest.param(literals(A="$HOME $x $", B="$"), literals(A="$HOME $x $", B="$"), id="the shell's are not ours"),
    ],
)
def test_references(written, resolved):
    assert resolve_references(written) == resolved


def test_a_variable_from_elsewhere_is_referred_to_by_name():
    secret = {"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
    written = [secret, *literals(B="b", C="$(A)-$(B)", D="$(C)")]
    assert resolve_references(written) == [secret, *literals(B="b", C="$(A)-b", D="$(A)-b")]


def test_in_a_part_a_later_variable_may_be_supplied_by_what_stands_in_front():
    written = literals(URL="http://$(HOST)", HOST="h", COPY="$(URL)", OTHER="$(HOST)")
    resolved = literals(URL="http://$(HOST)", HOST="h", COPY="$(URL)", OTHER="h")
    assert resolve_references(written, complete=False) == resolved


def test_values_that_double_one_another_do_not_grow_without_limit():
    names = [f"V{index}" for index in range(60)]
    written = literals(
        V0="0123456789", **{name: f"$({before})$({before})" for before, name in itertools.pairwise(names)}
    )
    resolved = resolve_references(written)
    assert all(len(variable["value"]) <= 33_000 for variable in resolved)
    assert resolved[1]["value"] == "01234567890123456789"
    assert resolved[59]["value"].endswith("$(V58)")


NAMES = ("A", "B", "C", "D")
PIECES = [*(f"$({name})" for name in (*NAMES, "UNKNOWN", *SERVICES)), "$", "$$", "(", ")", "A", "x", "$(A", ""]
VALUES = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
LITERALS = st.builds(lambda name, value: {"name": name, "value": value}, st.sampled_from(NAMES), VALUES)
ELSEWHERE = st.builds(lambda name: {"name": name, "valueFrom": {"fieldRef": {}}}, st.sampled_from(NAMES))


def environments(variables):
    return st.lists(variables, unique_by=lambda variable: variable["name"], max_size=len(NAMES))


@given(environments(LITERALS | ELSEWHERE), st.booleans())
def test_the_kubelet_makes_the_same_of_it(environment, complete):
    before = copy.deepcopy(environment)
    assert expanded(resolve_references(environment, complete=complete)) == expanded(environment)
    assert environment == before


@given(environments(LITERALS), st.randoms(use_true_random=False))
def test_the_order_of_literal_variables_does_not_matter_any_more(environment, random):
    resolved = resolve_references(environment)
    shuffled = random.sample(resolved, k=len(resolved))
    assert expanded(shuffled) == expanded(environment)


@given(environments(LITERALS | ELSEWHERE))
def test_resolving_again_changes_nothing(environment):
    resolved = resolve_references(environment)
    assert resolve_references(resolved) == resolved
