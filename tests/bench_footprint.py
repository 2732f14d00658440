"""What the service takes before it has answered anything: time to import, memory, disk: `make bench`.

Measured in an environment like the image's, made of image/service.lock and the project; each with what dominates it.
"""

import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import click

from tests.report import write_section

ROOT = Path(__file__).parents[1]
INTRODUCTION = """\
Written by `make bench`, in an environment like the image's. Imports are the making of the models, and what Flask,
requests and structlog bring along; they are the greater part of the start above. Memory is mostly code and models,
which the worker processes share with the process that started them. The image's own layer lies on python:3.11-slim,
which is larger: about 150 MB, a third of it when compressed.
"""
SHOWN = 7
"""What is named; the others are summed up."""
STARTS = 5
STEPS = ("flask", "gunicorn.app.base", "pydantic", "structlog", "requests", "prometheus_client", "hooks.app")
"""Packages whose memory is told apart, in the order in which they are imported here."""
MEASURE_MEMORY = """
import importlib, sys
from pathlib import Path
def resident():
    return int(Path("/proc/self/status").read_text().partition("VmRSS:")[2].split()[0]) * 1024 / 1e6
before = 0.0
for name in ("sys", *sys.argv[1:]):
    importlib.import_module(name)
    now = resident()
    print(name, now - before)
    before = now
"""


def environment(folder):
    """The Python of an environment like the image's."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    install = [*pip, "--python", python, "install", "--no-deps"]
    subprocess.run([*install, "--require-hashes", "-r", ROOT / "image" / "service.lock"], check=True)
    wheel = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "wheel", ROOT]
    subprocess.run([*pip, *wheel], check=True)
    subprocess.run([*install, *(folder / "wheel").glob("*.whl")], check=True)
    return python


def import_times(python):
    """Milliseconds of importing what `serve` needs before it answers, by package: the fastest of some starts."""
    runs = []
    for _ in range(STARTS):
        command = [python, "-X", "importtime", "-c", "import hooks.cli.serve, hooks.app"]
        report = subprocess.run(command, capture_output=True, text=True, check=True).stderr
        found = Counter()
        for own, module in re.findall(r"import time:\s+(\d+) \|\s+\d+ \| +(\S+)", report):
            package = module.partition(".")[0].replace("pydantic_core", "pydantic")
            found["Python itself" if package in sys.stdlib_module_names else package] += int(own) / 1000
        runs.append(found)
    return min(runs, key=Counter.total)


def memory(python):
    """MB of resident memory that each import adds, with all that it imports itself and that was not there before."""
    command = [python, "-c", MEASURE_MEMORY, *STEPS]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    found = dict(zip(lines[::2], map(float, lines[1::2]), strict=True))
    found["Python itself"] = found.pop("sys")
    found["hooks, with its models (pydantic)"] = found.pop("hooks.app")
    return Counter(found)


def on_disk(python):
    """MB of each package, as the image's own layer has them."""
    packages = next((python.parents[1] / "lib").glob("python*/site-packages"))
    found = Counter()
    for path in packages.rglob("*"):
        if path.is_file():
            name = path.relative_to(packages).parts[0]
            found[re.split(r"[-.]", name)[0].removesuffix("_core")] += path.stat().st_size / 1e6
    return found


def row(what, unit, found):
    """A row of the table: the sum, and what it is made of."""
    shown = found.most_common(SHOWN)
    parts = [f"{name} {size:.3g}" for name, size in shown]
    rest = found.total() - sum(size for _, size in shown)
    return f"| {what} | **{found.total():.3g}** {unit} | {', '.join(parts)}; all others {rest:.2g} |"


@click.command()
@click.option("--write", is_flag=True, help="Write the table into docs/benchmark.md as well.")
def main(write):
    """Print the table."""
    with tempfile.TemporaryDirectory() as folder:
        python = environment(Path(folder))
        lines = [
            "| | in all | most of it |",
            "|---|---|---|",
            row("imports until `serve` can answer", "ms", import_times(python)),
            row("memory after them", "MB", memory(python)),
            row("the image's own layer", "MB", on_disk(python)),
        ]
    text = "\n".join(lines)
    click.echo(text)
    if write:
        write_section("## Before the first call", f"{INTRODUCTION}\n{text}")


if __name__ == "__main__":
    main()
