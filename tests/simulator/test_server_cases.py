"""The embedded API server answers as a real one did: see server_cases/record.py."""

import importlib
import json
import pathlib
import sys

import pytest

from hooks.simulator.api_server import start
from hooks.simulator.builtin import built_in
from hooks.simulator.clock import Clock
from hooks.simulator.custom import custom_resources
from hooks.simulator.errors import ApiError

FOLDER = pathlib.Path(__file__).parent / "server_cases"
sys.path.append(str(FOLDER))

from custom_resources import DEFINITION  # noqa: E402
from objects import NAMESPACE, merged, updated  # noqa: E402
from record import MODULES, recorded  # noqa: E402

RESOURCES = [*built_in(), *custom_resources([DEFINITION])]


def created_cases():
    for name in MODULES:
        module = importlib.import_module(name)
        answers = json.loads((FOLDER / f"{name}.json").read_text())
        for case, item in {**module.CREATED, **module.REFUSED}.items():
            yield pytest.param(item, answers[case], id=case)


def updated_cases():
    for name in MODULES:
        module = importlib.import_module(name)
        answers = json.loads((FOLDER / f"{name}.json").read_text())
        for case, (item, change) in updated(module).items():
            status = case in getattr(module, "STATUS", {})
            yield pytest.param(item, change, status, answers[f"update {case}"], id=case)


@pytest.fixture
def store():
    clock = Clock()
    store = start(clock, RESOURCES, namespaces=[NAMESPACE])
    clock.run_for(1)
    return store


def answered(store, send):
    del store.warnings[:]
    try:
        made = send()
    except ApiError as error:
        causes = [
            {"field": cause.field, "message": str(cause).removeprefix(f"{cause.field}: ")} for cause in error.causes
        ]
        body = {"reason": error.reason, "message": error.message, "details": {"causes": causes}}
        return recorded(error.status, body)
    return recorded(201, made, store.warnings)


@pytest.mark.parametrize(("item", "expected"), list(created_cases()))
def test_a_create_is_answered_as_by_a_real_server(store, item, expected):
    assert answered(store, lambda: store.create(item)) == expected


@pytest.mark.parametrize(("item", "change", "status", "expected"), list(updated_cases()))
def test_an_update_is_answered_as_by_a_real_server(store, item, change, status, expected):
    changed = merged(store.create(item), change)
    answer = answered(store, lambda: store.update_status(changed) if status else store.update(changed))
    if not status:
        answer.get("object", {}).pop("status", None)
    assert answer == expected
