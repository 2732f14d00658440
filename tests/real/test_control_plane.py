"""A control plane that does not start says why."""

import pytest

from tests.real.control_plane import PROGRAMS, assets, start_control_plane

TAKEN = "bind: address already in use"


@pytest.fixture
def programs(tmp_path):
    """A folder of programs that all end at once, as where a port is taken."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\necho '{TAKEN}'\nexit 3\n")
        (folder / name).chmod(0o755)
    return folder


def test_a_program_that_ends_is_named_with_its_last_words_after_some_attempts(programs, tmp_path):
    with pytest.raises(AssertionError, match=f"etcd ended with 3:\n{TAKEN}"), start_control_plane(programs, tmp_path):
        pass
    assert [path.parent.name for path in sorted(tmp_path.glob("*/etcd.log"))] == ["1", "2", "3"]


def test_programs_that_are_missing_are_named(programs, monkeypatch):
    monkeypatch.setenv("KUBEBUILDER_ASSETS", str(programs))
    assert assets() == (programs, None)
    (programs / "etcd").unlink()
    assert assets() == (None, f"KUBEBUILDER_ASSETS={programs} lacks etcd")
    monkeypatch.delenv("KUBEBUILDER_ASSETS")
    assert "KUBEBUILDER_ASSETS" in assets()[1]
