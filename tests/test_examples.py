"""The manifests of examples/, and the examples that `simulate --help` has for them."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from hooks.cli import main

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
PROFILED = str(ROOT / "tests" / "profiling" / "config_with_planner.yaml")
FILES = {
    "graph.yaml": str(ROOT / "examples" / "aggregated.yaml"),
    "request.yaml": str(ROOT / "examples" / "request.yaml"),
    "config_with_planner.yaml": PROFILED,
}
"""What the files are that the help calls so."""

HELP = CliRunner().invoke(main, ["simulate", "--help"]).stdout.partition("Examples:\n")[2]
COMMANDS = [line.strip() for line in HELP.splitlines() if line.strip().startswith("dynamo-hooks simulate")]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_becomes_ready(path):
    profiled = ["--profile-output", PROFILED] if path.stem == "request" else []
    result = CliRunner().invoke(main, ["simulate", "-f", str(path), "--assume-claims", *profiled])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_readme_lists_an_example(path):
    assert f"(examples/{path.name})" in (ROOT / "README.md").read_text()


def test_the_help_has_examples():
    assert len(COMMANDS) > 3


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_of_the_help_works_or_shows_the_failure_that_it_is_asked_for(command):
    _, *arguments = (FILES.get(word, word) for word in shlex.split(command))
    result = CliRunner().invoke(main, arguments)
    assert (result.exit_code, "error:" in result.output) == (int("--fail" in arguments), False), result.output
