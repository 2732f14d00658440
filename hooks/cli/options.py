"""Options that several commands share."""

import os
from pathlib import Path

import click

from hooks.configuration import SettingsError, load_settings
from hooks.settings import Settings

settings_option = click.option(
    "--settings",
    "settings_file",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Settings file (YAML), instead of the one that DYNAMO_HOOKS_CONFIG names.",
)
"""Adds `settings_file`, for `effective_settings`."""

strict_option = click.option(
    "--strict",
    is_flag=True,
    help="End with exit status 1 where something in the manifest counts for nothing, such as an unknown field.",
)
"""Adds `strict`."""


def effective_settings(settings_file: Path | None) -> Settings:
    """Built-in defaults, the settings file and the environment, as `dynamo-hooks config` prints them.

    Raises:
        click.ClickException: they are wrong; it says where and what, and ends the command.
    """
    try:
        return load_settings(settings_file, os.environ)
    except SettingsError as error:
        raise click.ClickException(str(error)) from error
