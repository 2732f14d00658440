"""How many calls are under way at once, and that those that wait for workers keep nobody waiting."""

import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from werkzeug.exceptions import TooManyRequests

from hooks.adapters import Outcomes
from hooks.app import create_app
from hooks.settings import ServerSettings, Settings
from hooks.tokens import Tokens
from hooks.turns import Turns
from tests.bench_models import component_request, model_request
from tests.workers import Worker, host, running


def test_no_more_calls_are_under_way_than_there_are_turns():
    turns, goes_on, begun = Turns(2), threading.Event(), threading.Semaphore(0)
    under_way, most = [], []

    def view():
        under_way.append(None)
        most.append(len(under_way))
        begun.release()
        assert goes_on.wait(60)
        under_way.pop()

    with ThreadPoolExecutor(6) as pool:
        calls = [pool.submit(turns.taken_by(view)) for _ in range(6)]
        assert begun.acquire(timeout=60)
        assert begun.acquire(timeout=60)
        goes_on.set()
    assert [call.result() for call in calls] == [None] * 6
    assert max(most) == 2


def test_a_turn_is_free_again_after_a_failure_whoever_had_it():
    turns = Turns(1)

    def fails():
        with turns.given_away():
            raise ValueError("of a call")

    for _ in range(3):
        with pytest.raises(ValueError, match="of a call"):
            turns.taken_by(fails)()


def test_as_many_calls_give_their_turns_away_as_there_are():
    turns = Turns(2)

    def call(others):
        def view():
            with turns.given_away():
                if others:
                    call(others - 1)

        turns.taken_by(view)()

    call(1)
    with pytest.raises(TooManyRequests):
        call(2)
    call(1)


def test_calls_go_on_while_one_waits_for_workers_and_too_many_that_wait_are_sent_again():
    found = []

    def perform(task):
        found.append(client.post("/dynamocomponentdeployments/sync", data=component_request()))
        found.append(client.post("/dynamomodels/sync", data=body))
        return Outcomes()

    settings = Settings(server=ServerSettings(threads=1))
    client = create_app(settings, tokens=Tokens(), perform=perform).test_client()
    with running(Worker(host(2))) as workers:
        body = model_request(workers)
    for _ in range(2):
        assert client.post("/dynamomodels/sync", data=body).status_code == 200
        component, model = found[-2:]
        assert component.status_code == 200
        assert (model.status_code, model.headers["Retry-After"]) == (429, "5")
        assert "children" not in model.json


def test_a_service_with_one_turn_answers_while_a_model_waits_for_a_worker(start_service):
    service = start_service("serve", "--bind", "127.0.0.1:0", "--workers", 1, "--threads", 1)
    asked, goes_on = threading.Event(), threading.Event()

    def list_adapters(environ, start_response):
        asked.set()
        assert goes_on.wait(60)
        start_response("200 OK", [])
        return [b'["acme/lora"]']

    def sync(route, body):
        return requests.post(f"{service.url}/{route}/sync", data=body, timeout=60)

    with running(Worker(host(2), GET=list_adapters)) as workers, ThreadPoolExecutor(1) as pool:
        model = pool.submit(sync, "dynamomodels", model_request(workers))
        assert asked.wait(60)
        assert sync("dynamocomponentdeployments", component_request()).status_code == 200
        assert not model.done()
        goes_on.set()
        assert model.result().json()["status"]["readyEndpoints"] == 1


def test_workers_are_asked_in_green_threads_as_in_native_ones():
    """`serve` has the former, pytest the latter."""
    tests = Path(__file__).with_name("test_endpoints.py")
    command = [sys.executable, "-m", "gevent.monkey", "--module", "pytest", "-p", "no:cacheprovider", tests]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stdout
