"""What every webhook URL ends in (`?v=…`), so that Metacontroller asks anew once answers may differ.

It restarts a controller, reads its token and empties its `customize` cache only when the controller object's spec
changes.
"""

import hashlib
from collections.abc import Iterable

import orjson

from hooks.settings import Settings

DIGITS = 10


def revision(version: str, settings: Settings, tokens: Iterable[str] = ()) -> str:
    """Ten hex digits that change with the version, any setting and the tokens; their order does not matter.

    Args:
        version: of the hooks.
        settings: the effective settings.
        tokens: the bearer tokens that are accepted.
    """
    content = [version, settings.model_dump(mode="json", by_alias=True), sorted(tokens)]
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:DIGITS]
