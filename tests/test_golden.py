import pytest
import yaml

from hooks.simulator.selectors import matches
from tests.golden_cases import FOLDER, cases


class Readable(yaml.SafeDumper):
    """Writes text of several lines line by line, so that a diff shows which one has changed."""


def _text(dumper, text):
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


Readable.add_representer(str, _text)


@pytest.mark.parametrize("case", cases(), ids=str)
def test_the_answer_is_the_golden_one(case, update_golden):
    path = case.folder / "response.yaml"
    answer = case.answer()
    if update_golden:
        path.write_text(yaml.dump(answer, Dumper=Readable, sort_keys=True, allow_unicode=True, width=110))
    assert path.exists(), f"{path} is missing: run `make golden` and read what it writes"
    assert answer == yaml.safe_load(path.read_text())


@pytest.mark.parametrize("case", cases(), ids=str)
def test_each_case_says_what_it_shows(case):
    assert (case.folder / "parent.yaml").read_text().startswith("# ")


@pytest.mark.parametrize("case", [case for case in cases() if case.load("related")], ids=str)
def test_what_is_related_is_what_was_asked_for(case):
    for item in case.load("related"):
        assert any(selects(rule, item) for rule in case.rules), item["metadata"]


def selects(rule, item):
    kind, metadata = rule.kind, item["metadata"]
    if (kind.kind, kind.api_version) != (item["kind"], item["apiVersion"]):
        return False
    if rule.namespace is not None and rule.namespace != metadata["namespace"]:
        return False
    return metadata["name"] in rule.names if rule.names is not None else matches(rule.selector, item)


def test_no_folder_is_left_behind():
    assert {path.parent for path in FOLDER.glob("*/*/*.yaml")} == {case.folder for case in cases()}
