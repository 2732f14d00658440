"""`copy-output` against a real API server, with a token of its account and the rights of the profiling ClusterRole."""

import uuid
from pathlib import Path

import pytest
import yaml

from hooks.api_server import ApiServer
from hooks.copy_output import LARGEST, REFUSED_PATIENCE, Copy, CopyFailed, copy_output
from tests.copier.fake_api_server import FakeTime

pytestmark = [pytest.mark.real, pytest.mark.xdist_group("real")]
ROLE = yaml.safe_load((Path(__file__).parents[2] / "metacontroller" / "cluster_roles" / "profiling.yaml").read_text())
OUTPUT = "config_with_planner.yaml"
CORE, RBAC = "/api/v1/namespaces", "/apis/rbac.authorization.k8s.io/v1/namespaces"


class Pod:
    """A profiling pod in a namespace of its own, without a kubelet: a test says what becomes of it."""

    def __init__(self, plane, folder):
        self.plane, self.folder = plane, folder
        self.namespace = f"copy-{uuid.uuid4().hex[:8]}"
        self.send("POST", "/api/v1/namespaces", {"metadata": {"name": self.namespace}})
        self.send("POST", f"{CORE}/{self.namespace}/serviceaccounts", {"metadata": {"name": "dgdr-profiling-job"}})
        token = self.send(
            "POST", f"{CORE}/{self.namespace}/serviceaccounts/dgdr-profiling-job/token", {"spec": {"audiences": []}}
        )
        (folder / "token").write_text(token["status"]["token"])
        request = {
            "apiVersion": "nvidia.com/v1alpha1",
            "kind": "DynamoGraphDeploymentRequest",
            "metadata": {"name": "chat"},
            "spec": {"model": "m", "backend": "vllm", "profilingConfig": {"profilerImage": "x"}},
        }
        path = f"/apis/nvidia.com/v1alpha1/namespaces/{self.namespace}/dynamographdeploymentrequests"
        self.uid = self.send("POST", path, request)["metadata"]["uid"]
        container = {"image": "x"}
        spec = {"containers": [{**container, "name": "profiler"}, {**container, "name": "output-copier"}]}
        self.send("POST", f"{CORE}/{self.namespace}/pods", {"metadata": {"name": "profile-chat-x"}, "spec": spec})

    def send(self, verb, path, body=None):
        return self.plane.client.send(verb, path, body)[0]

    def gets_rights(self):
        """What the decorator on Namespaces and the chart make."""
        self.send("POST", f"{RBAC}/{self.namespace}/roles", {"metadata": {"name": "r"}, "rules": ROLE["rules"]})
        subject = {"kind": "ServiceAccount", "name": "dgdr-profiling-job", "namespace": self.namespace}
        role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"}
        binding = {"metadata": {"name": "r"}, "subjects": [subject], "roleRef": role}
        self.send("POST", f"{RBAC}/{self.namespace}/rolebindings", binding)

    def ends(self, code=0):
        path = f"{CORE}/{self.namespace}/pods/profile-chat-x"
        pod = self.send("GET", path)
        common = {"image": "x", "imageID": "x", "ready": False, "restartCount": 0}
        ended = {"terminated": {"exitCode": code, "reason": "Completed" if code == 0 else "Error"}}
        containers = [
            {**common, "name": "profiler", "state": ended},
            {**common, "name": "output-copier", "state": {"running": {}}},
        ]
        pod["status"] = {**pod["status"], "phase": "Running", "containerStatuses": containers}
        self.send("PUT", f"{path}/status", pod)

    def copies(self, clock=None):
        certificate = Path(self.plane.kubeconfig.parent, "certificates", "apiserver.crt")
        copy = Copy("chat", self.uid, self.namespace, self.namespace, "profile-chat-x", self.folder)
        server = ApiServer(self.plane.url, self.folder / "token", certificate)
        copy_output(copy, server, clock or FakeTime(), lambda line: None)
        return self.output()

    def output(self):
        return self.send("GET", f"{CORE}/{self.namespace}/configmaps/dgdr-output-chat")

    def closes(self):
        self.send("DELETE", f"/api/v1/namespaces/{self.namespace}")


@pytest.fixture
def pod(control_plane, tmp_path):
    made = Pod(control_plane, tmp_path)
    yield made
    made.closes()


@pytest.mark.parametrize("text", ["kind: ü\n", "x" * LARGEST, "漢" * (LARGEST // 3)])
def test_output_up_to_the_limit_is_taken(pod, text):
    pod.gets_rights()
    pod.ends()
    (pod.folder / OUTPUT).write_text(text)
    assert pod.copies()["data"] == {OUTPUT: text}


def test_output_beyond_the_limit_is_reported(pod):
    pod.gets_rights()
    pod.ends()
    (pod.folder / OUTPUT).write_text("x" * 1_500_000)
    assert "has 1500000 bytes" in pod.copies()["data"]["error"]


def test_a_profiler_that_dies_is_reported(pod):
    pod.gets_rights()
    pod.ends(137)
    assert pod.copies()["data"] == {"error": "the profiler ended with exit code 137 (Error)"}


def test_rights_that_come_late_suffice(pod):
    pod.ends(1)
    clock = FakeTime()
    clock.at(30, pod.gets_rights)
    assert "error" in pod.copies(clock)["data"]


def test_without_rights_it_ends(pod):
    clock = FakeTime()
    with pytest.raises(CopyFailed, match="cannot get resource"):
        pod.copies(clock)
    assert clock.now <= REFUSED_PATIENCE + 60


def test_an_earlier_output_is_replaced(pod):
    pod.gets_rights()
    pod.ends()
    earlier = {"name": "dgdr-output-chat", "annotations": {"dgdr.nvidia.com/uid": "earlier"}}
    pod.send("POST", f"{CORE}/{pod.namespace}/configmaps", {"metadata": earlier, "data": {OUTPUT: "old"}})
    (pod.folder / OUTPUT).write_text("new")
    found = pod.copies()
    assert found["data"] == {OUTPUT: "new"}
    assert [owner["uid"] for owner in found["metadata"]["ownerReferences"]] == [pod.uid]
