"""The command line: `dynamo-hooks`, one file per command."""

import click


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dynamo-hooks")
def main() -> None:
    """NVIDIA Dynamo's custom resources as stateless HTTP hooks under Metacontroller."""
