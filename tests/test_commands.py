"""The commands of README and docs, as far as they need no cluster, work as they are written."""

import re
import shlex
import subprocess
from itertools import pairwise

import pytest
import requests

from tests.conftest import DYNAMO_HOOKS
from tests.test_documentation import PAGES, ROOT

LOCAL = re.compile(r"https?://(?:127\.0\.0\.1|localhost):8080|localhost:8080")


def commands(page):
    """What follows each `$ ` in a page's console blocks, in one line where `\\` continues it."""
    for block in re.findall(r"```console\n(.*?)```", page.read_text(), re.DOTALL):
        for text in re.split(r"^\s*\$ ", block, flags=re.MULTILINE)[1:]:
            yield text.replace("\\\n", " ").strip()


def words(command):
    """A command's words, without its comment and the sign that it runs in the background."""
    return [word for word in shlex.split(command, comments=True) if word != "&"]


COMMANDS = [(page.name, command) for page in PAGES for command in commands(page)]
ALONE = [(page, text) for page, text in COMMANDS if re.match(r"\.venv/bin/dynamo-hooks (render|simulate|config)", text)]
CALLS = [(page, text) for page, text in COMMANDS if text.startswith("curl ")]
HELM = [(page, text) for page, text in COMMANDS if re.match(r"helm (install|upgrade) ", text)]


def test_commands_are_found():
    assert [len(found) > minimum for found, minimum in ((ALONE, 4), (CALLS, 1), (HELM, 4))] == [True] * 3


@pytest.mark.parametrize(("page", "command"), ALONE)
def test_a_command_that_needs_no_cluster_succeeds_or_shows_the_failure_that_it_is_asked_for(page, command):
    program, *arguments = words(command)
    assert program == ".venv/bin/dynamo-hooks", page
    result = subprocess.run([DYNAMO_HOOKS, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    fails = any(argument in {"--fail", "--profile-fail"} for argument in arguments)
    assert (result.returncode, bool(result.stdout)) == (int(fails), True), result.stderr


def test_every_command_names_the_program_of_the_virtual_environment():
    bare = re.compile(r"(?:^|[|;&] *)dynamo-hooks ", re.MULTILINE)
    assert [(page, text) for page, text in COMMANDS if bare.search(text)] == []


@pytest.mark.parametrize(("page", "command"), [found for found in COMMANDS if "dynamo-hooks serve" in found[1]])
def test_a_page_that_starts_the_service_waits_for_it_and_stops_it(page, command):
    following = [text for name, text in COMMANDS if name == page]
    after = following[following.index(command) + 1 :]
    waiting = [text for text in after if "curl" in text]
    assert "--retry-connrefused" in waiting[0]
    assert "kill %1" in after


@pytest.mark.parametrize(("page", "command"), CALLS)
def test_a_call_of_the_local_service_is_answered(service, page, command):
    program, *arguments = words(command)
    (url,) = (word for word in arguments if LOCAL.match(word))
    (data,) = (after for word, after in pairwise(arguments) if word in {"-d", "--data-binary"})
    body = (ROOT / data[1:]).read_text() if data.startswith("@") else data
    answer = requests.post(LOCAL.sub(service.url, url), data=body.encode(), timeout=60)
    assert (program, answer.status_code) == ("curl", 200), f"{page}: {answer.text}"


@pytest.mark.parametrize(("page", "command"), HELM)
def test_the_chart_takes_the_values_that_are_set(page, command):
    helm = pytest.importorskip("helm_python", reason="needs Helm")
    _, _, release, chart, *options = words(command)
    assert (release, chart) == ("dynamo-hooks", "helm/dynamo-hooks"), page
    settings = [after for word, after in pairwise(options) if word == "--set"]
    values = helm.parse_set_string(",".join(settings)) if settings else {}
    with helm.Chart.load(ROOT / chart) as loaded:
        assert loaded.render(values, name=release, namespace="dynamo-hooks")
