"""`copy-output` against a small HTTP server that answers like the API server; time is a number that sleeping raises."""

import json
import os
import signal
import subprocess
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml

from hooks.api_server import ApiServer
from hooks.copy_output import (
    AWAY_PATIENCE,
    LARGEST,
    POLL,
    REFUSED_PATIENCE,
    SETTLE_PATIENCE,
    WRITE_PATIENCE,
    Copy,
    CopyFailed,
    copy_output,
)
from tests.conftest import DYNAMO_HOOKS

POD = "/api/v1/namespaces/inference/pods/profile-chat-x"
CONFIG_MAPS = "/api/v1/namespaces/inference/configmaps"
OUTPUT = f"{CONFIG_MAPS}/dgdr-output-chat"
FORBIDDEN = (403, 'pods "profile-chat-x" is forbidden: User "system:serviceaccount:inference:x" cannot get it')


class FakeTime:
    """A clock that is raised by sleeping alone; what shall happen at some time happens then."""

    def __init__(self):
        self.now = 0.0
        self.due = []

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        assert seconds > 0
        self.now += seconds
        while self.due and self.due[0][0] <= self.now:
            self.due.pop(0)[1]()

    def at(self, seconds, happen):
        self.due = sorted([*self.due, (seconds, happen)], key=lambda entry: entry[0])


class FakeApiServer(ThreadingHTTPServer):
    """One pod, and ConfigMaps."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), FakeRequests)
        self.profiler = {"running": {}}
        self.phase = "Running"
        self.config_maps = {}
        self.version = 0
        self.failing = None
        """`(method, path)` → a status and a message, "drop", or None where it works."""
        self.calls = []
        self.token = "first"

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def ends(self, code=0, **said):
        self.profiler = {"terminated": {"exitCode": code, **said}}

    def pod(self):
        containers = [
            {"name": "output-copier", "state": {"running": {}}},
            {"name": "profiler", "state": self.profiler},
        ]
        return {
            "metadata": {"name": "profile-chat-x"},
            "status": {"phase": self.phase, "containerStatuses": containers},
        }

    def stored(self, item):
        self.version += 1
        return {**item, "metadata": {**item["metadata"], "resourceVersion": str(self.version)}}


class FakeRequests(BaseHTTPRequestHandler):
    def answer(self, status, body):
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def refuse(self, status, message):
        self.answer(status, {"kind": "Status", "status": "Failure", "message": message, "code": status})

    def handle_one(self, method):
        api = self.server
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "null")
        api.calls.append((method, self.path))
        failure = api.failing(method, self.path) if api.failing else None
        if failure == "drop":
            self.close_connection = True
        elif failure:
            self.refuse(*failure)
        elif self.headers.get("Authorization") != f"Bearer {api.token}":
            self.refuse(401, "Unauthorized")
        elif (method, self.path) == ("GET", POD):
            self.answer(200, api.pod())
        elif method == "GET" and self.path in api.config_maps:
            self.answer(200, api.config_maps[self.path])
        elif (method, self.path) == ("POST", CONFIG_MAPS):
            self.create(api, body)
        elif method == "PUT" and self.path in api.config_maps:
            self.replace(api, body)
        else:
            self.refuse(404, "not found")

    def create(self, api, body):
        path = f"{CONFIG_MAPS}/{body['metadata']['name']}"
        if path in api.config_maps:
            self.refuse(409, "already exists")
        else:
            api.config_maps[path] = api.stored(body)
            self.answer(201, api.config_maps[path])

    def replace(self, api, body):
        if body["metadata"]["resourceVersion"] != api.config_maps[self.path]["metadata"]["resourceVersion"]:
            self.refuse(409, "the object has been modified")
        else:
            api.config_maps[self.path] = api.stored(body)
            self.answer(200, api.config_maps[self.path])

    def do_GET(self):
        self.handle_one("GET")

    def do_POST(self):
        self.handle_one("POST")

    def do_PUT(self):
        self.handle_one("PUT")

    def log_message(self, *_):
        pass


@pytest.fixture
def api():
    with FakeApiServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def clock():
    return FakeTime()


@pytest.fixture
def account(tmp_path):
    folder = tmp_path / "account"
    folder.mkdir()
    (folder / "token").write_text("first\n")
    (folder / "ca.crt").write_text("")
    return folder


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "data"
    path.mkdir()
    return path


@pytest.fixture
def copied(api, clock, account, folder):
    """Copies, and gives the ConfigMap's data."""

    def run():
        copy = Copy("chat", "4711", "inference", "prod", "profile-chat-x", folder)
        server = ApiServer(api.url, account / "token", account / "ca.crt")
        key = copy_output(copy, server, clock, lambda line: None)
        data = api.config_maps[OUTPUT]["data"]
        assert list(data) == [key]
        return data

    return run


