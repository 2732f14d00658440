"""Record what a real API server answers to the cases: `python tests/simulator/server_cases/record.py KUBECONFIG`.

Written for a kubeconfig with a bearer token, as a test server has. Everything happens in a Namespace of its own, which
is deleted again. Recorded last with version 1.36.3.
"""

import contextlib
import importlib
import json
import pathlib
import re
import sys
import time
from urllib.parse import quote

import custom_resources
import requests
import urllib3
import yaml
from objects import CLUSTER_SCOPED, CUSTOM, NAMESPACE, merged, updated

MODULES = ("pod_templates", "pods", "workloads", "others", "custom_resources")
REVISION = "deployment.kubernetes.io/revision"
"""The annotation of a controller that may run beside the server."""
FOLDER = pathlib.Path(__file__).parent


class Server:
    """A real API server, as far as recording needs it."""

    def __init__(self, kubeconfig):
        config = yaml.safe_load(pathlib.Path(kubeconfig).read_text())
        self.address = config["clusters"][0]["cluster"]["server"]
        self.session = requests.Session()
        self.session.trust_env = self.session.verify = False
        self.session.headers["Authorization"] = f"Bearer {config['users'][0]['user']['token']}"
        self.plurals = {}

    def send(self, verb, item, *, named=False, dry=False, subresource=""):
        url = self.url(item) + (f"/{quote(item['metadata']['name'], safe='')}" if named else "") + subresource
        body = None if verb == "DELETE" else item
        answer = self.session.request(verb, url, json=body, params={"dryRun": "All"} if dry else {})
        warnings = re.findall(r'299 - "((?:[^"\\]|\\.)*)"', answer.headers.get("Warning", ""))
        return answer.status_code, answer.json(), [text.replace('\\"', '"') for text in warnings]

    def url(self, item):
        version = item["apiVersion"]
        base = f"{self.address}/{'apis' if '/' in version else 'api'}/{version}"
        if version not in self.plurals:
            resources = self.session.get(base).json()["resources"]
            self.plurals[version] = {r["kind"]: r["name"] for r in resources if "/" not in r["name"]}
        scope = "" if item["kind"] in CLUSTER_SCOPED else f"/namespaces/{NAMESPACE}"
        return f"{base}{scope}/{self.plurals[version][item['kind']]}"


def recorded(code, body, warnings=()):
    """An answer without what differs from run to run."""
    if code >= 300:
        causes = body.get("details", {}).get("causes")
        said = [f"{cause['field']}: {cause['message']}" for cause in causes] if causes else [body["message"]]
        return {"refused": [code, body["reason"], sorted({shortened(text) for text in said})]}
    uid = body["metadata"].get("uid", "?")
    text = json.dumps(steady(body)).replace(uid, "UID")
    text = re.sub(r"kube-api-access-[a-z0-9]{5}", "kube-api-access-xxxxx", text)
    text = re.sub(r'"10\.96\.[0-9]+\.[0-9]+"', '"ADDRESS"', text)
    unknown = sorted(warning for warning in warnings if warning.startswith("unknown field"))
    return {"object": json.loads(text)} | ({"warnings": unknown} if unknown else {})


def steady(item):
    """An object without what differs from run to run."""
    metadata = dict(item["metadata"])
    for key in ("uid", "resourceVersion", "creationTimestamp", "managedFields"):
        metadata.pop(key, None)
    annotations = {k: v for k, v in metadata.get("annotations", {}).items() if k != REVISION}
    if metadata.pop("annotations", None) and annotations:
        metadata["annotations"] = annotations
    return item | {"metadata": metadata}


def shortened(text):
    """A message without the Go structs that the real server prints whole, and without uids."""
    text = re.sub(r"(Invalid|Unsupported|Duplicate) value: \{.*\}", r"\1 value: {…}", text, flags=re.DOTALL)
    text = re.sub(r"(\n@@|fields other than).*", "", text, flags=re.DOTALL)
    return re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UID", text)


def record(server, module):
    """Every case of a module → what the server answered."""
    answers = {}
    for name, item in {**module.CREATED, **module.REFUSED}.items():
        answers[name] = recorded(*server.send("POST", item, dry=True))
        if ("refused" in answers[name]) != (name in module.REFUSED):
            sys.stderr.write(f"not as expected: {name}: {answers[name]}\n")
    for name, (item, change) in updated(module).items():
        code, made, _ = server.send("POST", item)
        assert code == 201, (name, made)
        if item["kind"] not in CUSTOM:
            time.sleep(0.2)  # for controllers that write on a new object
            made = server.send("GET", item, named=True)[1]
            made["metadata"]["resourceVersion"] = None
        subresource = "/status" if name in getattr(module, "STATUS", {}) else ""
        answer = recorded(*server.send("PUT", merged(made, change), named=True, dry=True, subresource=subresource))
        if not subresource:
            answer.get("object", {}).pop("status", None)
        answers[f"update {name}"] = answer
        if item["kind"] in CLUSTER_SCOPED:
            server.send("DELETE", item, named=True)
    return answers


def install(server, item):
    """Make an object, once what is left of the last recording has gone."""
    for _ in range(60):
        code, answer, _ = server.send("POST", item)
        if code == 201:
            return
        time.sleep(1)
    raise RuntimeError(answer)


def main():
    server = Server(sys.argv[1])
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    for fresh in (namespace, custom_resources.DEFINITION):
        install(server, fresh)
    time.sleep(5)  # for its default account, and for the definition to be served
    try:
        for name in MODULES:
            answers = record(server, importlib.import_module(name))
            lines = [f"{json.dumps(case)}: {json.dumps(answer, sort_keys=True)}" for case, answer in answers.items()]
            (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    finally:
        with contextlib.suppress(requests.RequestException):
            server.send("DELETE", namespace, named=True)
            server.send("DELETE", custom_resources.DEFINITION, named=True)


if __name__ == "__main__":
    urllib3.disable_warnings()
    main()
