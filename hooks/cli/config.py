"""`dynamo-hooks config`: the settings in effect."""

import os
from pathlib import Path

import click
import yaml

from hooks import __version__
from hooks.cli.options import effective_settings, settings_option
from hooks.cli.reference import reference
from hooks.configuration import SettingsError, variables
from hooks.revision import revision
from hooks.tokens import tokens_from


@click.command("config")
@settings_option
@click.option("--variables", "list_variables", is_flag=True, help="List the environment variables that set something.")
@click.option("--revision", "print_revision", is_flag=True, help="Print what webhook URLs must end in: ?v=<revision>.")
@click.option("--reference", "print_reference", is_flag=True, help="Print docs/settings.md.")
def command(settings_file: Path | None, list_variables: bool, print_revision: bool, print_reference: bool) -> None:
    """Print the settings in effect, as a settings file.

    They are the built-in defaults, under the settings file, under the environment variables. A file names only what it
    changes; an object changes the keys it has, a list replaces the whole list, a null removes a key from the JSON of a
    probe, of resources or of an environment. The first wrong value stops `serve` with its path and reason.

    Metacontroller asks anew for everything once the webhook URLs of its controllers change: the revision changes with
    the version, the settings and the token (DYNAMO_HOOKS_TOKEN, DYNAMO_HOOKS_TOKEN_FILE).

    \b
    Examples:
      dynamo-hooks config
      dynamo-hooks config --settings settings.yaml
      dynamo-hooks config --variables
      dynamo-hooks config --settings settings.yaml --revision
      DYNAMO_HOOKS_NATS_ADDRESS=nats://nats:4222 dynamo-hooks config
      DYNAMO_HOOKS_DEFAULTS__WORKER__STARTUP_PROBE='{failureThreshold: 1000}' dynamo-hooks config
    """
    if list_variables:
        for name, variable in variables().items():
            click.echo(f"{name}\t{'.'.join(variable.path)}{'' if variable.text else ' (YAML)'}")
        return
    if print_reference:
        click.echo(reference(), nl=False)
        return
    settings = effective_settings(settings_file)
    if print_revision:
        click.echo(revision(__version__, settings, _tokens()))
        return
    content = settings.model_dump(by_alias=True)
    click.echo(yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=120), nl=False)


def _tokens() -> tuple[str, ...]:
    try:
        return tokens_from(os.environ).texts
    except SettingsError as error:
        raise click.ClickException(str(error)) from error
