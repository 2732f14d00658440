"""Copies what the profiler of a request wrote into a ConfigMap: `dynamo-hooks copy-output`.

It runs in the profiler's pod, with the pod's own token. It waits for the profiler's container to end, and ends itself
within minutes of that, whatever the API server does: a Job must not be kept alive whose profiler has ended.

Sources: Kubernetes, "Pod Lifecycle"; the profiler's files `config_with_planner.yaml` and `profiler_status.yaml`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from hooks import labels, names
from hooks.api_server import ApiServer, Away, Refused
from hooks.kinds import CONFIG_MAP, GRAPH_DEPLOYMENT_REQUEST
from hooks.profiling.documents import UnreadableDocuments, read_documents
from hooks.profiling.output import CONFIGURATION, ERROR
from hooks.protocol import Object, entries, part

STATUS_FILE = "profiler_status.yaml"
LARGEST = 1024 * 1024
"""Bytes that fit in a ConfigMap (Kubernetes, "ConfigMaps")."""

POLL = 5.0
"""Seconds between two looks at the pod."""
LONGEST_PAUSE = 30.0
"""Seconds between two tries while something fails: the pause doubles from one second to this."""
AWAY_PATIENCE = 30 * 60.0
"""Seconds for which an API server may be away while the profiler runs."""
REFUSED_PATIENCE = 5 * 60.0
"""Seconds for which it may refuse us: rights are given at the same time as the Job is made. Then everybody shall see
that we have ended, while the profiler still runs and the request can be made anew."""
WRITE_PATIENCE = 5 * 60.0
"""Seconds for which writing is tried once the profiler has ended."""
SETTLE_PATIENCE = 30.0
"""Seconds for which a file may still grow or turn up once the profiler has ended."""
_LONGEST_ERROR = 10_000


class CopyFailed(Exception):  # noqa: N818 - it is what becomes of the copy
    """Nothing could be written; says why and what to do."""


class Clock(Protocol):
    """Time: the standard library's module `time`, or a test's."""

    def monotonic(self) -> float:
        """Seconds since some moment."""

    def sleep(self, seconds: float, /) -> None:
        """Wait."""


@dataclass(frozen=True)
class Copy:
    """What to copy, and for whom."""

    request: str
    """Name of the request; its ConfigMap is named after it."""
    uid: str
    namespace: str
    target_namespace: str
    """Where the graph is to go: whoever looks after that namespace finds the ConfigMap by it."""
    pod: str
    folder: Path
    """Where the profiler writes."""


@dataclass(frozen=True)
class End:
    """How the profiler's container ended."""

    exit_code: int | None
    said: str
    """Its reason and termination message."""

    def __str__(self) -> str:
        code = "without an exit code" if self.exit_code is None else f"with exit code {self.exit_code}"
        return f"{code} ({self.said})" if self.said else code


def copy_output(copy: Copy, server: ApiServer, clock: Clock, report: Callable[[str], None]) -> str:
    """Wait for the profiler's end and write the ConfigMap.

    Args:
        copy: what to copy.
        server: the API server.
        clock: time.
        report: takes a line for the log.

    Returns:
        The key that was written: `config_with_planner.yaml` or `error`.

    Raises:
        CopyFailed: nothing could be written.
    """
    report = _each_once(report)
    report(f"waiting for container {names.PROFILER} of pod {copy.pod} to end")
    end = _await_end(copy, server, clock, report)
    report(f"the profiler ended {end}")
    if end.exit_code == 0:
        _await_quiet(copy.folder / CONFIGURATION, clock)
    key, text = result(copy.folder, end)
    config_map = build_config_map(copy, key, text)
    try:
        _write(copy, config_map, server, clock, report)
    except Refused as refused:
        if key == ERROR:
            raise CopyFailed(
                f"the API server does not take ConfigMap {config_map['metadata']['name']}: {refused}"
            ) from None
        # It does not take the output: then it shall say that, rather than nothing.
        key, text = ERROR, f"the API server does not take the profiler's output: {refused}"
        _write_error(copy, text, server, clock, report)
    report(f"wrote {key} to ConfigMap {config_map['metadata']['name']}")
    return key


def _each_once(report: Callable[[str], None]) -> Callable[[str], None]:
    """Leave out a line that says the same as the one before: hours of it would bury the rest."""
    said = [""]

    def report_news(line: str) -> None:
        if line != said[0]:
            report(line)
        said[0] = line

    return report_news


def result(folder: Path, end: End, called: Path | None = None) -> tuple[str, str]:
    """The key and text that a ConfigMap shall hold: what the profiler found out, or why it did not.

    Args:
        folder: where the profiler wrote.
        end: how it ended.
        called: what the folder is called in messages, if not by its own name.
    """
    status = _profiler_status(folder / STATUS_FILE)
    said = status.get("error") or status.get("message")
    if end.exit_code != 0 or status.get("status") == "failed":
        failed = f"the profiler ended {end}"
        return ERROR, _cut(f"{said}; {failed}" if said and end.exit_code != 0 else str(said or failed))
    path = (called or folder) / CONFIGURATION
    try:
        content = (folder / CONFIGURATION).read_bytes()
    except OSError as error:
        there = ", ".join(sorted(entry.name for entry in folder.glob("*"))[:20]) or "nothing"
        why = f"the profiler ended {end}, but there is no {path} ({error.strerror}); there is {there}"
        return ERROR, _cut(f"{why}; it says: {said}" if said else why)
    if len(content) > LARGEST:
        return ERROR, (
            f"the profiler's output {path} has {len(content)} bytes, and a ConfigMap holds {LARGEST}; "
            "profile with a coarser granularity"
        )
    try:
        return CONFIGURATION, content.decode()
    except UnicodeDecodeError as error:
        return ERROR, f"the profiler's output {path} is not UTF-8: {error}"


