"""What stands too far left in a manifest is told where it belongs, and nothing else is told of it."""

import pytest
import yaml

from hooks.app import create_app
from hooks.settings import Settings
from tests.cli.commands import run

HEAD = """
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {name: chat}
"""
POD = "extraPodSpec: {mainContainer: {image: x}}"
TOO_FAR_LEFT = f"""{HEAD}
spec:
  services:
    Frontend:
      componentType: frontend
      {POD}
    Worker:
    componentType: worker
    {POD}
    replicas: 2
"""
IN_VAIN = "warning: DynamoGraphDeployment default/chat: unknown field %s counts for nothing, and kubectl refuses it; "
IN_VAIN += "write it under spec"
SAID = "error: DynamoGraphDeployment default/chat: spec"


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        pytest.param(
            TOO_FAR_LEFT,
            [
                f"{SAID}.services.{field}: is a field of a service; indent it under Worker"
                for field in ("componentType", "extraPodSpec", "replicas")
            ],
            id="below a service that is left empty",
        ),
        pytest.param(
            f"{HEAD}spec:\n  services:\n    Worker:\n      {POD}\n    componentType: worker\n",
            [f"{SAID}.services.componentType: is a field of a service; indent it under Worker"],
            id="below a service that has the rest",
        ),
        pytest.param(
            f"{HEAD}spec:\n  services:\n    componentType: worker\n",
            [f"{SAID}.services.componentType: is a field of a service; write it under the name of a service"],
            id="without a service's name",
        ),
    ],
)
def test_it_is_told_where_it_belongs_and_nothing_else(manifest, said):
    assert run("render", manifest) == (1, said)
    assert run("simulate", manifest) == (2, said)


def test_services_beside_the_spec_belong_under_it():
    manifest = f"{HEAD}services:\n  Worker:\n    {POD}\n"
    assert run("render", manifest) == (1, [IN_VAIN % "services", f"{SAID}: is required; write services under it"])


def test_it_is_told_over_http_and_what_else_is_wrong_beside_it():
    manifest = yaml.safe_load(TOO_FAR_LEFT)
    manifest["spec"]["services"]["Frontend"]["replicas"] = "two"
    answer = create_app(Settings()).test_client().post("/render", json=manifest)
    assert [error.split(": ")[1] for error in answer.json["errors"]] == [
        "spec.services.componentType",
        "spec.services.extraPodSpec",
        "spec.services.replicas",
        "spec.services.Frontend.replicas",
    ]


@pytest.mark.parametrize("name", ["resources", "ingress", "multinode"])
def test_a_service_may_have_the_name_of_a_field(name):
    manifest = f"{HEAD}spec: {{services: {{A: {{{POD}}}, {name}: {{{POD}}}}}}}"
    assert run("render", manifest) == (0, [])


@pytest.mark.parametrize("written", ["services", "pvcs"])
def test_what_stands_beside_a_spec_that_is_there_belongs_under_it(written):
    said = run("render", f"{HEAD}spec: {{services: {{A: {{{POD}}}}}}}\n{written}: {{}}")[1]
    assert said == [IN_VAIN % written]


def test_a_services_field_in_the_spec_belongs_under_a_service():
    said = run("render", f"{HEAD}spec: {{componentType: worker, services: {{A: {{{POD}}}}}}}")[1]
    assert len(said) == 1
    assert said[0].endswith("it is a field of a service; write it under one of spec.services")
