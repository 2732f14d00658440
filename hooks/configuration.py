"""Where the settings come from: a YAML file over the built-in defaults, environment variables above it.

Both change only what they name: objects are merged key by key, whether a section or the JSON of a probe; a list
replaces the whole list; a null removes a key from the JSON of a probe, of resources or of an environment.
"""

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

import pydantic
import yaml

from hooks.defaults import PROBE_HANDLERS
from hooks.errors import Fault, faults_of
from hooks.settings import Settings
from hooks.settings_faults import settings_faults

CONFIG_VARIABLE = "DYNAMO_HOOKS_CONFIG"
"""Names the settings file."""
TOKEN_VARIABLE = "DYNAMO_HOOKS_TOKEN"  # noqa: S105 - a name, not a secret
TOKEN_FILE_VARIABLE = "DYNAMO_HOOKS_TOKEN_FILE"  # noqa: S105 - a name, not a secret

_PREFIX = "DYNAMO_HOOKS_"
_NO_SETTINGS = (CONFIG_VARIABLE, TOKEN_VARIABLE, TOKEN_FILE_VARIABLE)
_SERVICE_LINK = re.compile(r"(.*_)?(SERVICE_HOST|SERVICE_PORT(_.*)?|PORT|PORT_\d+_(TCP|UDP|SCTP)(_.*)?)$")
"""What Kubernetes puts into each pod's environment for a Service called `dynamo-hooks` or `dynamo-hooks-…`."""


class SettingsError(Exception):
    """The settings cannot be used. Its text has one line for each fault: source, path, value and cure."""

    def __init__(self, lines: Iterable[str]) -> None:
        self.lines = tuple(lines)
        super().__init__("\n".join(self.lines))


@dataclass(frozen=True)
class Variable:
    """An environment variable that sets one setting."""

    path: tuple[str, ...]
    """Keys of the setting, from the top of a settings file down."""
    text: bool
    """Whether its value is the setting as it stands; else it is read as YAML."""


def load_settings(file: Path | None, environment: Mapping[str, str]) -> Settings:
    """The effective settings: built-in defaults, then the file, then the environment.

    Args:
        file: a YAML file; where none is given, the one that DYNAMO_HOOKS_CONFIG names, if it is set.
        environment: the process's environment variables. An empty one counts as absent.

    Raises:
        SettingsError: the file cannot be read, or a key is unknown or a value is wrong in it or in a variable.
    """
    if file is None and environment.get(CONFIG_VARIABLE):
        file = Path(environment[CONFIG_VARIABLE])
    settings = Settings() if file is None else settings_of(_read(file), source=str(file))
    known = variables()
    lines: list[str] = []
    for name in sorted(environment):
        if not name.startswith(_PREFIX) or name in _NO_SETTINGS or not environment[name]:
            continue
        try:
            settings = _with_variable(settings, name, environment[name], known)
        except SettingsError as error:
            lines += error.lines
    lines += [f"{file or 'the environment'}: {fault}" for fault in settings_faults(settings)]
    if lines:
        raise SettingsError(lines)
    return settings


def settings_of(document: Any, base: Settings | None = None, source: str = "settings") -> Settings:
    """The settings that a document (what a settings file holds) makes of the defaults, or of `base`.

    Raises:
        SettingsError: a key is unknown or a value is wrong; `source` says in what.
    """
    if not isinstance(document, dict | None):
        raise SettingsError([f"{source}: must be an object (key: value)"])
    faults: list[Fault] = []  # all of them, so that nobody mends one to meet the next
    changed = _overlaid(base or Settings(), document or {}, "", faults)
    try:
        settings = Settings.model_validate(changed, by_alias=True, by_name=False)
    except pydantic.ValidationError as error:
        faults += (replace(fault, field=fault.field.lstrip(".")) for fault in faults_of(error, ""))
        raise SettingsError(f"{source}: {fault}" for fault in faults) from error
    if faults:
        raise SettingsError(f"{source}: {fault}" for fault in faults)
    return settings


