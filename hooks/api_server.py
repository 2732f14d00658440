"""The little that is asked of an API server from inside a pod: to read, create and replace an object of one namespace.

Source: Kubernetes, "Accessing the Kubernetes API from a Pod", "API concepts".
"""

from http.cookiejar import DefaultCookiePolicy
from pathlib import Path
from typing import Any, ClassVar

import orjson
import requests

from hooks.protocol import Object, part

ACCOUNT_FOLDER = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where a pod finds the token of its account and the certificate of the API server."""

_TIMEOUT = (5.0, 30.0)
"""Seconds to connect, and to wait for an answer."""
_PASSING = frozenset({401, 403, 404, 408, 409, 429})
"""Refusals that may pass: rights that are about to be given, an object that goes, somebody else's update."""


class Away(Exception):  # noqa: N818 - it is how the API server is
    """No answer, or none that can be used: it may be there again later."""


class Refused(Exception):  # noqa: N818 - it is what the API server has done
    """The API server has refused a request."""

    CONFLICT: ClassVar[int] = 409

    def __init__(self, status: int, message: str) -> None:
        self.status = status
        super().__init__(f"HTTP {status}: {message}")

    @property
    def may_pass(self) -> bool:
        """Whether the same request may be taken later."""
        return self.status in _PASSING


class ApiServer:
    """An API server and how to ask it.

    The token is read anew for each request: the kubelet replaces it before it expires, within the hour.
    """

    def __init__(self, url: str, token_file: Path, certificate_file: Path) -> None:
        self._url = url.rstrip("/")
        self._token_file = token_file
        self._session = requests.Session()
        self._session.trust_env = False  # no proxy, no .netrc: it is the cluster's own
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
        self._session.verify = str(certificate_file)

    def read(self, plural: str, namespace: str, name: str) -> Object:
        """An object of the core API.

        Raises:
            Away: no answer.
            Refused: it is not there, or may not be read.
        """
        return self._ask("GET", f"{plural}/{name}", namespace)

    def create(self, plural: str, namespace: str, item: Object) -> Object:
        """Create an object; raises as `read` does, with status 409 where it is there already."""
        return self._ask("POST", plural, namespace, item)

    def update(self, plural: str, namespace: str, name: str, item: Object) -> Object:
        """Replace an object; raises as `read` does, with status 409 where somebody else has changed it."""
        return self._ask("PUT", f"{plural}/{name}", namespace, item)

    def _ask(self, method: str, path: str, namespace: str, item: Object | None = None) -> Object:
        url = f"{self._url}/api/v1/namespaces/{namespace}/{path}"
        try:
            token = self._token_file.read_text(encoding="utf-8").strip()
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            content = None if item is None else orjson.dumps(item)
            answer = self._session.request(
                method, url, data=content, headers=headers, timeout=_TIMEOUT, allow_redirects=False
            )
            body: Any = answer.json()
        except (OSError, ValueError) as error:  # as those of requests and of JSON are
            raise Away(f"{method} {url}: {error}") from None
        status = answer.status_code
        found: Object = body if isinstance(body, dict) else {}
        if status >= 500 or 300 <= status < 400:
            raise Away(f"{method} {url}: HTTP {status}: {found.get('message', '')}")
        if status >= 400:
            raise Refused(status, str(found.get("message") or answer.reason))
        if not isinstance(part(found, "metadata").get("name"), str):
            raise Away(f"{method} {url}: the answer is no Kubernetes object")
        return found
