"""`--strict`: what counts for nothing in a manifest is only warned about, unless one asks for an exit status."""

import pytest

from tests.cli.commands import invoked

SERVICE = "{componentType: frontend, extraPodSpec: {mainContainer: {image: x}}%s}"
GRAPH = "{apiVersion: nvidia.com/v1alpha1, kind: %s, metadata: {name: g}, spec: {%s: {Frontend: %s}}}\n"
CLEAN = GRAPH % ("DynamoGraphDeployment", "services", SERVICE % "")
UNKNOWN_FIELD = GRAPH % ("DynamoGraphDeployment", "services", SERVICE % ", replica: 2")
IN_VAIN = {
    "a misspelt list of services": GRAPH % ("DynamoGraphDeployment", "service", SERVICE % ""),
    "an unknown field": UNKNOWN_FIELD,
    "an object that stands twice": f"{CLEAN}---\n{CLEAN}",
    "an unknown field of another kind": f"{CLEAN}---\n"
    "{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {port: 1, ports: [{port: 80}]}}",
}


@pytest.mark.parametrize("command", ["render", "simulate"])
@pytest.mark.parametrize("kind", list(IN_VAIN))
def test_what_counts_for_nothing_ends_with_1_where_that_is_asked_for(command, kind):
    assert invoked(command, IN_VAIN[kind]).exit_code == 0
    if (command, kind) != ("render", "an unknown field of another kind"):  # which passes through render as it is
        assert invoked(command, IN_VAIN[kind], "--strict").exit_code == 1


@pytest.mark.parametrize("command", ["render", "simulate"])
def test_a_manifest_of_which_all_counts_is_as_good_as_before(command):
    assert invoked(command, CLEAN, "--strict").exit_code == 0


def test_so_does_a_kind_that_is_nearly_one_of_ours():
    misspelt = GRAPH % ("DynamoGraphDeploment", "services", SERVICE % "")
    assert invoked("render", misspelt).exit_code == 0
    assert invoked("render", misspelt, "--strict").exit_code == 1


def test_a_claim_that_is_taken_as_there_counts():
    mounting = CLEAN.replace("{componentType", "{volumeMounts: [{name: c, mountPoint: /c}], componentType")
    result = invoked("render", mounting, "--strict")
    assert "claim c is taken as there" in result.stderr
    assert result.exit_code == 0


def test_why_is_told_beside_objects_too():
    result = invoked("simulate", UNKNOWN_FIELD, "--strict", "-o", "json")
    assert result.exit_code == 1
    assert "warning: DynamoGraphDeployment g: unknown field spec.services.Frontend.replica counts" in result.stderr
