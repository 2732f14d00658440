"""The files of `crds/`."""

from collections.abc import Mapping
from typing import Any

import yaml

from hooks.crds.definition import all_definitions

_HEADER = "# Generated from the models in hooks/api by `dynamo-hooks crds`; change those instead.\n"


class _Block(yaml.CSafeDumper):
    """Block style, and equal parts written out each time instead of referred to."""

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - the method's signature
        return True


def file_contents() -> Mapping[str, str]:
    """The text of each file, by its name; the names are those that Kubernetes' own generators give."""
    return {
        f"{definition['spec']['group']}_{plural}.yaml": _HEADER
        + yaml.dump(definition, Dumper=_Block, sort_keys=False, width=120, allow_unicode=True)
        for plural, definition in all_definitions().items()
    }
