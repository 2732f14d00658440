"""What keeps `copy-output` from writing: an API server that is away or refuses, others who write too."""

import pytest

from hooks.api_server import ApiServer
from hooks.copy_output import (
    AWAY_PATIENCE,
    POLL,
    REFUSED_PATIENCE,
    SETTLE_PATIENCE,
    WRITE_PATIENCE,
    Copy,
    CopyFailed,
    copy_output,
)
from tests.copier.fake_api_server import FORBIDDEN, OUTPUT, POD


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
