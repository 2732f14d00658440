"""The command line: `dynamo-hooks`, one file per command.

A command is the `command` of its module, which is imported when it is called: `serve` need not wait for the imports of
`simulate`, and a command whose extra packages are missing takes no other one along.
"""

from importlib import import_module

import click

_MODULES = {
    "serve": "hooks.cli.serve",
    "render": "hooks.cli.render",
    "simulate": "hooks.cli.simulate",
    "request": "hooks.cli.request",
    "crds": "hooks.cli.crds",
    "config": "hooks.cli.config",
    "copy-output": "hooks.cli.copy_output",
}
"""Command → module, in the order of `--help`."""


class _Commands(click.Group):
    """Commands that are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's signature
        if cmd_name not in _MODULES:
            return None
        command: click.Command = import_module(_MODULES[cmd_name]).command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dynamo-hooks")
def main() -> None:
    """NVIDIA Dynamo's custom resources as stateless HTTP hooks under Metacontroller.

    \b
    Examples:
      dynamo-hooks render -f graph.yaml
      dynamo-hooks simulate -f graph.yaml
      dynamo-hooks serve --bind 127.0.0.1:8080
      dynamo-hooks request dgd chat
      dynamo-hooks COMMAND --help
    """
