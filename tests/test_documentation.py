"""What the documentation names is there."""

import re
from pathlib import Path

import click
import pytest
import yaml

from hooks.cli import main
from hooks.metrics import ADAPTER_CALLS, ANSWERS, CALLS, DURATION, REQUEST_SIZE

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
VALUES = yaml.safe_load((ROOT / "helm" / "dynamo-hooks" / "values.yaml").read_text())
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@every_page
def test_links_lead_somewhere(page):
    links = re.findall(r"]\(([^)#]+)", page.read_text())
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []


@every_page
def test_values_that_are_set_are_values_of_the_chart(page):
    for path in re.findall(r"--set ([\w.]+)=", page.read_text()):
        values = VALUES
        for key in path.split("."):
            assert key in values, path
            values = values[key]


@every_page
def test_commands_and_files_that_are_named_exist(page):
    text = page.read_text()
    for name in re.findall(r"dynamo-hooks ([a-z][a-z-]+) (?:-|kind|dgd|KIND)", text):
        assert name in main.list_commands(click.Context(main))
    for path in re.findall(r"(?:-f|-k|@) ?((?:examples|crds|metacontroller)/[\w./-]*)", text):
        assert (ROOT / path).exists(), path
    for target in re.findall(r"(?:`|\$ )make ([a-z]+)", text):
        assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE), target


@every_page
def test_metrics_that_are_named_exist(page):
    known = {metric._name for metric in (ADAPTER_CALLS, ANSWERS, CALLS, DURATION, REQUEST_SIZE)}
    assert {name.removesuffix("_total") for name in re.findall(r"dynamo_hooks_\w+", page.read_text())} <= known


def test_readme_leads_to_every_page():
    text = (ROOT / "README.md").read_text()
    assert [page.name for page in PAGES[1:] if f"(docs/{page.name})" not in text and page.name != "benchmark.md"] == []
