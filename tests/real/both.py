"""The same scenario on both stores: what its embedded run comes to at each rest is kept, and its real run compared."""

from contextlib import ExitStack

import pytest

from hooks.simulator.cluster import HOUR, Cluster
from hooks.simulator.store import DELETED
from tests.real.cluster import RealCluster
from tests.real.comparison import comparable, differences
from tests.real.metacontroller import MetacontrollerCluster, metacontroller

EMBEDDED, REAL, METACONTROLLER = "embedded", "real", "metacontroller"
"""The embedded store, a real one with our engine, and a real one with a real Metacontroller."""

_RESTS = pytest.StashKey()
"""Scenario → what there was each time its embedded run came to rest."""


class Recorded:
    """A cluster that keeps what there was each time it came to rest."""

    def __init__(self, *arguments, **options):
        self.rests, self._gone = [], {}
        super().__init__(*arguments, **options)
        self.store.watch(self._went)

    def settle(self, within=HOUR):
        super().settle(within)
        self.rests.append(comparable(self.store, self._gone))

    def _went(self, event, kind, item):
        if event == DELETED:
            metadata = item["metadata"]
            self._gone[metadata["uid"]] = f"<{kind.kind}/{metadata['name']}, gone>"


class RecordedCluster(Recorded, Cluster):
    """An embedded one."""


class RecordedRealCluster(Recorded, RealCluster):
    """A real one."""


class RecordedMetacontrollerCluster(Recorded, MetacontrollerCluster):
    """A real one with a real Metacontroller."""


class Outcome:
    """What one run of a scenario comes to; `store` is None where it is compared with nothing."""

    def __init__(self, request, store):
        self._request, self._store = request, store
        self._clusters = []
        self._planes = ExitStack()

    def cluster(self, **options):
        if self._store is None:
            return Cluster(**options)
        made = getattr(self, f"_{self._store}")(options)
        self._clusters.append(made)
        return made

    def _embedded(self, options):
        return RecordedCluster(**options)

    def _real(self, options):
        return RecordedRealCluster(self._request.getfixturevalue("control_plane").client, **options)

    def _metacontroller(self, options):
        start, folders = map(self._request.getfixturevalue, ("start_plane", "tmp_path_factory"))
        plane = self._planes.enter_context(start(folders.mktemp("control-plane")))
        made = RecordedMetacontrollerCluster(plane, metacontroller(), **options)
        self._planes.callback(made.close)
        return made

    def close(self):
        """Let everything come to rest, and keep or compare what came of it, if the scenario got to its end."""
        with self._planes:
            if self._store is not None and not getattr(self._request.node, "incomplete", False):
                self._finish()

    def _finish(self):
        for cluster in self._clusters:
            cluster.settle()
        rests = [rest for cluster in self._clusters for rest in cluster.rests]
        kept = self._request.config.stash.setdefault(_RESTS, {})
        if self._store == EMBEDDED:
            kept[self._key()] = rests
            return
        for cluster in self._clusters:
            cluster.store.clear()
        _compare(kept.get(self._key()), rests)

    def _key(self):
        node = self._request.node
        others = {name: repr(value) for name, value in node.callspec.params.items() if name != "store"}
        return node.path, node.originalname, tuple(sorted(others.items()))


def _compare(expected, found):
    assert expected is not None, "run it together with its embedded run, that there is something to compare with"
    for number, (one, other) in enumerate(zip(expected, found, strict=False), 1):
        told = differences(one, other)
        assert not told, f"the stores differ when the cluster comes to rest for time {number}:\n{told}"
    assert len(expected) == len(found), "the stores came to rest at other times"
