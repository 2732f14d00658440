"""Requests to a real API server, refused ones as the embedded store raises them."""

import re
from collections import Counter

import orjson

from hooks.simulator.errors import ApiError, FieldError

_REQUESTS = re.compile(r"^apiserver_request_total\{(.*)\} (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')
_WRITES = {"POST", "PUT", "PATCH", "APPLY"}
_UNCOUNTED = {"leases", "events", "namespaces/finalize", "namespaces/status"}
"""What the server's own parts write at times of their own."""


class ApiClient:
    """An administrator's client."""

    def __init__(self, session, url):
        self._session, self._url = session, url

    def send(self, verb, path, body=None, **parameters):
        """Send a request; returns the object that came back and the warnings that came with it.

        Raises:
            ApiError: it was refused.
        """
        data = None if body is None else orjson.dumps(body)
        headers = {} if body is None else {"Content-Type": "application/json"}
        answer = self._session.request(
            verb, self._url + path, data=data, headers=headers, params=parameters, timeout=60
        )
        item = orjson.loads(answer.content)
        if not answer.ok:
            raise refusal(answer.status_code, item)
        return item, warnings(answer.headers.get("Warning", ""))

    def writes_served(self):
        """How many writes the server has served, by verb and resource, as it counts them itself.

        Leases, events, and what ends a namespace do not count: its own parts write them.
        """
        answer = self._session.get(f"{self._url}/metrics", timeout=60)
        answer.raise_for_status()
        served = Counter()
        for labels, number in _REQUESTS.findall(answer.text):
            found = dict(_LABEL.findall(labels))
            what = "/".join(filter(None, (found["resource"], found["subresource"])))
            if found["verb"] in _WRITES and what not in _UNCOUNTED:
                served[f"{found['verb']} {what}"] += int(float(number))
        return served


def refusal(code, status):
    """The error that a Status object tells of."""
    causes = (status.get("details") or {}).get("causes") or ()
    faults = [FieldError(cause.get("field", ""), cause.get("message", "")) for cause in causes]
    return ApiError(code, status.get("reason", ""), status.get("message", ""), faults)


def warnings(header):
    """The texts of a `Warning` header."""
    found = re.findall(r'299 - "((?:[^"\\]|\\.)*)"', header)
    return [re.sub(r"\\(.)", r"\1", text) for text in found]


def collection(resource, namespace=""):
    """The path of a kind's objects; of one namespace where one is given."""
    version = resource.kind.api_version
    place = f"/namespaces/{namespace}" if namespace and resource.namespaced else ""
    return f"/{'apis' if '/' in version else 'api'}/{version}{place}/{resource.kind.plural}"
