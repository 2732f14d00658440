"""The command itself, as the Job runs it."""

import os
import signal
import time

from tests.copier.fake_api_server import OUTPUT


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
