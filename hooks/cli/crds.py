"""`dynamo-hooks crds`: the CustomResourceDefinitions as files."""

from pathlib import Path

import click

from hooks.crds import MissingSchemasError, file_contents


@click.command("crds")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("crds"),
    show_default=True,
    help="Folder to write to.",
)
@click.option("--check", is_flag=True, help="Write nothing; exit with status 1 where a file is not as it would be.")
def command(output: Path, *, check: bool) -> None:
    """Write the CustomResourceDefinitions of all four custom resources.

    \b
    Examples:
      dynamo-hooks crds
      dynamo-hooks crds --check
      dynamo-hooks crds --output /tmp/crds && kubectl apply -f /tmp/crds
    """
    try:
        contents = file_contents()
    except MissingSchemasError as error:
        raise click.ClickException(str(error)) from error
    if check:
        _report_stale(output, [name for name in contents if _read(output / name) != contents[name]])
        return
    try:
        output.mkdir(parents=True, exist_ok=True)
        for name, content in contents.items():
            (output / name).write_text(content, encoding="utf-8")
            click.echo(output / name)
    except OSError as error:
        raise click.ClickException(f"{error.filename or output}: cannot be written: {error.strerror}") from error


def _report_stale(output: Path, stale: list[str]) -> None:
    if stale:
        raise click.ClickException(
            f"not up to date: {', '.join(str(output / name) for name in stale)}; write them with `dynamo-hooks crds`"
        )


def _read(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.is_file() else None