def build_config_map(copy: Copy, key: str, text: str) -> Object:
    """The ConfigMap, which goes when its request goes."""
    owner = {
        "apiVersion": GRAPH_DEPLOYMENT_REQUEST.api_version,
        "kind": GRAPH_DEPLOYMENT_REQUEST.kind,
        "name": copy.request,
        "uid": copy.uid,
    }
    return {
        "apiVersion": CONFIG_MAP.api_version,
        "kind": CONFIG_MAP.kind,
        "metadata": {
            "name": names.profile_output(copy.request),
            "namespace": copy.namespace,
            "labels": {
                labels.REQUEST_NAME: copy.request,
                labels.TARGET_NAMESPACE: copy.target_namespace,
                labels.MANAGED_BY: labels.MANAGER,
            },
            "annotations": {labels.REQUEST_UID: copy.uid},
            "ownerReferences": [owner],
        },
        "data": {key: text},
    }


def profiler_end(pod: Object) -> End | None:
    """How the profiler of a pod ended; None while it has not."""
    status = part(pod, "status")
    for container in entries(status, "containerStatuses"):
        terminated = part(container, "state").get("terminated")
        if container.get("name") == names.PROFILER and isinstance(terminated, dict):
            code = terminated.get("exitCode")
            said = ": ".join(str(terminated[key]).strip() for key in ("reason", "message") if terminated.get(key))
            return End(code if isinstance(code, int) else None, said)
    if status.get("phase") in ("Succeeded", "Failed"):
        return End(None, str(status.get("reason") or f"the pod has {status['phase'].lower()}"))
    return None


class _Patience:
    """How long something may fail, and how long to wait between two tries."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.calm()

    def calm(self) -> None:
        """It works."""
        self._since = self._clock.monotonic()
        self._pause = 1.0

    def wait(self, patience: float) -> bool:
        """Wait for the next try; False where it has failed for longer than that many seconds."""
        if self._clock.monotonic() - self._since > patience:
            return False
        self._clock.sleep(self._pause)
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        return True


def _await_end(copy: Copy, server: ApiServer, clock: Clock, report: Callable[[str], None]) -> End:
    patience = _Patience(clock)
    while True:
        try:
            end = profiler_end(server.read("pods", copy.namespace, copy.pod))
        except (Away, Refused) as failure:
            report(f"cannot read pod {copy.pod}: {failure}")
            if not patience.wait(AWAY_PATIENCE if isinstance(failure, Away) else REFUSED_PATIENCE):
                raise CopyFailed(
                    f"whether the profiler has ended cannot be known: {failure}; the account of the pod needs the "
                    f"right to get pods in namespace {copy.namespace}"
                ) from None
            continue
        if end is not None:
            return end
        patience.calm()
        clock.sleep(POLL)


def _await_quiet(path: Path, clock: Clock) -> None:
    """Wait until a file is there and does not grow any more, for a while."""
    until = clock.monotonic() + SETTLE_PATIENCE
    previous = None
    while clock.monotonic() < until:
        size = path.stat().st_size if path.is_file() else None
        if size is not None and size == previous:
            return
        previous = size
        clock.sleep(1.0)


def _write(copy: Copy, config_map: Object, server: ApiServer, clock: Clock, report: Callable[[str], None]) -> None:
    """Write the ConfigMap, over one of an earlier request of that name.

    Raises:
        CopyFailed: the API server was away or refused us for too long.
        Refused: it does not take this ConfigMap, and never will.
    """
    patience = _Patience(clock)
    while True:
        try:
            if _is_written(copy, config_map, server):
                return
            failure = "it belonged to an earlier request of the same name"
        except Away as away:
            failure = str(away)
        except Refused as refused:
            if not refused.may_pass:
                raise
            failure = str(refused)
        report(f"cannot write ConfigMap {config_map['metadata']['name']} yet: {failure}")
        if not patience.wait(WRITE_PATIENCE):
            raise CopyFailed(
                f"ConfigMap {config_map['metadata']['name']} cannot be written: {failure}; the account of the pod "
                f"needs the rights to create, get and update configmaps in namespace {copy.namespace}"
            )


def _is_written(copy: Copy, config_map: Object, server: ApiServer) -> bool:
    """One try. False where another request's was replaced: it may be on its way out, so look again."""
    name = config_map["metadata"]["name"]
    try:
        server.create("configmaps", copy.namespace, config_map)
    except Refused as refused:
        if refused.status != Refused.CONFLICT:
            raise
    else:
        return True
    there = server.read("configmaps", copy.namespace, name)
    mine = part(there["metadata"], "annotations").get(labels.REQUEST_UID) == copy.uid
    if mine and part(there, "data") == config_map["data"]:
        return True
    version = {"resourceVersion": there["metadata"].get("resourceVersion", "")}
    replacing = {**config_map, "metadata": {**config_map["metadata"], **version}}
    server.update("configmaps", copy.namespace, name, replacing)
    return mine


def _write_error(copy: Copy, text: str, server: ApiServer, clock: Clock, report: Callable[[str], None]) -> None:
    try:
        _write(copy, build_config_map(copy, ERROR, _cut(text)), server, clock, report)
    except Refused as refused:
        raise CopyFailed(f"{text}; nor does it take that error: {refused}") from None


def _profiler_status(path: Path) -> Object:
    """What the profiler says of itself; empty where it says nothing that can be read."""
    try:
        documents: list[Any] = read_documents(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, UnreadableDocuments):
        return {}
    return documents[0] if documents and isinstance(documents[0], dict) else {}


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_ERROR else f"{text[: _LONGEST_ERROR - 1]}…"
