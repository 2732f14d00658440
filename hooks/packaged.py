"""Files that belong to the project but not to its code: crds/ and metacontroller/."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


def packaged(folder: str) -> Path:
    """The folder `crds` or `metacontroller`: inside an installed wheel, or at the top of a checkout.

    Raises:
        FileNotFoundError: neither is there.
    """
    for found in (_PACKAGE / "data" / folder, _PACKAGE.parent / folder):
        if found.is_dir():
            return found
    raise FileNotFoundError(f"{folder}/ is neither in the installed package nor beside it")
