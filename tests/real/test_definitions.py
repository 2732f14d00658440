"""Our CustomResourceDefinitions on a real server: it takes them, and refuses and takes what it should by them."""

import re
from pathlib import Path

import pytest
import yaml

from hooks.simulator.errors import ApiError
from tests.crds.rule_cases import CHANGES_REFUSED, CHANGES_TAKEN, REFUSED, TAKEN, rule_messages
from tests.real.comparison import object_differences, plain

pytestmark = pytest.mark.real

SPACE = "default"
_KEY, _FIELD = re.compile(r"\[([a-z]\w*)\]"), r".\1"
MANIFESTS = sorted((Path(__file__).parents[1] / "manifests").glob("*.yaml"))


def cases(table):
    return [pytest.param(*case[1:], id=case[0]) for case in table]


def placed(item):
    return item | {"metadata": {**item["metadata"], "namespace": SPACE}}


@pytest.fixture(scope="module")
def definitions(control_plane):
    return {item["metadata"]["name"]: item for item in control_plane.definitions}


@pytest.mark.parametrize(
    "plural", ["dynamographdeployments", "dynamocomponentdeployments", "dynamographdeploymentrequests", "dynamomodels"]
)
def test_a_definition_is_established_without_reservations(definitions, plural):
    conditions = definitions[f"{plural}.nvidia.com"]["status"]["conditions"]
    assert {entry["type"]: entry["status"] for entry in conditions} == {"NamesAccepted": "True", "Established": "True"}


def refusal(send):
    with pytest.raises(ApiError) as raised:
        send()
    return raised.value


def said(error):
    """What was found wrong, as `path: words`; keys of maps are written as fields are, as the cases have them."""
    return [f"{_KEY.sub(_FIELD, cause.field)}: {cause.problem}" for cause in error.causes]


@pytest.fixture(scope="module")
def messages(definitions):
    return rule_messages([item["spec"]["versions"] for item in definitions.values()])


def is_told(text, found, messages):
    """Whether a real server says it: the path, and the words where they are a rule's."""
    path, _, words = text.partition(": ")
    of_a_rule = words and any(message.startswith(words) for message in messages)
    return any(line.startswith(path) and (not of_a_rule or words in line) for line in found)


@pytest.mark.parametrize(("wrong", "texts"), cases(REFUSED))
def test_it_refuses_what_it_should_with_the_messages_of_the_rules(real, messages, wrong, texts):
    store = real(SPACE)
    found = said(refusal(lambda: store.create(placed(wrong))))
    assert [text for text in texts if not is_told(text, found, messages)] == []


@pytest.mark.parametrize("wrong", [pytest.param(case[1], id=case[0]) for case in REFUSED])
def test_the_embedded_store_refuses_it_in_the_same_words(real, embedded, wrong):
    refusals = [refusal(lambda store=store: store.create(placed(wrong))) for store in (real(SPACE), embedded(SPACE))]
    assert str(refusals[0]) == str(refusals[1])


@pytest.mark.parametrize("right", cases(TAKEN))
def test_it_takes_what_it_should(real, right):
    real(SPACE).create(placed(right), strict=True)


def existing(store, old):
    made = store.create(placed(old))
    return store.update_status(made | {"status": old["status"]}) if "status" in old else made


def changed(store, old, new):
    made = existing(store, old)
    made = store.update({**made, "spec": new["spec"], "metadata": made["metadata"] | placed(new)["metadata"]})
    return store.update_status(made | {"status": new["status"]}) if "status" in new else made


@pytest.mark.parametrize(("old", "new", "text"), cases(CHANGES_REFUSED))
def test_it_refuses_a_change_that_it_should_with_the_rules_message(real, embedded, messages, old, new, text):
    found = [refusal(lambda store=store: changed(store, old, new)) for store in (real(SPACE), embedded(SPACE))]
    assert is_told(text, said(found[0]), messages)
    assert str(found[0]) == str(found[1])


@pytest.mark.parametrize(("old", "new"), cases(CHANGES_TAKEN))
def test_it_takes_a_change_that_it_should(real, old, new):
    changed(real(SPACE), old, new)


OLDER = {
    "basics--kubernetes--shared_frontend--shared_frontend": [
        f'unknown field "spec.services.{service}.pvc"'
        for service in ("VllmDecodeWorker", "EncodeWorker", "Processor", "VLMWorker")
    ]
}
"""Manifest → what a server says of fields of older versions in it, and drops: today's are `pvcs` and `volumeMounts`."""


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.stem)
def test_what_users_apply_is_taken_and_comes_back_alike(real, embedded, manifest):
    real_one, embedded_one = real(SPACE), embedded(SPACE)
    for document in yaml.safe_load_all(manifest.read_text()):
        tried = real_one.try_out(placed(document))
        told = object_differences(plain(embedded_one.create(placed(document))), plain(tried))
        assert not told, told
    dropped = [text for text in real_one.warnings if text.startswith("unknown field")]
    assert dropped == embedded_one.warnings == OLDER.get(manifest.stem, [])