def variables() -> dict[str, Variable]:
    """Every environment variable that sets something, by its name: DYNAMO_HOOKS_SERVER__MAX_BODY_MIB.

    The names are those of the settings in capitals, words joined by `_` and levels by `__`.
    """
    return dict(_variables(Settings, _PREFIX, ()))


def _variables(model: type[pydantic.BaseModel], prefix: str, above: tuple[str, ...]) -> Iterator[tuple[str, Variable]]:
    for name, field in model.model_fields.items():
        variable = prefix + name.upper()
        path = (*above, field.alias or name)
        yield variable, Variable(path, _is_text(field.annotation))
        if isinstance(field.annotation, type) and issubclass(field.annotation, pydantic.BaseModel):
            yield from _variables(field.annotation, f"{variable}__", path)


def _is_text(annotation: Any) -> bool:
    if get_origin(annotation) is Literal:
        return all(isinstance(value, str) for value in get_args(annotation))
    if get_origin(annotation) in (Union, UnionType):
        return any(_is_text(member) for member in get_args(annotation))
    return annotation is str


def _with_variable(settings: Settings, name: str, value: str, known: Mapping[str, Variable]) -> Settings:
    variable = known.get(name)
    if variable is None:
        if "__" not in name and _SERVICE_LINK.fullmatch(name.removeprefix(_PREFIX)):
            return settings
        close = difflib.get_close_matches(name, known, n=1)
        cure = f"did you mean {close[0]}?" if close else "see `dynamo-hooks config --variables`"
        raise SettingsError([f"{name}: names no setting; {cure}"])
    change = value if variable.text else _parsed(value, name)
    for key in reversed(variable.path):
        change = {key: change}
    return settings_of(change, settings, source=name)


def _overlaid(base: pydantic.BaseModel, document: Mapping[Any, Any], prefix: str, faults: list[Fault]) -> Any:
    fields = {field.alias or name: name for name, field in type(base).model_fields.items()}
    merged = {alias: getattr(base, name) for alias, name in fields.items()}
    for key, change in document.items():
        path = f"{prefix}{key}"
        current = merged.get(key)
        if key not in fields:
            faults.append(Fault(path, "is no setting", _closest(str(key), fields)))
        elif not isinstance(current, pydantic.BaseModel):
            merged[key] = _merged(current if isinstance(current, dict) else {}, change)
        elif isinstance(change, dict):
            merged[key] = _overlaid(current, change, f"{path}.", faults)
        elif change is not None:  # a section without entries is null in YAML
            merged[key] = change
    return merged


def _merged(base: Mapping[str, Any], change: Any) -> Any:
    if not isinstance(change, dict):
        return change
    if any(change.get(handler) is not None for handler in PROBE_HANDLERS):
        # A probe has one handler: another one takes the default's place.
        base = {key: value for key, value in base.items() if key not in PROBE_HANDLERS or key in change}
    merged = dict(base)
    for key, value in change.items():
        if value is None:
            merged.pop(key, None)
        else:
            below = merged.get(key)
            merged[key] = _merged(below if isinstance(below, dict) else {}, value)
    return merged


def _closest(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    return f"did you mean {close[0]}?" if close else f"here are {', '.join(known)}"


class _UniqueKeyLoader(yaml.SafeLoader):
    """YAML's last of two equal keys wins in silence; here the second one is an error."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002 - PyYAML's signature
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    problem = f"the key {key.value!r} is there twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _read(file: Path) -> Any:
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "is not UTF-8"
        raise SettingsError([f"{file}: cannot be read: {reason}"]) from error
    return _parsed(text, str(file))


def _parsed(text: str, source: str) -> Any:
    try:
        return yaml.load(text, _UniqueKeyLoader)  # noqa: S506 - a SafeLoader
    except yaml.YAMLError as error:
        raise SettingsError([f"{source}: is not YAML: {' '.join(str(error).split())}"]) from error
    except RecursionError as error:
        raise SettingsError([f"{source}: is nested too deep"]) from error
