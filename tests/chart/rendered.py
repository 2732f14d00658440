"""The chart as Helm renders it: Helm's own library, from a wheel that there is for Linux on x86-64 only."""

import base64
import re
from functools import cache
from pathlib import Path

import pytest
import yaml

helm = pytest.importorskip("helm_python", reason="Helm comes with a wheel for Linux on x86-64 only")

CHART = Path(__file__).parents[2] / "helm" / "dynamo-hooks"
VALUES = yaml.safe_load((CHART / "values.yaml").read_text())

EVERY_VALUE = {
    "natsAddress": "nats://nats.dynamo:4222",
    "etcdAddress": "etcd.dynamo:2379",
    "modelExpressURL": "http://model-express.dynamo:8001",
    "prometheusEndpoint": "http://prometheus.monitoring:9090",
    "discoveryBackend": "kubernetes",
    "ingress": {
        "className": "nginx",
        "tlsSecretName": "wildcard",
        "hostSuffix": "example.com",
        "virtualServiceGateway": "istio-system/gateway",
    },
    "multinode": {"schedulerName": "volcano", "vllmHybridLoadBalancing": False},
    "mpiRun": {"secretName": "mpi-keys"},
    "rbac": {"plannerClusterRole": "a", "profilingClusterRole": "b", "nodeReaderClusterRole": "c"},
    "profiling": {"backoffLimit": 1, "hfTokenSecret": {"name": "hf"}, "outputCopierImage": "registry.example/hooks:1"},
    "namespaceRestriction": {"enabled": True, "namespaces": ["team-a", "team-b"], "installation": "teams"},
    "server": {"maxBodyMiB": 32, "threads": 4, "workers": 4},
    "defaults": {"worker": {"startupProbe": {"failureThreshold": 1000}}, "sharedMemorySize": "16Gi"},
    "image": {
        "repository": "registry.example/dynamo-hooks",
        "tag": "1",
        "digest": "sha256:" + "0" * 64,
        "pullPolicy": "Always",
    },
    "imagePullSecretNames": ["registry"],
    "replicas": 3,
    "resources": {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"memory": "2Gi"}},
    "nodeSelector": {"kubernetes.io/arch": "amd64"},
    "tolerations": [{"key": "system", "operator": "Exists"}],
    "affinity": {"podAntiAffinity": {}},
    "podAnnotations": {"example.com/team": "platform"},
    "priorityClassName": "system-cluster-critical",
    "autoscaling": {"enabled": True, "maxReplicas": 6, "targetCPUUtilizationPercentage": 60},
    "podDisruptionBudget": {"enabled": False},
    "auth": {"enabled": False, "existingSecret": "token", "tokenRevision": "2"},
    "tls": {"secretName": "certificate", "caKey": "root.crt", "revision": "2"},
    "metacontroller": {"namespace": "system"},
    "networkPolicy": {"enabled": False},
    "crds": {"install": False},
    "imagePullSecrets": {"enabled": False, "secretSelector": {"matchLabels": {"team": "a"}}},
    "optionalAPIs": {"leaderWorkerSet": True, "istio": True},
    "metrics": {
        "namespaceSelector": {"kubernetes.io/metadata.name": "monitoring"},
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "podMonitors": {"enabled": True, "labels": {"release": "prometheus"}},
        "rules": {"enabled": True, "labels": {"release": "prometheus"}},
        "dashboard": {"enabled": True, "labels": {"grafana_dashboard": "yes"}},
    },
}

RESTRICTED = {"namespaceRestriction": {"enabled": True, "namespaces": ["team-a", "team-b"], "installation": "teams"}}
TLS = {"tls": {"secretName": "certificate"}}
VARIANTS = {
    "defaults": {},
    "every value": EVERY_VALUE,
    "restricted": RESTRICTED,
    "restricted, with a selector of Secrets": RESTRICTED | {"imagePullSecrets": EVERY_VALUE["imagePullSecrets"]},
    "no optional APIs": {"optionalAPIs": {"leaderWorkerSet": False, "istio": False}},
    "all optional APIs": {"optionalAPIs": {"leaderWorkerSet": True, "istio": True}},
    "TLS": TLS | {"metrics": {"serviceMonitor": {"enabled": True}}},
    "a token of one's own": {"auth": {"existingSecret": "token"}},
    "Prometheus may connect": {"metrics": {"namespaceSelector": {"kubernetes.io/metadata.name": "monitoring"}}},
}
every_variant = pytest.mark.parametrize("values", VARIANTS.values(), ids=VARIANTS)


@cache
def chart(folder=CHART):
    return helm.Chart.load(folder)


def files(values=None, namespace="dynamo-hooks", name="dynamo-hooks", config=None, folder=CHART):
    """What Helm renders: the name of a template and its text. A `config` is a cluster, else `lookup` finds nothing."""
    if config is None:
        found = chart(folder).render(values or {}, name=name, namespace=namespace)
    else:
        found = config.render(chart(folder), values or {}, name=name, namespace=namespace)
    return {path.rpartition("/")[2]: text for path, text in found.items()}


def objects(values=None, **how):
    """The objects that it renders, but for the CRDs, which take long."""
    rendered = files((values or {}) | {"crds": {"install": False}}, **how)
    texts = (text for path, text in rendered.items() if path != "NOTES.txt")
    return [document for text in texts for document in yaml.safe_load_all(text) if document]


def of_kind(kind, *arguments, **how):
    return {item["metadata"]["name"]: item for item in objects(*arguments, **how) if item["kind"] == kind}


def controllers(*arguments, **how):
    return {
        item["metadata"]["name"]: item for item in objects(*arguments, **how) if item["kind"].endswith("Controller")
    }


def pod(*arguments, **how):
    (deployment,) = of_kind("Deployment", *arguments, **how).values()
    return deployment["spec"]["template"]["spec"]


def webhooks(found):
    return [hook["webhook"] for item in found.values() for hook in item["spec"]["hooks"].values()]


def revision(*arguments, **how):
    """What the URLs of all webhooks end in, and what makes pods new."""
    found = objects(*arguments, **how)
    hooks = webhooks({number: item for number, item in enumerate(found) if item["kind"].endswith("Controller")})
    (ending,) = {re.search(r"\?v=([0-9a-f]{10})$", hook["url"])[1] for hook in hooks}
    (deployment,) = (item for item in found if item["kind"] == "Deployment")
    assert deployment["spec"]["template"]["metadata"]["annotations"]["checksum/settings"] == ending
    return ending


def token(*arguments, **how):
    (secret,) = of_kind("Secret", *arguments, **how).values()
    return {key: base64.b64decode(value).decode() for key, value in secret["data"].items()}
