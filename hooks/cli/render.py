"""`dynamo-hooks render`: what a manifest becomes, without a cluster."""

import json
import sys
from collections.abc import Iterable
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import yaml

from hooks.cli.options import effective_settings, settings_option, strict_option
from hooks.documents import manifest_objects
from hooks.manifest_faults import Refusals
from hooks.rendering import Asked, render
from hooks.unknown_fields import unknown_fields


@click.command("render")
@click.option(
    "-f",
    "--filename",
    "filenames",
    metavar="FILE|-",
    multiple=True,
    required=True,
    type=click.Path(allow_dash=True),
    help="Manifest (YAML or JSON, several documents); may be given several times.",
)
@click.option(
    "-o", "--output", type=click.Choice(["yaml", "json"]), default="yaml", help="YAML documents, or one List."
)
@click.option("-n", "--namespace", help="Namespace of objects that name none, `default` where it is not given.")
@click.option(
    "--profile-output",
    metavar="FILE|-",
    type=click.Path(allow_dash=True),
    help="What a profiler wrote (config_with_planner.yaml): requests become the graph that comes out, not the Job.",
)
@click.option(
    "--namespace-objects/--no-namespace-objects",
    default=True,
    help="Print what belongs to the namespace too: accounts of planners and profilers, Services of models.",
    show_default=True,
)
@strict_option
@settings_option
def command(  # noqa: PLR0913 - one for each option
    *,
    filenames: tuple[str, ...],
    output: str,
    namespace: str | None,
    profile_output: str | None,
    namespace_objects: bool,
    strict: bool,
    settings_file: Path | None,
) -> None:
    """Print everything that a manifest becomes.

    A DynamoGraphDeployment becomes DynamoComponentDeployments, and those Deployments, Services and the rest, as in a
    cluster where nothing of it is there yet. A DynamoGraphDeploymentRequest becomes the Job that profiles its model,
    or, with a profiler's output, the graph that comes out with everything that this becomes. Objects of other kinds
    are printed as they are. What belongs to the namespace (accounts of planners, Services of models) comes last, but
    for keys, which a cluster makes for itself. Warnings and errors go to standard error, a line each. What the API
    server or the hooks would refuse ends with exit status 1; with --strict so does what counts for nothing: a field
    that the CRD does not have, an object whose kind or version is nearly one of ours, an object that stands twice.

    \b
    Examples:
      dynamo-hooks render -f graph.yaml
      dynamo-hooks render -f graph.yaml -f claims.yaml -n inference -o json
      dynamo-hooks render -f request.yaml --profile-output config_with_planner.yaml
      kubectl get dgd chat -o yaml | dynamo-hooks render -f -
    """
    settings = effective_settings(settings_file)
    documents = [document for filename in filenames for document in read_documents(filename)]
    if not any(manifest_objects(documents)):
        raise click.ClickException(f"no object is in {', '.join(filenames)}")
    profile = None if profile_output is None else read_text(profile_output)
    asked = Asked(
        settings=settings,
        now=datetime.now(UTC),
        namespace=namespace,
        unknown_fields=unknown_fields,
        refusals=_refusals(),
        profile_output=profile,
        namespace_objects=namespace_objects,
    )
    rendered = render(documents, asked)
    for warning in rendered.warnings:
        click.echo(f"warning: {warning}", err=True)
    print_objects(rendered.objects, output)
    for fault in rendered.faults:
        click.echo(f"error: {fault}", err=True)
    if rendered.faults or (strict and rendered.ignored):
        sys.exit(1)


def _refusals() -> Refusals | None:
    """What the API server would refuse, where the packages of the extra are there that know; else a warning."""
    missing = [name for name in ("cel", "jsonschema_rs") if find_spec(name) is None]
    if missing:
        said = f"without {' and '.join(missing)}, what only the API server knows of is not checked"
        click.echo(f"warning: {said}; install dynamo-hooks[simulate]", err=True)
        return None
    found: Refusals = import_module("hooks.simulator.admission").refusals
    return found


def read_documents(filename: str) -> list[Any]:
    """The documents of a manifest; `-` is standard input.

    Raises:
        click.ClickException: the file cannot be read, or is no YAML; it says where.
    """
    try:
        with click.open_file(filename, encoding="utf-8") as file:
            return list(yaml.safe_load_all(file))
    except OSError as error:
        raise click.ClickException(f"{filename}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{filename} is not YAML: {error}") from error


def read_text(filename: str) -> str:
    """A file's text; `-` is standard input.

    Raises:
        click.ClickException: the file cannot be read, or is no text.
    """
    try:
        with click.open_file(filename, encoding="utf-8") as file:
            return str(file.read())
    except OSError as error:
        raise click.ClickException(f"{filename}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise click.ClickException(f"{filename} is not UTF-8: {error}") from error


def print_objects(objects: Iterable[Any], output: str) -> None:
    """Print objects as YAML documents, or as one List of JSON."""
    if output == "json":
        click.echo(json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)}, indent=2))
        return
    for item in objects:
        click.echo("---")
        click.echo(yaml.dump(item, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120), nl=False)


class _Dumper(yaml.SafeDumper):
    """Writes what two objects share twice, and text of several lines as such."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.Node:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
