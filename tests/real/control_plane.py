"""A real control plane on the loopback: etcd, kube-apiserver, and three controllers of kube-controller-manager.

Its programs lie in the folder that `KUBEBUILDER_ASSETS` names; `.ci/control-plane/build` makes one.
"""

import ctypes
import os
import secrets
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import requests
import yaml
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.real.api_client import ApiClient
from tests.real.installed import definitions, install

PROGRAMS = ("etcd", "kube-apiserver", "kube-controller-manager")
CONTROLLERS = ("garbage-collector-controller", "namespace-controller", "serviceaccount-controller")
"""What runs of kube-controller-manager: the workloads are moved by the stand-ins of the embedded cluster."""
_PATIENCE = 120.0
"""Seconds that a program has to become ready: some, on a slow machine with other work."""
_ATTEMPTS = 3
"""How often it is started at most: another program may take a port between its choice and its use."""
_PR_SET_PDEATHSIG = 1


def assets():
    """The folder of the programs and None, or None and what is the matter."""
    folder = os.environ.get("KUBEBUILDER_ASSETS")
    if not folder:
        return None, "set KUBEBUILDER_ASSETS to the folder that `.ci/control-plane/build` prints"
    missing = [name for name in PROGRAMS if not os.access(Path(folder, name), os.X_OK)]
    return (None, f"KUBEBUILDER_ASSETS={folder} lacks {', '.join(missing)}") if missing else (Path(folder), None)


class EndedError(AssertionError):
    """A program ended that should run."""


@contextmanager
def start_control_plane(programs, folder):
    """A control plane that serves our kinds, and that ends with the block.

    Args:
        programs: the folder of its programs.
        folder: where it keeps what it needs while it runs.
    """
    running = _started(programs, folder)
    try:
        running.definitions = install(running.client, definitions())
        running.start_controllers()
        yield running
    finally:
        running.stop()


def _started(programs, folder):
    for attempt in range(1, _ATTEMPTS):
        with suppress(EndedError):
            return _start(programs, folder / str(attempt))
    return _start(programs, folder / str(_ATTEMPTS))


def _start(programs, folder):
    running = ControlPlane(programs, folder)
    try:
        running.start()
    except BaseException:
        running.stop()
        raise
    return running