def test_the_output_is_written_once_the_profiler_has_ended(api, clock, folder, copied):
    clock.at(3600, lambda: (folder / "config_with_planner.yaml").write_text("kind: ü\n"))
    clock.at(3700, api.ends)
    assert copied() == {"config_with_planner.yaml": "kind: ü\n"}
    assert 3700 <= clock.now <= 3700 + POLL + SETTLE_PATIENCE
    metadata = api.config_maps[OUTPUT]["metadata"]
    assert metadata["labels"] == {
        "dgdr.nvidia.com/name": "chat",
        "dgdr.nvidia.com/target-namespace": "prod",
        "nvidia.com/managed-by": "dynamo-operator",
    }
    assert metadata["annotations"] == {"dgdr.nvidia.com/uid": "4711"}
    assert metadata["ownerReferences"] == [
        {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": "DynamoGraphDeploymentRequest",
            "name": "chat",
            "uid": "4711",
        }
    ]


def test_nothing_is_written_while_the_profiler_runs(api, clock, folder, copied):
    (folder / "config_with_planner.yaml").write_text("half")

    def finish():
        assert not api.config_maps
        (folder / "config_with_planner.yaml").write_text("whole")
        api.ends()

    clock.at(100, finish)
    assert copied() == {"config_with_planner.yaml": "whole"}


def test_a_file_that_comes_and_grows_late_is_awaited(api, clock, folder, copied):
    path = folder / "config_with_planner.yaml"
    api.ends()
    clock.at(5, lambda: path.write_text("a"))
    clock.at(6, lambda: path.write_text("ab"))
    clock.at(7, lambda: path.write_text("abc"))
    assert copied() == {"config_with_planner.yaml": "abc"}


def test_a_file_that_never_stops_growing_is_not_awaited_for_ever(api, clock, folder, copied):
    path = folder / "config_with_planner.yaml"
    api.ends()
    for second in range(1, 100):
        clock.at(second, lambda text="x" * second: path.write_text(text))
    copied()
    assert clock.now <= SETTLE_PATIENCE + POLL


def status_file(folder, **fields):
    (folder / "profiler_status.yaml").write_text(yaml.safe_dump({"timestamp": "", **fields}))


@pytest.mark.parametrize(
    ("end", "status", "error"),
    [
        ({"code": 1, "reason": "Error"}, {}, "the profiler ended with exit code 1 (Error)"),
        (
            {"code": 137, "reason": "OOMKilled", "message": "last words\n"},
            {},
            "the profiler ended with exit code 137 (OOMKilled: last words)",
        ),
        (
            {"code": 1},
            {"status": "failed", "error": "no GPU", "message": "sweep failed"},
            "no GPU; the profiler ended with exit code 1",
        ),
        ({"code": 1}, {"status": "running", "message": "sweep 3 of 9"}, "sweep 3 of 9; the profiler ended with exit"),
        ({"code": 0}, {"status": "failed", "error": "no GPU"}, "no GPU"),
        ({"code": 0}, {"status": "failed", "message": "sweep failed"}, "sweep failed"),
        ({"code": 0}, {"status": "failed"}, "the profiler ended with exit code 0"),
    ],
)
def test_a_profiler_that_failed_is_reported_though_it_left_output(api, folder, copied, end, status, error):
    (folder / "config_with_planner.yaml").write_text("half")
    if status:
        status_file(folder, **status)
    api.ends(**end)
    data = copied()
    assert data["error"].startswith(error)


@pytest.mark.parametrize("status", [None, "running", "success"])
def test_a_profiler_that_ended_well_has_succeeded_whatever_state_it_was_in(api, folder, copied, status):
    (folder / "config_with_planner.yaml").write_text("whole")
    if status:
        status_file(folder, status=status)
    api.ends()
    assert copied() == {"config_with_planner.yaml": "whole"}


def test_output_that_is_missing_is_reported_with_what_is_there(api, clock, folder, copied):
    status_file(folder, status="success", message="done")
    (folder / "plots").mkdir()
    api.ends()
    assert copied()["error"] == (
        f"the profiler ended with exit code 0, but there is no {folder}/config_with_planner.yaml (No such file or "
        "directory); there is plots, profiler_status.yaml; it says: done"
    )
    assert clock.now <= SETTLE_PATIENCE + POLL


