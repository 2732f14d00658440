"""The fuzzer itself: the same requests each time, and a planted fault is found and made small."""

import hashlib
import random
import re
import subprocess
import sys
from dataclasses import replace

import orjson
import pytest

from hooks.controllers.registry import controllers
from hooks.protocol import read_sync
from tests.fuzz import __main__ as fuzz
from tests.fuzz import mutation, oracle
from tests.fuzz.corpus import bases
from tests.fuzz.mutation import Request
from tests.fuzz.shrinking import shrunk
from tests.fuzz.values import RAW, hostile_text, huge_value, odd_value, written

MARKER = "planted"


def test_a_seed_and_a_number_are_one_request_in_every_process():
    here = [fuzz.request_number(5, number).data for number in range(40)]
    program = (
        "from tests.fuzz.__main__ import request_number as r; import hashlib as h;"
        "print(h.sha256(b''.join(r(5, n).data for n in range(40))).hexdigest())"
    )
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert there == hashlib.sha256(b"".join(here)).hexdigest()
    assert [fuzz.request_number(6, number).data for number in range(40)] != here


@pytest.mark.parametrize("change", dict.fromkeys(mutation.MUTATIONS), ids=lambda change: change.__name__)
def test_each_mutation_changes_requests_and_no_base(change):
    before = [base.text for base in bases()]
    changed = 0
    for number in range(60):
        source = random.Random(number)
        base = source.choice(bases())
        root = {"it": base.body()}
        change(source, *mutation.place_in(source, root, base), root)
        changed += written(root["it"]) != base.text
    assert changed
    assert [base.text for base in bases()] == before


def test_every_hook_and_every_base_is_reached():
    requests = [fuzz.request_number(1, number) for number in range(3000)]
    hooks = {(request.base.route, request.hook) for request in requests}
    assert hooks == {(base.route, hook) for base in bases() for hook in base.hooks}
    assert {base.route for base in bases()} == controllers().keys()
    assert len({request.base.name for request in requests}) > 0.95 * len({base.name for base in bases()})


def test_what_json_in_python_cannot_say_is_written_as_it_is_spelled():
    assert written({"a": f"{RAW}1e400", "b": [f"{RAW}NaN"]}) == b'{"a":1e400,"b":[NaN]}'
    assert written({"a": 10**30, "b": f'{RAW}"\\ud800"'}) == b'{"a": 1000000000000000000000000000000, "b": "\\ud800"}'


@pytest.mark.parametrize("make", [hostile_text, huge_value, odd_value])
def test_odd_values_are_written_whatever_they_are(make):
    for number in range(300):
        assert written({"value": make(random.Random(number))})


@pytest.fixture
def planted(monkeypatch):
    """A component controller that fails where an argument of the main container is the marker."""
    route = "dynamocomponentdeployments"
    right = controllers()[route]

    def sync(request, settings, now):
        spec = request.parent.get("spec")
        if isinstance(spec, dict) and MARKER in orjson.dumps(spec.get("extraPodSpec")).decode():
            raise ZeroDivisionError(MARKER)
        return right.sync(request, settings, now)

    monkeypatch.setattr(oracle, "_clients", {})
    monkeypatch.setattr(oracle, "registered", lambda: {**controllers(), route: replace(right, sync=sync)})
    base = next(base for base in bases() if base.route == route and base.name.startswith("component_deployment/worker"))
    body = base.body()
    body["parent"]["spec"]["extraPodSpec"]["mainContainer"]["args"] = ["--x", f"is {MARKER} here"]
    return Request(base, "sync", body)


def test_a_planted_fault_is_found_and_made_small(planted):
    kind, detail = fuzz.fault_of(planted)
    assert kind.startswith("500, ZeroDivisionError at ")
    assert "ZeroDivisionError" in detail
    small = shrunk(planted, lambda candidate: (fuzz.fault_of(candidate) or ("",))[0] == kind)
    assert fuzz.fault_of(small)[0] == kind
    assert orjson.loads(small.data)["parent"]["spec"] == {"extraPodSpec": MARKER}
    assert len(small.data) < 250


def test_the_fuzzer_itself_comes_upon_a_planted_fault(planted, monkeypatch, capsys):
    monkeypatch.setattr(mutation, "hostile_text", lambda source: MARKER)
    with pytest.raises(SystemExit) as ended:
        fuzz.main.main(["--count", "300", "--seed", "3"], standalone_mode=True)
    assert ended.value.code == 1
    said = capsys.readouterr().err
    number = re.search(r"request (\d+) \(", said)[1]
    assert "the smallest request that shows it:" in said
    with pytest.raises(SystemExit) as ended:
        fuzz.main.main(["--only", number, "--seed", "3"], standalone_mode=True)
    assert ended.value.code == 1


LAWLESS = {
    "children_are_complete": lambda answer: answer["children"].append(answer["children"][0]),
    "it_comes_to_rest": lambda answer: answer["children"][0]["metadata"].update(annotations={"n": next(COUNTER)}),
    "the_status_can_be_stored": lambda answer: answer["status"].update(surprise=1),
    "the_api_server_takes_what_is_made": lambda answer: answer["children"][0]["metadata"].update(labels={"a": "b c"}),
}
"""A law → what breaks it."""
COUNTER = map(str, range(10_000))


@pytest.mark.parametrize("law", LAWLESS)
def test_an_answer_that_breaks_a_law_is_found(law, monkeypatch):
    route = "dynamocomponentdeployments"
    right = controllers()[route]
    base = next(base for base in bases() if base.name == "component_deployment/worker")

    class Wrong:
        def __init__(self, request, settings, now):
            self.answer = right.sync(request, settings, now).body()
            LAWLESS[law](self.answer)

        def body(self):
            return self.answer

    wrong = replace(right, sync=Wrong)
    monkeypatch.setattr(oracle, "_clients", {})
    monkeypatch.setattr(oracle, "LAWS", [each for each in oracle.LAWS if each.__name__ == law])
    monkeypatch.setattr(oracle, "registered", lambda: {route: wrong})
    answering = replace(base)
    answering.__dict__["controller"] = wrong
    assert read_sync(base.body(), right.parent)
    assert fuzz.fault_of(Request(answering, "sync", base.body()))[0] == law
