"""The files of `crds/`, and the command that writes them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from hooks.crds import all_definitions, file_contents

FOLDER = Path(__file__).parents[2] / "crds"
LAST_APPLIED_LIMIT = 262144
"""Bytes of an object's annotations; `kubectl apply` puts the whole object into one."""


def test_the_files_are_what_the_models_give_today():
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.yaml")}
    assert found == file_contents(), "crds/ is stale: `make crds` writes it anew"


@pytest.mark.parametrize("name", file_contents())
def test_a_file_is_small_enough_for_kubectl_apply(name):
    definition = yaml.load(file_contents()[name], Loader=yaml.CSafeLoader)
    assert definition in all_definitions().values()
    assert len(json.dumps(definition)) < LAST_APPLIED_LIMIT / 2


@pytest.mark.parametrize("name", file_contents())
def test_a_file_says_how_it_was_made_and_reads_as_plain_blocks(name):
    content = file_contents()[name]
    assert content.startswith("# Generated from the models in hooks/api by `dynamo-hooks crds`")
    assert not [line for line in content.splitlines() if line.endswith(("{", "}")) and line.strip() != "status: {}"]
    assert " &id0" not in content


def test_the_package_loads_without_what_only_generation_needs():
    loaded = (
        "import hooks.crds, sys; print({'kubernetes_validate', 'jsonschema', 'jsonschema_rs', 'cel'} & {*sys.modules})"
    )
    result = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"
