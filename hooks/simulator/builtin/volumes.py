"""What the API server says of a pod's volumes."""

from collections.abc import Callable, Mapping, Sequence

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.claims import claim_spec_faults
from hooks.simulator.builtin.containers import relative_path_faults
from hooks.simulator.builtin.quantities import nano_units
from hooks.simulator.errors import FieldError, duplicate, forbidden_field, invalid_value, required

_LARGEST_MODE = 0o777


def volumes_faults(pod: Object, where: str, known: Sequence[FieldError]) -> tuple[list[FieldError], set[str]]:
    """All faults of a pod's volumes, and the names of those without any: only they can be mounted.

    `known` is what was found as the pod was read.
    """
    faults: list[FieldError] = []
    names: set[str] = set()
    for index, volume in enumerate(pod.get("volumes", ())):
        place = f"{where}[{index}]"
        found = list(_volume_faults(volume, place))
        name = volume.get("name", "")
        if name:
            found += checks.dns_label(f"{place}.name", name)
        if name in names:
            found.append(duplicate(f"{place}.name", name))
        if not found and not any(fault.field.startswith(place) for fault in known):
            names.add(name)
        faults += found
    return faults, names


def _volume_faults(volume: Object, where: str) -> Faults:
    sources = [key for key in volume if key != "name"]
    first = min(sources, key=_order)
    for source in sorted(sources, key=_order):
        if source != first:
            yield forbidden_field(f"{where}.{source}", "may not specify more than 1 volume type")
        elif source in _SOURCES:
            yield from _SOURCES[source](volume[source], f"{where}.{source}")


def _empty_dir(source: Object, where: str) -> Faults:
    limit = source.get("sizeLimit")
    if limit is not None and nano_units(limit) < 0:
        yield forbidden_field(f"{where}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def _host_path(source: Object, where: str) -> Faults:
    path = source.get("path", "")
    if ".." in path.split("/"):
        yield invalid_value(f"{where}.path", path, "must not contain '..'")


def _secret(source: Object, where: str) -> Faults:
    if not source.get("secretName"):
        yield required(f"{where}.secretName")
    yield from _files(source, where)


def _config_map(source: Object, where: str) -> Faults:
    if not source.get("name"):
        yield required(f"{where}.name")
    yield from _files(source, where)


def _files(source: Object, where: str) -> Faults:
    yield from _mode(source.get("defaultMode"), f"{where}.defaultMode")
    for index, item in enumerate(source.get("items", ())):
        place = f"{where}.items[{index}]"
        yield from relative_path_faults(item.get("path", ""), f"{place}.path")
        yield from _mode(item.get("mode"), f"{place}.mode")


def _mode(mode: int | None, where: str) -> Faults:
    if mode is not None and not 0 <= mode <= _LARGEST_MODE:
        yield invalid_value(where, mode, "must be a number between 0 and 0777 (octal), both inclusive")


def _projected(source: Object, where: str) -> Faults:
    yield from _mode(source.get("defaultMode"), f"{where}.defaultMode")
    for index, projection in enumerate(source.get("sources") or ()):
        place = f"{where}.sources[{index}]"
        for kind in ("secret", "configMap"):
            if kind in projection:
                if not projection[kind].get("name"):
                    yield required(f"{place}.{kind}.name")
                yield from _files(projection[kind], f"{place}.{kind}")
        token = projection.get("serviceAccountToken")
        if token is not None:
            seconds = token.get("expirationSeconds")
            if seconds < 600:
                detail = "may not specify a duration less than 10 minutes"
                yield invalid_value(f"{place}.serviceAccountToken.expirationSeconds", seconds, detail)
            if not token.get("path"):
                yield required(f"{where}.path")


def _ephemeral(source: Object, where: str) -> Faults:
    template = source.get("volumeClaimTemplate")
    if template is None:
        yield required(f"{where}.volumeClaimTemplate")
    else:
        yield from claim_spec_faults(template["spec"], f"{where}.volumeClaimTemplate.spec")


_SOURCES: Mapping[str, Callable[[Object, str], Faults]] = {
    "emptyDir": _empty_dir,
    "hostPath": _host_path,
    "secret": _secret,
    "persistentVolumeClaim": lambda _source, _where: iter(()),  # its one field is required as it is read
    "configMap": _config_map,
    "projected": _projected,
    "ephemeral": _ephemeral,
}
"""Source → its check, in the order in which the server looks at them."""


def _order(source: str) -> int:
    """The order in which the server looks at sources: the first counts, the others are too many."""
    listed = list(_SOURCES)
    return listed.index(source) if source in listed else len(listed)
