"""The index of an image pull secret: a ConfigMap that says which registries it is for, without a credential.

Components read it instead of the Secret, so that no credential travels with their syncs.
"""

import base64
from typing import Any

import orjson

from hooks import labels, names
from hooks.kinds import CONFIG_MAP
from hooks.manifest import too_large
from hooks.pods.pull_secrets import registry_host
from hooks.protocol import Object, name_of, part

PULL_SECRET_TYPE = "kubernetes.io/dockerconfigjson"  # noqa: S105 - a type of secrets
_KEY = ".dockerconfigjson"
SECRET_KEY = "secret"  # noqa: S105 - the key of an index that holds a secret's name
REGISTRIES_KEY = "registries"


def build_registry_index(secret: Object) -> Object | None:
    """The index of a Secret; None where it is no pull secret, cannot be read, or is for no registry or too many."""
    registries = _registries(secret) if secret.get("type") == PULL_SECRET_TYPE else []
    if not registries:
        return None
    namespace, name = name_of(secret)
    index = {
        "apiVersion": CONFIG_MAP.api_version,
        "kind": CONFIG_MAP.kind,
        "metadata": {
            "name": names.registry_index(name),
            "namespace": namespace,
            "labels": {labels.REGISTRY_INDEX: "true"},
        },
        "data": {SECRET_KEY: name, REGISTRIES_KEY: orjson.dumps(registries).decode()},
    }
    return index if too_large(index) is None else None


def _registries(secret: Object) -> list[str]:
    """The registries of a pull secret, sorted. Nothing of what it holds may get into an exception."""
    encoded = part(secret, "data").get(_KEY)
    try:
        config: Any = orjson.loads(base64.b64decode(encoded, validate=True)) if isinstance(encoded, str) else None
    except ValueError:  # as those of base64 and of orjson are
        return []
    auths = part(config, "auths") if isinstance(config, dict) else {}
    hosts = {registry_host(key) for key, credentials in auths.items() if isinstance(credentials, dict)}
    return sorted(host for host in hosts if host)


def read_registry_index(index: Object) -> tuple[str, list[str]] | None:
    """The name of the Secret that an index is of, and its registries; None for what is no index."""
    data = part(index, "data")
    secret, text = data.get(SECRET_KEY), data.get(REGISTRIES_KEY)
    if not isinstance(secret, str) or not isinstance(text, str) or name_of(index)[1] != names.registry_index(secret):
        return None
    try:
        registries: Any = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return (secret, [host for host in registries if isinstance(host, str)]) if isinstance(registries, list) else None
