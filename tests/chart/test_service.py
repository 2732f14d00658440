"""The service as the chart starts it: the rendered container's arguments, environment, settings and Secrets."""

import base64
import json
import re
import signal
from datetime import UTC, datetime, timedelta

import pytest
import requests
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests.chart import rendered
from tests.fake_hooks import PARENT
from tests.test_serve import head, sockets, wait_until

HOST = "dynamo-hooks.dynamo-hooks.svc"
PATH = "/dynamographdeployments/sync"
BODY = {"parent": PARENT}


def certificate():
    """A self-signed certificate for the Service, as a kubernetes.io/tls Secret holds it."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, HOST)])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    names = x509.SubjectAlternativeName([x509.DNSName(HOST), x509.DNSName("localhost")])
    made = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    text = made.public_bytes(serialization.Encoding.PEM)
    formats = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return {"tls.crt": text, "tls.key": key.private_bytes(serialization.Encoding.PEM, *formats), "ca.crt": text}


@pytest.fixture
def start(start_service, tmp_path):
    """Starts the rendered container, with the volumes of its pod below a folder, on a free port of the loopback."""

    def started(values, secrets=None):
        found = rendered.objects(values)
        volumes = {item["metadata"]["name"]: item for item in found if item["kind"] in {"ConfigMap", "Secret"}}
        data = {
            name: {key: base64.b64decode(value) for key, value in item["data"].items()}
            if item["kind"] == "Secret"
            else {key: value.encode() for key, value in item["data"].items()}
            for name, item in volumes.items()
        } | (secrets or {})
        pod = rendered.pod(values)
        (container,) = pod["containers"]
        sources = {volume["name"]: volume for volume in pod["volumes"]}
        for mount in container["volumeMounts"]:
            source = sources[mount["name"]]
            name = source.get("configMap", {}).get("name") or source.get("secret", {}).get("secretName")
            place = tmp_path / mount["mountPath"].lstrip("/")
            place.mkdir(parents=True)
            for key, value in data.get(name, {}).items():
                (place / key).write_bytes(value)
        environment = {}
        for entry in container["env"]:
            if "value" in entry:
                environment[entry["name"]] = entry["value"].replace("/etc/", f"{tmp_path}/etc/")
            else:
                reference = entry["valueFrom"]["secretKeyRef"]
                value = data[reference["name"]].get(reference["key"])
                assert value is not None or reference["optional"]
                environment |= {} if value is None else {entry["name"]: value.decode()}
        arguments = [each.replace("=/etc/", f"={tmp_path}/etc/") for each in container["args"]]
        assert "--bind=0.0.0.0:8080" in arguments
        arguments[arguments.index("--bind=0.0.0.0:8080")] = "--bind=127.0.0.1:0"
        return start_service(*arguments, **environment)

    return started


def call(service, token=None, **how):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return requests.post(service.url + PATH, json=BODY, headers=headers, timeout=60, **how)


OLD_AND_NEW = {"token": b"new-token", "previous-token": b"old-token"}
OWN_TOKEN = {"auth": {"existingSecret": "mine"}}


def test_calls_need_the_token_and_the_old_one_does_while_it_is_changed(start):
    service = start(OWN_TOKEN, {"mine": OLD_AND_NEW})
    statuses = {token: call(service, token).status_code for token in (None, "wrong-token", "old-token", "new-token")}
    assert statuses == {None: 401, "wrong-token": 401, "old-token": 200, "new-token": 200}
    assert requests.get(service.url + "/readyz", timeout=60).status_code == 200
    assert not re.search("(old|new|wrong)-token", service.stdout.read_text() + service.stderr.read_text())


def test_once_it_is_changed_the_old_one_is_refused(start):
    service = start(OWN_TOKEN, {"mine": {"token": b"new-token"}})
    assert [call(service, token).status_code for token in ("old-token", "new-token")] == [401, 200]


def test_calls_come_over_tls_with_a_generated_certificate(start, tmp_path):
    made = certificate()
    service = start(rendered.TLS | OWN_TOKEN, {"certificate": made, "mine": {"token": b"new-token"}})
    ca = tmp_path / "ca.crt"
    ca.write_bytes(made["ca.crt"])
    service.url = service.url.replace("127.0.0.1", "localhost")
    assert service.url.startswith("https://")
    assert call(service, "new-token", verify=str(ca)).status_code == 200
    with pytest.raises(requests.exceptions.SSLError):
        call(service, "new-token")


@pytest.fixture
def four_workers(start):
    service = start({"auth": {"enabled": False}, "server": {"workers": 4}})
    wait_until(lambda: len(service.workers()) == 4)
    return service


def test_numbers_of_four_workers_add_up_and_each_call_has_one_line_in_the_log(four_workers):
    for _ in range(40):  # a connection each, so that all workers get some
        assert call(four_workers).status_code == 200

    def numbers():
        text = requests.get(four_workers.url + "/metrics", timeout=60).text
        labels = r'\{controller="dynamographdeployments",hook="sync",outcome="ok"}'
        counted = re.findall(rf"^dynamo_hooks_calls_total{labels} (\S+)$", text, re.MULTILINE)
        timed = re.findall(r'^dynamo_hooks_call_duration_seconds_count\{.*hook="sync"} (\S+)$', text, re.MULTILINE)
        return (*map(float, counted), *map(float, timed))

    assert {numbers() for _ in range(12)} == {(40, 40)}  # whoever of the four answers
    lines = [json.loads(line) for line in four_workers.stdout.read_text().splitlines()]
    calls = [line for line in lines if line["event"] == "call"]
    assert len(calls) == 40
    assert {(line["hook"], line["outcome"]) for line in calls} == {("sync", "ok")}


def test_sigterm_loses_no_call_that_is_running(four_workers):
    body = json.dumps(BODY).encode()
    running = [four_workers.connect() for _ in range(8)]  # one worker may get all
    for connection in running:
        connection.sendall(head(len(body), "Expect: 100-continue"))
    for connection in running:
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 100 ")  # so each of the calls is running
    four_workers.process.send_signal(signal.SIGTERM)
    wait_until(lambda: not sockets(four_workers.process.pid))  # so the signal has arrived
    for connection in running:
        connection.sendall(body)
    answers = []
    for connection in running:
        answers.append(b"".join(iter(lambda: connection.recv(1 << 16), b"")))  # noqa: B023 - called at once
        connection.close()
    assert [answer.partition(b"\r\n")[0] for answer in answers] == [b"HTTP/1.1 200 OK"] * 8
    assert all(answer.endswith(b"}") for answer in answers)
    assert four_workers.process.wait(60) == 0


def test_bad_settings_keep_pods_from_becoming_ready(start):
    bad = {"dynamo-hooks-settings": {"settings.yaml": b"server: {workers: many}"}}
    with pytest.raises(AssertionError, match=r"server\.workers: has the value 'many'"):
        start({"auth": {"enabled": False}}, bad)
