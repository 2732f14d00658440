"""The container image: there is no builder here, so its steps are run in a folder."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "Dockerfile").read_text()
PIN = re.compile(r"^([a-z0-9-]+)==(\S+)", re.MULTILINE)


def instructions(name):
    lines = TEXT.replace("\\\n", " ").splitlines()
    return [line.removeprefix(name).strip() for line in lines if line.startswith(f"{name} ")]


def test_hadolint_finds_nothing():
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        pytest.skip("hadolint comes with a wheel for Linux on x86-64 only")
    result = subprocess.run([hadolint, ROOT / "Dockerfile"], capture_output=True, text=True, check=False)
    assert (result.stdout, result.returncode) == ("", 0)


def test_it_runs_as_the_user_that_the_chart_says_too():
    assert instructions("USER") == ["65532:65532"]
    deployment = (ROOT / "helm" / "dynamo-hooks" / "templates" / "deployment.yaml").read_text()
    assert "runAsUser: 65532\n        runAsGroup: 65532" in deployment


@pytest.mark.parametrize("lock", ["service.lock", "build.lock"])
def test_the_image_holds_the_versions_that_are_tested(lock):
    pins = dict(PIN.findall((ROOT / "image" / lock).read_text()))
    tested = dict(PIN.findall((ROOT / "requirements.lock").read_text()))
    pins.pop("pip", None)  # it builds, and is not in the image
    assert pins.items() <= tested.items()


@pytest.fixture(scope="module")
def image(tmp_path_factory):
    """A folder like the image's /opt, made by the steps of the Dockerfile out of nothing but what they copy."""
    folder = tmp_path_factory.mktemp("image")
    source = folder / "source"
    for copied in instructions("COPY"):
        if not copied.startswith("--from"):
            *names, target = copied.split()
            for name in names:
                place = source / target / ("" if name.endswith("/") else name)
                copy = shutil.copytree if name.endswith("/") else shutil.copyfile
                place.parent.mkdir(parents=True, exist_ok=True)
                ignored = {"ignore": shutil.ignore_patterns("__pycache__")} if name.endswith("/") else {}
                copy(ROOT / name, place, **ignored)
    for command in instructions("RUN"):
        here = command.replace("/opt/", f"{folder}/").replace("python -m venv", f"{sys.executable} -m venv")
        here = here.replace("--no-cache-dir ", "")  # what was fetched once
        result = subprocess.run(["/bin/sh", "-ec", here], cwd=source, capture_output=True, text=True, check=False)
        if "NewConnectionError" in result.stdout + result.stderr:
            pytest.skip("no package index can be reached")
        assert result.returncode == 0, result.stdout + result.stderr
    shutil.rmtree(source)
    shutil.rmtree(folder / "build")
    return folder / "dynamo-hooks"


def run(image, *arguments, **how):
    environment = {"PATH": f"{image}/bin:{os.environ['PATH']}"}
    command = [image / "bin" / arguments[0], *arguments[1:]]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **how)


def test_what_it_holds_renders_a_manifest(image, tmp_path):
    manifest = ROOT / "examples" / "aggregated.yaml"
    result = run(image, "dynamo-hooks", "render", "-f", manifest, cwd=tmp_path)
    assert result.returncode == 0
    assert result.stderr == (
        "warning: without cel and jsonschema_rs, what only the API server knows of is not checked; install "
        "dynamo-hooks[simulate]\n"
    )
    assert "kind: Deployment" in result.stdout


def test_it_holds_the_controllers_and_the_definitions(image, tmp_path):
    program = (
        "from hooks.packaged import packaged\n"
        "print(*sorted(path.name for name in ('crds', 'metacontroller') for path in packaged(name).glob('*.yaml')))"
    )
    names = run(image, "python", "-c", program, cwd=tmp_path).stdout.split()
    assert names == sorted(path.name for name in ("crds", "metacontroller") for path in (ROOT / name).glob("*.yaml"))


def test_it_holds_nothing_that_the_service_does_not_need(image):
    (packages,) = image.glob("lib/python3*/site-packages")
    assert not {path.name for path in packages.iterdir()} & {"pip", "hatchling", "pytest", "jsonschema_rs", "rich"}


def test_the_image_starts_the_service(image):
    (entry,) = instructions("ENTRYPOINT")
    (command,) = instructions("CMD")
    assert (entry, command) == ('["dynamo-hooks"]', '["serve", "--bind=0.0.0.0:8080"]')
    result = run(image, "dynamo-hooks", "serve", "--bind=0.0.0.0:none")
    assert "'0.0.0.0:none' is not HOST:PORT" in result.stderr