class ControlPlane:
    """A control plane: `client` is an administrator's, `url` where the API server listens."""

    def __init__(self, programs, folder):
        self._programs, self._folder = programs, folder
        self._processes = []
        self._token = secrets.token_hex(16)
        self._etcd, self.url = f"http://127.0.0.1:{free_port()}", f"https://127.0.0.1:{free_port()}"
        self.kubeconfig = folder / "kubeconfig"
        self._session = requests.Session()
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"Bearer {self._token}"
        self.client = ApiClient(self._session, self.url)
        self.definitions = []

    def start(self):
        """Start etcd and the API server, without controllers."""
        self._folder.mkdir(exist_ok=True)
        self._write_files()
        self._start_etcd()
        self._wait(self._stores, "etcd")
        self._start_api_server()
        self._wait(self._ready, "kube-apiserver")

    def start_controllers(self):
        """Start the controllers; those that find kinds by discovery know the kinds of now."""
        self.run(
            self._programs / "kube-controller-manager",
            kubeconfig=self.kubeconfig,
            controllers=",".join(CONTROLLERS),
            service_account_private_key_file=self._folder / "accounts.key",
            leader_elect="false",
            secure_port=0,
            kube_api_qps=500,
            kube_api_burst=1000,
        )
        self._wait(self._accounts_are_there, "kube-controller-manager")

    def run(self, program, *arguments, **options):
        """Start a program with `--option=value` for each option, its output in a file; it ends with the rest."""
        flags = [f"--{name.replace('_', '-')}={value}" for name, value in options.items()]
        with (self._folder / f"{Path(program).name}.log").open("ab") as log:
            process = subprocess.Popen(
                [program, *arguments, *flags],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
                env=os.environ | {"GOGC": "400"},  # memory for time: they collect garbage less often
                preexec_fn=_end_with_parent,  # noqa: PLW1509 - before any thread is started
            )
        self._processes.append(process)
        return process

    def stop(self):
        """End what was started, the last first."""
        self._session.close()
        for process in reversed(self._processes):
            end(process)

    def logged(self, program):
        """The last lines that a program wrote."""
        path = self._folder / f"{program}.log"
        return "\n".join(path.read_text(errors="replace").splitlines()[-20:]) if path.exists() else ""

    def _write_files(self):
        key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        private = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        (self._folder / "accounts.key").write_bytes(private)
        (self._folder / "tokens.csv").write_text(f'{self._token},admin,1,"system:masters"\n')
        cluster = {"server": self.url, "certificate-authority": str(self._folder / "certificates" / "apiserver.crt")}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "real", "cluster": cluster}],
            "users": [{"name": "admin", "user": {"token": self._token}}],
            "contexts": [{"name": "real", "context": {"cluster": "real", "user": "admin"}}],
            "current-context": "real",
        }
        self.kubeconfig.write_text(yaml.safe_dump(config))
        self._session.verify = cluster["certificate-authority"]

    def _start_etcd(self):
        peers = f"http://127.0.0.1:{free_port()}"
        self.run(
            self._programs / "etcd",
            "--unsafe-no-fsync",
            data_dir=self._folder / "etcd",
            listen_client_urls=self._etcd,
            advertise_client_urls=self._etcd,
            listen_peer_urls=peers,
            initial_advertise_peer_urls=peers,
            initial_cluster=f"default={peers}",
        )

    def _start_api_server(self):
        key = self._folder / "accounts.key"
        self.run(
            self._programs / "kube-apiserver",
            etcd_servers=self._etcd,
            bind_address="127.0.0.1",
            advertise_address="127.0.0.1",
            secure_port=self.url.rpartition(":")[2],
            cert_dir=self._folder / "certificates",
            token_auth_file=self._folder / "tokens.csv",
            authorization_mode="RBAC",
            service_account_issuer="https://kubernetes.default.svc",
            service_account_key_file=key,
            service_account_signing_key_file=key,
            service_cluster_ip_range="10.96.0.0/16",
            endpoint_reconciler_type="none",
            feature_gates="WatchList=false",  # etcd 3.4, which Debian has, cannot serve it
        )

    def _stores(self):
        return self._session.get(f"{self._etcd}/health", timeout=10).ok

    def _ready(self):
        return self._session.get(f"{self.url}/readyz", timeout=10).ok

    def _accounts_are_there(self):
        """Whether the server's own namespaces have theirs: then the controllers have nothing left to do."""
        spaces, _ = self.client.send("GET", "/api/v1/namespaces")
        accounts, _ = self.client.send("GET", "/api/v1/serviceaccounts")
        having = {item["metadata"]["namespace"] for item in accounts["items"]}
        return {item["metadata"]["name"] for item in spaces["items"]} == having

    def _wait(self, condition, program):
        end_of_patience = time.monotonic() + _PATIENCE
        while time.monotonic() < end_of_patience:
            for process in self._processes:
                if process.poll() is not None:
                    name = Path(process.args[0]).name
                    raise EndedError(f"{name} ended with {process.returncode}:\n{self.logged(name)}")
            try:
                if condition():
                    return
            except (OSError, requests.RequestException):
                pass  # it does not listen yet, or has not written its certificate
            time.sleep(0.2)
        raise AssertionError(f"{program} did not become ready:\n{self.logged(program)}")


def _end_with_parent():
    """Linux ends the process with its parent then, by force: an API server lingers once its etcd has gone."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def free_port():
    """A port of the loopback that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def end(process):
    """End a process, by force if it takes more than some seconds."""
    process.terminate()
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
