"""Which image pull secrets of a namespace fit the images of a pod: by the host of the registry.

Sources: Docker's "image reference" grammar (distribution/reference) for images; Kubernetes, "Pull an Image from a
Private Registry", for the keys of a secret, where `*` stands for a part of a name.
"""

import re
from collections.abc import Iterable, Mapping

from hooks.protocol import Object, entries, part

DOCKER_HUB = "docker.io"
_DOCKER_HUB_TOO = frozenset({"index.docker.io", "registry-1.docker.io"})

_LABEL = r"[a-z0-9*](?:[-a-z0-9*]*[a-z0-9*])?"
_HOST = re.compile(
    rf"(?:localhost|{_LABEL}(?:\.{_LABEL})+|{_LABEL}(?=:)|\[[0-9a-f:.]+\])(?::[0-9]{{1,5}})?", flags=re.ASCII
)
"""What an image can name as its registry. What else stands as a secret's key may be a password in the wrong place."""


def image_host(image: str) -> str:
    """Host of the registry that an image is pulled from, with its port if it names one; in lower case."""
    first, slash, _ = image.partition("/")
    host = first.lower()
    if not slash or not ("." in host or ":" in host or host == "localhost"):
        return DOCKER_HUB
    return _one_name(host)


def registry_host(key: str) -> str | None:
    """Host of the registry that a key of a secret's `auths` is about; None where no image can name it.

    A key may be a host, or a URL with a scheme, a path, and even a user and a password, of which nothing is kept.
    """
    address = key.strip().lower()
    _, scheme, rest = address.partition("://")
    authority = re.split(r"[/?#]", rest if scheme else address, maxsplit=1)[0]
    host = _one_name(authority.rpartition("@")[2])
    return host if _HOST.fullmatch(host) else None


def _one_name(host: str) -> str:
    return DOCKER_HUB if host in _DOCKER_HUB_TOO else host


def images_of(pod: Object) -> list[str]:
    """Every image of a pod spec, sorted, each once: of containers, init containers and volumes."""
    containers = [*entries(pod, "initContainers"), *entries(pod, "containers")]
    found = [container.get("image") for container in containers]
    found += [part(volume, "image").get("reference") for volume in entries(pod, "volumes")]
    return sorted({image for image in found if isinstance(image, str) and image})


def fitting(images: Iterable[str], registries: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Names of the secrets that fit at least one of the images, sorted.

    Args:
        images: images of a pod.
        registries: name of each secret → the registries that it is for.
    """
    hosts = {image_host(image) for image in images}
    return tuple(
        sorted(
            secret
            for secret, known in registries.items()
            if any(_fits(registry, host) for registry in known for host in hosts)
        )
    )


def _fits(registry: str, host: str) -> bool:
    if "*" not in registry:
        return registry == host
    return re.fullmatch(re.escape(registry).replace(r"\*", "[^.:]*"), host) is not None
