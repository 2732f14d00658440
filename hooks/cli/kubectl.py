"""What a cluster holds, through the kubectl binary: the user's context, credentials and plugins apply."""

import json
import re
import subprocess
from collections.abc import Iterable
from typing import Any

import click

from hooks.protocol import Object

_PATIENCE = 60
"""Seconds that kubectl gets for one answer."""

_LOG_LINE = re.compile(r"[IWEF]\d{4} \d{2}:\d{2}:")
"""How a line of klog begins: severity, month and day, time."""


class KubectlError(click.ClickException):
    """kubectl is not there, or did not succeed; its own words say why."""


class Kubectl:
    """Reads of the current context, or of a given one."""

    def __init__(self, context: str | None = None) -> None:
        self._options = ["--context", context] if context else []

    def get(self, *arguments: str, namespace: str | None = None) -> Object:
        """The JSON of `kubectl get …`: an object, or a list of them.

        Raises:
            KubectlError: it did not succeed.
        """
        where = ["--namespace", namespace] if namespace else []
        found: Object = self._run("get", *arguments, *where, "--output", "json")
        return found

    def items(self, resource: str, namespace: str | None, *arguments: str) -> list[Object]:
        """Objects of a resource, such as `deployments.v1.apps`, in a namespace, or in all of them; raises as `get`."""
        where = ["--namespace", namespace] if namespace else ["--all-namespaces"]
        items: list[Object] = self._run("get", resource, *arguments, *where, "--output", "json")["items"]
        return items

    def discovery(self, api_version: str) -> list[Object]:
        """The resources of an API version (`name`, `kind`, `namespaced`); empty where the cluster has not that API."""
        path = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
        try:
            found: list[Object] = self._run("get", "--raw", path)["resources"]
        except KubectlError as error:
            if "(NotFound)" in error.message:
                return []
            raise
        return found

    def _run(self, *arguments: str) -> Any:
        command = ["kubectl", *self._options, *arguments]
        try:
            result = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)  # noqa: S603 - no shell
        except FileNotFoundError as error:
            message = "kubectl is not there: install it, or add its folder to PATH; `request` reads the cluster with it"
            raise KubectlError(message) from error
        except (OSError, subprocess.TimeoutExpired) as error:
            raise KubectlError(f"{' '.join(command)}: {error}") from error
        if result.returncode:
            raise KubectlError(f"{' '.join(command)}: {_said(result.stderr) or f'exit status {result.returncode}'}")
        try:
            return json.loads(result.stdout)
        except ValueError as error:
            raise KubectlError(f"{' '.join(command)} printed no JSON: {error}") from error


def _said(errors: str) -> str:
    """What kubectl says to its user: without the lines of its log, of which it writes one for each attempt."""
    lines = [line for line in errors.splitlines() if not _LOG_LINE.match(line)]
    return "\n".join(lines).strip() or errors.strip()


def resource_argument(api_version: str, plural: str) -> str:
    """A resource as kubectl takes it, with its version: `deployments.v1.apps`, `services`."""
    group, _, version = api_version.rpartition("/")
    return f"{plural}.{version}.{group}" if group else plural


def selector_argument(selector: Object) -> str:
    """A Kubernetes label selector as kubectl's `--selector` takes it."""
    labels: Iterable[str] = (f"{key}={value}" for key, value in (selector.get("matchLabels") or {}).items())
    return ",".join([*labels, *map(_expression, selector.get("matchExpressions") or ())])


def _expression(expression: Object) -> str:
    key, operator = expression["key"], expression["operator"]
    if operator in ("Exists", "DoesNotExist"):
        return str(key) if operator == "Exists" else f"!{key}"
    return f"{key} {operator.lower()} ({','.join(expression['values'])})"
