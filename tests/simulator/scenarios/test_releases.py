"""What becomes of what runs when one release of the chart follows another, its token changes, or it goes."""

import json

import pytest

from tests.simulator.scenarios.release import VALUES, Release, older_chart
from tests.simulator.scenarios.situations import COMPONENT, GRAPH, graph, service
from tests.simulator.scenarios.test_multinode import SPREAD

PARENTS = {(GRAPH, "chat"), *((COMPONENT, f"chat-{name}") for name in ("frontend", "worker", "wide"))}
WORKLOADS = ("Deployment", "LeaderWorkerSet", "StatefulSet", "Pod", "Service", "ConfigMap", "ServiceAccount")


@pytest.fixture
def older(tmp_path):
    return Release(older_chart(tmp_path / "older"))


@pytest.fixture
def serving(older, start_cluster):
    """A graph that runs, one of its components across nodes, looked after by the older release."""
    cluster = start_cluster(installation=older.installation())
    cluster.hooks.token = older.tokens[0]
    services = {"Frontend": service("frontend"), "Worker": service(), "Wide": service(**SPREAD)}
    cluster.apply(graph(services=services))
    cluster.run_until(lambda: _is_ready(cluster))
    cluster.settle()
    assert older.calls() >= PARENTS
    return cluster


def _is_ready(cluster):
    status = cluster.get(GRAPH, "chat").get("status") or {}
    current = status.get("observedGeneration") == cluster.get(GRAPH, "chat")["metadata"]["generation"]
    return current and cluster.condition(GRAPH, "chat", "Ready") == "True"


def upgrade(cluster, release):
    cluster.install(release.installation(), token=release.tokens[0])
    cluster.run_for(60)
    cluster.settle()


def running(cluster):
    """All that runs, to the last field."""
    return {kind: {item["metadata"]["uid"]: item for item in cluster.store.list(kind)} for kind in WORKLOADS}


def test_an_upgrade_from_an_older_chart_asks_for_everything_and_touches_nothing(serving, older):
    present = Release()
    assert present.revisions.isdisjoint(older.revisions)
    assert len(present.controllers) == len(older.controllers) + 1
    before, writes = running(serving), len(serving.writes)
    upgrade(serving, present)
    assert present.calls() >= PARENTS
    assert running(serving) == before
    assert serving.writes[writes:] == []
    assert _is_ready(serving)
    serving.check_fixed_point()


def test_a_setting_that_changes_what_pods_get_reaches_everything_without_an_event(serving, older):
    changed = Release(values=VALUES | {"natsAddress": "nats://elsewhere:4222"})
    assert len(older.revisions | Release().revisions | changed.revisions) == 3
    upgrade(serving, changed)
    serving.run_until(lambda: _is_ready(serving))
    for kind, name in (
        ("Deployment", "chat-frontend"),
        ("Deployment", "chat-worker"),
        ("LeaderWorkerSet", "chat-wide-lws"),
    ):
        assert "nats://elsewhere:4222" in json.dumps(serving.get(kind, name)["spec"])


def test_a_setting_that_changes_nothing_in_pods_touches_nothing(serving):
    upgrade(serving, Release())
    before, writes = running(serving), len(serving.writes)
    changed = Release(values=VALUES | {"server": {"threads": 3}})
    assert changed.revisions.isdisjoint(Release().revisions)
    upgrade(serving, changed)
    assert changed.calls() >= PARENTS
    assert (running(serving), serving.writes[writes:]) == (before, [])


def renewed(tokens):
    return Release(tokens=tokens, values=VALUES | {"auth": {"existingSecret": "mine", "tokenRevision": "2"}})


def test_a_token_that_changes_is_read_anew_and_nothing_is_touched(serving):
    upgrade(serving, Release())
    before, writes = running(serving), len(serving.writes)
    changed = renewed(("second", "first"))
    upgrade(serving, changed)
    assert serving.hooks.token == "second"
    assert changed.calls() >= PARENTS
    assert changed.calls("unauthorized") == set()
    assert (running(serving), serving.writes[writes:]) == (before, [])


def test_before_metacontroller_has_read_the_new_token_the_old_one_will_do(serving):
    changed = renewed(("second", "first"))
    serving.hooks.replace(changed.installation().application(serving.clock))
    assert serving.resync_all() == []
    assert serving.hooks.token == "first"
    assert changed.calls() >= PARENTS
    assert changed.calls("unauthorized") == set()


def test_hooks_whose_token_metacontroller_does_not_know_are_reported_and_nothing_is_touched(serving):
    upgrade(serving, Release())
    before, writes = running(serving), len(serving.writes)
    changed = renewed(("second",))
    serving.hooks.replace(changed.installation().application(serving.clock))
    serving.resync_all()
    assert changed.calls() == set()
    assert any(event.reason == "SyncError" and "401" in event.message for event in serving.events)
    assert (running(serving), serving.writes[writes:]) == (before, [])
    upgrade(serving, changed)
    assert changed.calls() >= PARENTS


def test_uninstalling_touches_nothing_and_installing_the_next_release_neither(serving):
    before, snapshot = running(serving), serving.snapshot()
    serving.uninstall()
    serving.run_for(3600)
    assert serving.snapshot() == snapshot
    upgrade(serving, Release())
    assert running(serving) == before
    assert _is_ready(serving)
    serving.check_fixed_point()