@pytest.mark.parametrize("content", [b"\xff", b"a: [", b"- 1", b"a: !!timestamp x", b""])
def test_a_status_that_cannot_be_read_says_nothing(api, folder, copied, content):
    (folder / "profiler_status.yaml").write_bytes(content)
    api.ends(1)
    assert copied() == {"error": "the profiler ended with exit code 1"}


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"x" * 1_500_000, "has 1500000 bytes, and a ConfigMap holds 1048576"),
        (b"x" * (LARGEST + 1), "has 1048577 bytes"),
        (b"a: \xff", "is not UTF-8"),
    ],
)
def test_output_that_does_not_fit_into_a_config_map_is_reported(api, folder, copied, content, error):
    (folder / "config_with_planner.yaml").write_bytes(content)
    api.ends()
    assert error in copied()["error"]


def test_output_of_exactly_the_limit_is_written(api, folder, copied):
    (folder / "config_with_planner.yaml").write_text("x" * LARGEST)
    api.ends()
    assert len(copied()["config_with_planner.yaml"]) == LARGEST


def test_a_pod_that_has_ended_without_saying_how_is_a_failure(api, copied):
    api.profiler = {"waiting": {}}
    api.phase = "Failed"
    assert copied() == {"error": "the profiler ended without an exit code (the pod has failed)"}


@pytest.mark.parametrize(
    "failure", ["drop", (500, "etcd leader changed"), (503, "starting"), (429, "too many requests")]
)
def test_an_api_server_that_is_away_for_a_while_costs_nothing(api, clock, folder, copied, failure):
    (folder / "config_with_planner.yaml").write_text("whole")
    clock.at(20, lambda: setattr(api, "failing", lambda method, path: failure))
    clock.at(80, api.ends)
    clock.at(200, lambda: setattr(api, "failing", None))
    assert copied() == {"config_with_planner.yaml": "whole"}


def test_an_api_server_that_is_away_while_writing_costs_nothing(api, clock, folder, copied):
    (folder / "config_with_planner.yaml").write_text("whole")
    api.ends()
    api.failing = lambda method, path: "drop" if method == "POST" and clock.now < 120 else None
    assert copied() == {"config_with_planner.yaml": "whole"}


def test_an_answer_that_is_lost_after_writing_is_found_written(api, folder, copied):
    (folder / "config_with_planner.yaml").write_text("whole")
    api.ends()
    copied()
    version = api.config_maps[OUTPUT]["metadata"]["resourceVersion"]
    copied()
    assert api.config_maps[OUTPUT]["metadata"]["resourceVersion"] == version


@pytest.mark.parametrize(
    ("failure", "patience"),
    [
        ("drop", AWAY_PATIENCE),
        ((500, "broken"), AWAY_PATIENCE),
        (FORBIDDEN, REFUSED_PATIENCE),
        ((404, "gone"), REFUSED_PATIENCE),
    ],
)
def test_who_cannot_know_whether_the_profiler_has_ended_ends(api, clock, copied, failure, patience):
    api.failing = lambda method, path: failure
    with pytest.raises(CopyFailed, match="whether the profiler has ended cannot be known"):
        copied()
    assert patience <= clock.now <= patience + 60


def test_rights_may_come_late(api, clock, folder, copied):
    (folder / "config_with_planner.yaml").write_text("whole")
    api.ends()
    api.failing = lambda method, path: FORBIDDEN if clock.now < 60 else None
    assert copied() == {"config_with_planner.yaml": "whole"}


@pytest.mark.parametrize("failure", ["drop", (500, "broken"), (403, "configmaps is forbidden"), (409, "conflict")])
def test_who_cannot_write_ends_minutes_after_the_profiler(api, clock, folder, copied, failure):
    (folder / "config_with_planner.yaml").write_text("whole")
    clock.at(1000, api.ends)
    api.failing = lambda method, path: None if path == POD else failure
    with pytest.raises(
        CopyFailed, match=r"ConfigMap dgdr-output-chat cannot be written: .* needs the rights to create"
    ):
        copied()
    assert clock.now <= 1000 + POLL + SETTLE_PATIENCE + WRITE_PATIENCE + 60


def test_output_that_the_api_server_never_takes_is_reported_in_its_place(api, clock, folder, copied):
    (folder / "config_with_planner.yaml").write_text("whole")
    api.ends()
    refusals = [(413, "Request entity too large")]
    api.failing = lambda method, path: refusals.pop() if method == "POST" and refusals else None
    assert copied() == {
        "error": "the API server does not take the profiler's output: HTTP 413: Request entity too large"
    }


def test_an_api_server_that_takes_nothing_is_not_asked_for_ever(api, clock, folder, copied):
    api.ends(1)
    api.failing = lambda method, path: (422, "invalid") if method == "POST" else None
    with pytest.raises(CopyFailed, match="does not take ConfigMap dgdr-output-chat: HTTP 422: invalid"):
        copied()
    assert clock.now <= 60


