import re

import pytest
from click.testing import CliRunner

from hooks import __version__
from hooks.cli import main
from hooks.revision import revision
from hooks.settings import Settings

PLAIN = revision("1", Settings())


def test_it_is_ten_hex_digits():
    assert re.fullmatch("[0-9a-f]{10}", PLAIN)


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(revision("2", Settings()), id="another version"),
        pytest.param(revision("1", Settings(nats_address="nats://n:4222")), id="another setting"),
        pytest.param(revision("1", Settings.model_validate({"defaults": {"fsGroup": 1}})), id="another default"),
        pytest.param(revision("1", Settings(), ["t"]), id="a token"),
        pytest.param(revision("1", Settings(), ["t", "u"]), id="two tokens"),
    ],
)
def test_it_changes_with_whatever_may_change_an_answer(other):
    assert other != PLAIN


def test_the_order_of_tokens_does_not_matter():
    assert revision("1", Settings(), ["t", "u"]) == revision("1", Settings(), ["u", "t"])


def test_the_command_prints_it_for_the_settings_in_effect():
    environment = {"DYNAMO_HOOKS_NATS_ADDRESS": "nats://n:4222", "DYNAMO_HOOKS_TOKEN": "t"}
    result = CliRunner().invoke(main, ["config", "--revision"], env=environment, catch_exceptions=False)
    assert result.stdout == f"{revision(__version__, Settings(nats_address='nats://n:4222'), ['t'])}\n"


def test_a_token_that_cannot_be_read_ends_the_command():
    result = CliRunner().invoke(main, ["config", "--revision"], env={"DYNAMO_HOOKS_TOKEN": " "})
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: DYNAMO_HOOKS_TOKEN: holds no token")
