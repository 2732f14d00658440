"""DYN_DEPLOYMENT_CONFIG: replicas and resources of services, given as JSON in an environment variable.

Source: spec page "Graphs and components". The JSON maps a service key to an object with `ServiceArgs`: `workers`, and
`resources` of cpu, memory, gpu and custom.
"""

from dataclasses import dataclass
from typing import Any

import orjson

from hooks.defaults import FRONTEND_PORT
from hooks.errors import Fault, InvalidSpec, shown
from hooks.pods.component import FRONTEND
from hooks.protocol import Object
from hooks.quantities import is_quantity

VARIABLE = "DYN_DEPLOYMENT_CONFIG"
_AMOUNTS = ("cpu", "memory", "gpu")
_MOST_WORKERS = 2**31 - 1


@dataclass(frozen=True)
class DeploymentConfig:
    """The parsed variable."""

    entries: dict[str, Any]

    def workers(self, service: str) -> int | None:
        """Replicas of a service."""
        workers: int | None = self._arguments(service).get("workers")
        return workers

    def amounts(self, service: str) -> Object:
        """Resources of a service, as a ResourceItem: for requests and for limits. JSON's numbers become strings."""
        given = self._arguments(service).get("resources") or {}
        found: Object = {name: str(given[name]) for name in _AMOUNTS if given.get(name) not in (None, "")}
        custom = {name: str(amount) for name, amount in (given.get("custom") or {}).items() if amount is not None}
        return found | ({"custom": custom} if custom else {})

    def text_for(self, service: str, component_type: str | None) -> str | None:
        """The variable's value in a frontend's copy, where its own entry's port is not its own to choose."""
        entry = self.entries.get(service)
        if component_type != FRONTEND or not isinstance(entry, dict):
            return None
        return orjson.dumps({**self.entries, service: {**entry, "port": FRONTEND_PORT}}).decode()

    def _arguments(self, service: str) -> Object:
        entry = self.entries.get(service)
        arguments = entry.get("ServiceArgs") if isinstance(entry, dict) else None
        return arguments if isinstance(arguments, dict) else {}


def read_deployment_config(field: str, text: str) -> DeploymentConfig:
    """Parse the variable's value.

    Raises:
        InvalidSpec: it is not JSON, or not of the shape above; `field` is where it stands.
    """
    try:
        entries = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidSpec([Fault(field, f"{shown(text)} is not JSON ({error})", "mend it")]) from None
    if not isinstance(entries, dict):
        cure = 'write {"<service>": {"ServiceArgs": {…}}}'
        raise InvalidSpec([Fault(field, f"{shown(text)} is not a JSON object", cure)])
    faults = [fault for service, entry in entries.items() for fault in _faults(f"{field}, {service}", entry)]
    if faults:
        raise InvalidSpec(faults)
    return DeploymentConfig(entries)


def _faults(where: str, entry: Any) -> list[Fault]:
    arguments = entry.get("ServiceArgs") if isinstance(entry, dict) else None
    if arguments is None:
        return []
    where = f"{where}.ServiceArgs"
    if not isinstance(arguments, dict):
        return [_misfit(where, arguments, "an object")]
    faults = []
    workers = arguments.get("workers")
    if workers is not None and not (type(workers) is int and 0 <= workers <= _MOST_WORKERS):
        faults.append(_misfit(f"{where}.workers", workers, "a whole number"))
    given = arguments.get("resources")
    if given is None:
        return faults
    if not isinstance(given, dict):
        return [*faults, _misfit(f"{where}.resources", given, "an object")]
    return faults + _amount_faults(f"{where}.resources", given)


def _amount_faults(where: str, given: Object) -> list[Fault]:
    custom = given.get("custom") or {}
    if not isinstance(custom, dict):
        return [_misfit(f"{where}.custom", custom, "an object")]
    amounts = {name: given.get(name) for name in _AMOUNTS} | {f"custom[{name}]": custom[name] for name in custom}
    return [
        _misfit(f"{where}.{name}", amount, 'an amount such as "2" or "20Gi"')
        for name, amount in amounts.items()
        if amount not in (None, "") and not is_quantity(amount)
    ]


def _misfit(where: str, value: object, wanted: str) -> Fault:
    return Fault(where, f"has the value {shown(value)}", f"write {wanted}")
