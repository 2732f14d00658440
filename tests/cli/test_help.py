import pytest
from click.testing import CliRunner

from hooks.cli import main

COMMANDS = main.list_commands(None)


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)], ids=lambda words: " ".join(words) or "itself")
def test_the_help_of_every_command_has_examples_of_it(command):
    shown = CliRunner().invoke(main, [*command, "--help"]).stdout
    examples = shown.partition("Examples:\n")[2].splitlines() or shown.partition("Example:\n")[2].splitlines()
    assert examples
    assert examples[0].split()[: 1 + len(command)][-1] == (command or ["dynamo-hooks"])[-1]
