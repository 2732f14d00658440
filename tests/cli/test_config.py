import yaml
from click.testing import CliRunner

from hooks.cli import main
from hooks.configuration import settings_of
from hooks.settings import Settings


def test_config_prints_the_settings_in_effect_as_a_settings_file(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("natsAddress: nats://n:4222\n")
    result = CliRunner().invoke(
        main, ["config", "--settings", str(file)], env={"DYNAMO_HOOKS_SERVER__THREADS": "3"}, catch_exceptions=False
    )
    expected = Settings().model_copy(update={"nats_address": "nats://n:4222"})
    expected = settings_of({"server": {"threads": 3}}, expected)
    assert settings_of(yaml.safe_load(result.stdout)) == expected


def test_config_ends_with_the_path_and_reason_of_a_wrong_value(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("server: {threads: many}\n")
    result = CliRunner().invoke(main, ["config", "--settings", str(file)])
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: {file}: server.threads: has the value 'many'; write a whole number, without quotes\n"
    )


def test_config_lists_the_variables():
    lines = CliRunner().invoke(main, ["config", "--variables"]).stdout.splitlines()
    assert "DYNAMO_HOOKS_NATS_ADDRESS\tnatsAddress" in lines
    assert "DYNAMO_HOOKS_SERVER__THREADS\tserver.threads (YAML)" in lines
