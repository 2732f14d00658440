"""Commands that are given a manifest on standard input."""

from click.testing import CliRunner

from hooks.cli import main


def invoked(command, manifest, *arguments):
    """What click says of it."""
    return CliRunner().invoke(main, [command, "-f", "-", *arguments], input=manifest)


def run(command, manifest):
    """The exit status and what is said on standard error."""
    result = invoked(command, manifest)
    return result.exit_code, result.stderr.splitlines()
