import contextlib
import gc
import json
import os
import re
import signal
import subprocess
import time
import weakref
from pathlib import Path

import pytest
import requests

from hooks import __version__
from hooks.server import collect_garbage
from hooks.settings import ServerSettings
from tests.conftest import DYNAMO_HOOKS, FAKE_HOOKS
from tests.fake_hooks import PARENT

TLS = Path(__file__).parent / "tls"
CERTIFICATE, KEY = TLS / "certificate.pem", TLS / "key.pem"
PATH = "/dynamographdeployments/sync"
CALLS_IN_A_ROW = 1000
"""They take half a second."""


def head(length, *more):
    """The head of a call whose body has so many bytes, with further lines."""
    lines = [f"POST {PATH} HTTP/1.1", "Host: x", f"Content-Length: {length}", *more, ""]
    return "".join(f"{line}\r\n" for line in lines).encode()


@pytest.fixture(scope="session")
def fake_service(start_service):
    return start_service("127.0.0.1", 0, 2, program=FAKE_HOOKS)


def refused(*arguments, **environment):
    result = subprocess.run(
        [DYNAMO_HOOKS, "serve", "--bind", "127.0.0.1:0", *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert result.returncode in (1, 2)
    return result.stderr


@pytest.mark.parametrize("path", ["healthz", "readyz", "metrics"])
def test_probes_answer(service, path):
    assert requests.get(f"{service.url}/{path}", timeout=60).status_code == 200


def test_it_says_where_it_listens_and_that_no_token_is_needed(service):
    assert service.stderr.read_text() == (
        f"dynamo-hooks {__version__} listens on {service.url}\ncalls need no token; DYNAMO_HOOKS_TOKEN sets one\n"
    )


def test_a_configured_token_is_asked_for(start_service, tmp_path):
    file = tmp_path / "token"
    file.write_text("new\n")
    service = start_service(
        "serve", "--bind", "127.0.0.1:0", DYNAMO_HOOKS_TOKEN="old", DYNAMO_HOOKS_TOKEN_FILE=str(file)
    )
    assert "no token" not in service.stderr.read_text()
    statuses = [
        requests.post(service.url + "/nowhere", headers={"Authorization": f"Bearer {token}"}, timeout=60).status_code
        for token in ("old", "new", "other")
    ]
    assert statuses == [404, 404, 401]
    assert requests.get(service.url + "/healthz", timeout=60).status_code == 200


@pytest.mark.parametrize("chunked", [False, True])
def test_a_hundred_megabytes_are_refused_without_being_kept(fake_service, chunked):
    piece = b"x" * 1_000_000
    body = (piece for _ in range(100)) if chunked else piece * 100
    answer = requests.post(fake_service.url + PATH, data=body, timeout=60)
    assert answer.status_code == answer.json()["status"] == 413
    assert answer.headers["Content-Type"] == "application/problem+json"
    for worker in fake_service.workers():
        (peak,) = re.findall(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{worker}/status").read_text())
        assert int(peak) < 90_000


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize(("excess", "status"), [(0, 200), (1, 413)])
def test_the_limit_is_exact(fake_service, chunked, excess, status):
    body = json.dumps({"parent": PARENT}).encode().ljust((1 << 20) + excess)
    answer = requests.post(fake_service.url + PATH, data=iter([body]) if chunked else body, timeout=60)
    assert answer.status_code == status


def test_a_running_call_is_finished_after_sigterm(start_service):
    service = start_service("127.0.0.1", 0, 1, program=FAKE_HOOKS)
    body = json.dumps({"parent": PARENT}).encode()
    with service.connect() as connection:
        connection.sendall(head(len(body), "Expect: 100-continue"))
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 100 ")  # so the call is running
        service.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not sockets(service.process.pid))  # so the signal has arrived
        connection.sendall(body)
        answer = b"".join(iter(lambda: connection.recv(1 << 16), b""))
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert b'"state":"pending"' in answer
    assert service.process.wait(60) == 0


def test_a_connection_that_waits_for_its_next_call_keeps_no_service_from_ending(start_service):
    service = start_service("127.0.0.1", 0, 1, program=FAKE_HOOKS)
    with requests.Session() as session:
        assert session.post(service.url + PATH, json={"parent": PARENT}, timeout=60).status_code == 200
        assert service.end() == 0
    assert service.stderr.read_text() == service.url + "\n"  # gunicorn would say that it waited in vain


def test_a_body_that_takes_its_time_keeps_nobody_waiting(start_service):
    service = start_service("127.0.0.1", 0, 1, program=FAKE_HOOKS)
    body = json.dumps({"parent": PARENT}).encode()
    with service.connect() as connection:
        connection.sendall(head(len(body)) + body[:20])
        for _ in range(20):
            assert requests.post(service.url + PATH, json={"parent": PARENT}, timeout=60).status_code == 200
        connection.sendall(body[20:])
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200 ")


def test_callers_that_fall_silent_keep_no_turn(start_service):
    service = start_service("127.0.0.1", 0, 1, 0.5, program=FAKE_HOOKS)
    silent = [service.connect() for _ in range(2 * ServerSettings().threads)]
    for connection in silent:
        connection.sendall(head(100) + b"{")
    assert requests.post(service.url + PATH, json={"parent": PARENT}, timeout=60).status_code == 200
    for connection in silent:
        answer = connection.recv(1 << 16)
        assert answer.startswith(b"HTTP/1.1 400 ")
        while b'"$: the body does not come to its end"' not in answer:
            more = connection.recv(1 << 16)
            assert more
            answer += more
        connection.close()


def test_it_ends_without_a_word(start_service):
    service = start_service("serve", "--bind", "127.0.0.1:0")
    said = service.stderr.read_text()
    requests.post(service.url + "/nowhere", timeout=60)
    assert service.end() == 0
    assert service.stderr.read_text() == said


def test_a_caller_whose_next_call_is_always_there_keeps_nobody_waiting(start_service):
    service = start_service("127.0.0.1", 0, 1, program=FAKE_HOOKS)

    def message(name):
        body = json.dumps({"parent": PARENT | {"metadata": PARENT["metadata"] | {"name": name}}}).encode()
        return head(len(body)) + body

    with service.connect() as busy, service.connect() as other:
        busy.sendall(message("busy") * CALLS_IN_A_ROW)
        other.sendall(message("other"))
        assert other.recv(1 << 16).startswith(b"HTTP/1.1 200 ")
    wait_until(lambda: "other" in service.stdout.read_text())
    names = [json.loads(line)["name"] for line in service.stdout.read_text().splitlines()]
    assert names.index("other") < CALLS_IN_A_ROW


def sockets(pid):
    found = []
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed meanwhile
            found += ["socket:"] if str(file.readlink()).startswith("socket:") else []
    return found


def wait_until(condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError("waited in vain")


def calls(service):
    text = requests.get(service.url + "/metrics", timeout=60).text
    (number,) = re.findall(r'^dynamo_hooks_calls_total\{.*hook="sync",outcome="ok"} (\S+)$', text, re.MULTILINE)
    return float(number)


def test_metrics_are_those_of_all_workers_even_of_one_that_died(start_service):
    service = start_service("127.0.0.1", 0, 2, program=FAKE_HOOKS)
    for _ in range(40):  # a connection each, so that both workers get some
        assert requests.post(service.url + PATH, json={"parent": PARENT}, timeout=60).status_code == 200
    wait_until(lambda: calls(service) == 40)  # a call is counted once its answer is sent
    assert {calls(service) for _ in range(10)} == {40}
    dead, *_ = service.workers()
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: dead not in service.workers() and len(service.workers()) == 2)
    assert {calls(service) for _ in range(10)} == {40}


def test_nothing_of_the_metrics_is_left_behind(start_service):
    service = start_service("serve", "--bind", "127.0.0.1:0")
    requests.post(service.url + "/nowhere", timeout=60)

    def folders():
        maps = "".join(Path(f"/proc/{worker}/maps").read_text() for worker in service.workers())
        return set(re.findall(r"(/\S+)/counter_\d+\.db", maps))

    wait_until(folders)  # a call is counted once its answer is sent
    (folder,) = folders()
    assert Path(folder).is_dir()
    assert service.end() == 0
    assert not Path(folder).exists()


def test_calls_come_over_tls_where_there_is_a_certificate(start_service):
    service = start_service("serve", "--bind", "127.0.0.1:0", "--certfile", CERTIFICATE, "--keyfile", KEY)
    assert service.url.startswith("https://")
    assert requests.get(service.url + "/healthz", verify=str(CERTIFICATE), timeout=60).status_code == 200


def test_it_listens_on_ipv6(start_service):
    service = start_service("serve", "--bind", "[::1]:0")
    assert service.url.startswith("http://[::1]:")
    assert requests.get(service.url + "/healthz", timeout=60).status_code == 200


def test_a_port_that_is_taken_is_named(service):
    address = service.url.removeprefix("http://")
    assert refused("--bind", address) == (
        f"Error: cannot listen on {address}: Address already in use; --bind names another\n"
    )


@pytest.mark.parametrize("address", ["8080", "localhost", "::1:8080", "1.2.3.4:x", "1.2.3.4:65536", ":80"])
def test_an_address_that_is_none_is_refused(address):
    assert f"'{address}' is not HOST:PORT, such as 127.0.0.1:8080 or [::]:8080" in refused("--bind", address)


def test_a_bad_setting_stops_the_start(tmp_path):
    file = tmp_path / "settings.yaml"
    file.write_text("server: {threads: many}")
    assert refused("--settings", str(file), DYNAMO_HOOKS_TOKEN="one") == (
        f"Error: {file}: server.threads: has the value 'many'; write a whole number, without quotes\n"
    )


def test_an_announced_token_that_is_not_there_stops_the_start():
    assert refused(DYNAMO_HOOKS_TOKEN="") == (
        "Error: DYNAMO_HOOKS_TOKEN: holds no token; write one, or leave the variable unset to go without\n"
    )


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--certfile", CERTIFICATE], "--certfile and --keyfile go together: give both, or none"),
        (["--certfile", "/nowhere", "--keyfile", KEY], "/nowhere and .* are no certificate and its key: No such file"),
        (["--certfile", KEY, "--keyfile", KEY], "are no certificate and its key: "),
    ],
)
def test_a_certificate_that_is_none_stops_the_start(arguments, reason):
    assert re.search(reason, refused(*arguments))


@pytest.mark.parametrize(("cycles", "left"), [(100, 100), (2000, 0)])
def test_what_calls_leave_behind_is_collected_after_a_call_once_it_is_enough(cycles, left):
    class Cycle:
        def __init__(self):
            self.own = self

    gc.collect()
    gc.disable()
    try:
        made = [weakref.ref(Cycle()) for _ in range(cycles)]
        collect_garbage()
        assert sum(cycle() is not None for cycle in made) == left
    finally:
        gc.enable()
