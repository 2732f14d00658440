"""What the API server refuses by our CRDs, in words that help, and what it takes."""

from pathlib import Path

import pytest
import yaml

from hooks.crds import all_definitions
from tests.crds.crd_admission import refusals, with_defaults
from tests.crds.rule_cases import CHANGES_REFUSED, CHANGES_TAKEN, REFUSED, TAKEN, component, pod, rule_messages

MANIFESTS = sorted((Path(__file__).parents[1] / "manifests").glob("*.yaml"))
SCHEMAS = {
    definition["spec"]["names"]["kind"]: definition["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    for definition in all_definitions().values()
}


@pytest.mark.parametrize(("wrong", "texts"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_the_api_server_refuses_and_what_it_says(wrong, texts):
    refused = refusals(SCHEMAS[wrong["kind"]], wrong)
    assert len(refused) == len(texts)
    for found, wanted in zip(refused, texts, strict=True):
        assert found.startswith(wanted)


@pytest.mark.parametrize("kind", SCHEMAS)
def test_each_rule_is_broken_by_a_case(kind):
    broken = [refusals(SCHEMAS[kind], wrong) for _, wrong, _ in REFUSED if wrong["kind"] == kind]
    broken += [refusals(SCHEMAS[kind], new, old) for _, old, new, _ in CHANGES_REFUSED if new["kind"] == kind]
    said = [text for texts in broken for text in texts]
    assert [rule for rule in rule_messages(SCHEMAS[kind]) if not any(rule in text for text in said)] == []


@pytest.mark.parametrize("right", [case[1] for case in TAKEN], ids=[case[0] for case in TAKEN])
def test_what_the_api_server_takes(right):
    assert refusals(SCHEMAS[right["kind"]], right) == []


@pytest.mark.parametrize(
    ("old", "new", "text"), [case[1:] for case in CHANGES_REFUSED], ids=[case[0] for case in CHANGES_REFUSED]
)
def test_a_change_that_the_api_server_refuses(old, new, text):
    assert refusals(SCHEMAS[new["kind"]], new) == []
    (refused,) = refusals(SCHEMAS[new["kind"]], new, old)
    assert refused.startswith(text)
    assert "delete" in refused


@pytest.mark.parametrize(("old", "new"), [case[1:] for case in CHANGES_TAKEN], ids=[case[0] for case in CHANGES_TAKEN])
def test_a_change_that_the_api_server_takes(old, new):
    assert refusals(SCHEMAS[new["kind"]], new, old) == []


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda path: path.stem)
def test_what_users_apply_is_taken(manifest):
    documents = [document for document in yaml.safe_load_all(manifest.read_text()) if document["kind"] in SCHEMAS]
    assert documents
    for document in documents:
        assert refusals(SCHEMAS[document["kind"]], document) == []


def test_an_open_port_without_protocol_is_tcp():
    stored = with_defaults(
        SCHEMAS["DynamoComponentDeployment"], component(extraPodSpec=pod(ports=[{"containerPort": 1}]))
    )
    assert stored["spec"]["extraPodSpec"]["mainContainer"]["ports"] == [{"containerPort": 1, "protocol": "TCP"}]