def test_a_failure_that_lasts_is_said_once(api, clock, account, folder):
    lines = []
    api.failing = lambda method, path: FORBIDDEN
    with pytest.raises(CopyFailed):
        copy_output(
            Copy("chat", "4711", "inference", "prod", "profile-chat-x", folder),
            ApiServer(api.url, account / "token", account / "ca.crt"),
            clock,
            lines.append,
        )
    assert lines == [
        "waiting for container profiler of pod profile-chat-x to end",
        f"cannot read pod profile-chat-x: HTTP 403: {FORBIDDEN[1]}",
    ]


def earlier(**metadata):
    name = {"name": "dgdr-output-chat", "resourceVersion": "1", "annotations": {"dgdr.nvidia.com/uid": "earlier"}}
    return {"metadata": {**name, **metadata}, "data": {"config_with_planner.yaml": "old"}}


def test_the_output_of_an_earlier_request_is_replaced(api, folder, copied):
    api.config_maps[OUTPUT] = earlier()
    (folder / "config_with_planner.yaml").write_text("new")
    api.ends()
    assert copied() == {"config_with_planner.yaml": "new"}
    assert api.config_maps[OUTPUT]["metadata"]["annotations"] == {"dgdr.nvidia.com/uid": "4711"}


def test_an_earlier_output_that_goes_after_it_was_replaced_is_made_anew(api, folder, copied):
    api.config_maps[OUTPUT] = earlier()
    (folder / "config_with_planner.yaml").write_text("new")
    api.ends()
    collected = []

    def collect(method, path):
        if method == "POST" and ("PUT", OUTPUT) in api.calls and not collected:
            collected.append(api.config_maps.pop(OUTPUT))

    api.failing = collect
    assert copied() == {"config_with_planner.yaml": "new"}
    assert collected[0]["data"] == {"config_with_planner.yaml": "new"}


def test_an_update_of_somebody_else_in_between_is_overcome(api, clock, folder, copied):
    api.config_maps[OUTPUT] = earlier()
    (folder / "config_with_planner.yaml").write_text("new")
    api.ends()
    touched = []

    def touch(method, path):
        if method == "PUT" and not touched:
            touched.append(path)
            api.config_maps[OUTPUT] = api.stored(earlier())

    api.failing = touch
    assert copied() == {"config_with_planner.yaml": "new"}
    assert touched


def test_the_token_is_read_anew_for_each_request(api, clock, account, folder, copied):
    (folder / "config_with_planner.yaml").write_text("whole")

    def replace():
        (account / "token").write_text("second")
        api.token = "second"

    clock.at(3000, replace)
    clock.at(4000, api.ends)
    assert copied() == {"config_with_planner.yaml": "whole"}


@pytest.fixture
def command(account, folder):
    """Starts the command; it ends with the test, whatever becomes of that."""
    started = []

    def start(*more, **environment):
        started.append(_start(account, folder, *more, **environment))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def _start(account, folder, *more, **environment):
    return subprocess.Popen(
        [
            str(DYNAMO_HOOKS),
            "copy-output",
            "--request=chat",
            "--uid=4711",
            "--target-namespace=prod",
            f"--folder={folder}",
            f"--account={account}",
            *more,
        ],
        env={**os.environ, "POD_NAME": "profile-chat-x", "POD_NAMESPACE": "inference", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_the_command_copies_and_says_what_it_does(api, command, folder):
    (folder / "config_with_planner.yaml").write_text("whole")
    api.ends()
    process = command(f"--server={api.url}")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert said.splitlines() == [
        "waiting for container profiler of pod profile-chat-x to end",
        "the profiler ended with exit code 0",
        "wrote config_with_planner.yaml to ConfigMap dgdr-output-chat",
    ]
    assert api.config_maps[OUTPUT]["data"] == {"config_with_planner.yaml": "whole"}


def test_the_command_fails_with_a_reason(api, command):
    api.ends(1)
    api.failing = lambda method, path: (422, "invalid") if method == "POST" else None
    process = command(f"--server={api.url}")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert said.splitlines()[-1] == (
        "Error: the API server does not take ConfigMap dgdr-output-chat: HTTP 422: invalid"
    )


def test_outside_of_a_pod_the_server_must_be_named(command):
    process = command(KUBERNETES_SERVICE_HOST="")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "give --server" in said


def test_a_stop_ends_the_command_at_once(api, command):
    process = command(f"--server={api.url}")
    for _ in range(600):
        if api.calls:
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGTERM)
    process.communicate(timeout=20)
    assert process.returncode == 128 + signal.SIGTERM
