"""What ends a sync before its time, so that Metacontroller says so in an event and tries again later."""

from collections.abc import Sequence


class SyncFailed(Exception):  # noqa: N818 - what happened
    """A sync ended early; its message becomes the `SyncError` event of the parent."""


class TooManyRequests(Exception):  # noqa: N818 - named as HTTP names it
    """A hook answered 429: ask it again after `seconds`, without an event."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        super().__init__(f"asked to come back in {seconds} s")


def raise_all(doing: str, problems: Sequence[Exception]) -> None:
    """Fail with everything that went wrong while doing one thing, if anything did.

    Raises:
        SyncFailed: it names them all.
    """
    said = list(dict.fromkeys(str(problem) for problem in problems))
    if said:
        raise SyncFailed(f"{doing}: {said[0] if len(said) == 1 else '[' + ', '.join(said) + ']'}")
