"""What `copy-output` writes, and when: the output of a profiler that has ended, or why there is none."""

import pytest
import yaml

from hooks.copy_output import (
    LARGEST,
    POLL,
    SETTLE_PATIENCE,
)
from tests.copier.fake_api_server import OUTPUT


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
