"""Every name that is derived from another one.

Laws: a derived name is stable, two different inputs never share one unseen, and what does not fit is reported, never
cut.
"""

import hashlib
import re

_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_DNS_1123 = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(rf"{_DNS_1123.pattern}(\.{_DNS_1123.pattern})*")
_CONFIG_KEY = re.compile(r"[-._a-zA-Z0-9]+")
_VARIABLE = re.compile(r"[ -<>-~]+")

LABEL_LENGTH = 63
"""Longest DNS label and label value."""
LEADER_WORKER_SET_LENGTH = 45
"""Longest name of a LeaderWorkerSet that leaves room for what LWS appends; of a longer one it makes no pods."""

OBJECT_NAME_LENGTH = 253
"""Longest DNS subdomain."""


def component_name(graph_deployment: str, service: str) -> str:
    """Name of the component of a graph's service: lower case, `.` and `_` as `-`."""
    return f"{graph_deployment}-{service}".lower().replace(".", "-").replace("_", "-")


def leader_worker_set_name(component: str) -> str:
    """Name of a multinode component's LeaderWorkerSet, whose own headless Service must not take the component's."""
    return f"{component}-lws"


def is_object_name(name: str) -> bool:
    """Whether most objects may be called so: a DNS-1123 subdomain."""
    return object_name_problem(name) is None


def service_name_problem(name: str) -> str | None:
    """Why a Service cannot be called so, with the numbers; None where it can."""
    if len(name) > LABEL_LENGTH:
        return f"has {len(name)} characters, {LABEL_LENGTH} are allowed"
    if not _DNS_1035.fullmatch(name):
        return "must begin with a letter, end with a letter or digit and have only a-z, 0-9 and '-'"
    return None


def leader_worker_set_name_problem(name: str) -> str | None:
    """Why LWS would make no pods for a LeaderWorkerSet of that name, with the numbers; None where it does."""
    limit = LEADER_WORKER_SET_LENGTH
    return f"has {len(name)} characters, {limit} are allowed" if len(name) > limit else None


def object_name_problem(name: str) -> str | None:
    """Why most objects cannot be called so (RFC 1123, a subdomain), such as a Secret; None where they can."""
    if len(name) > OBJECT_NAME_LENGTH:
        return f"has {len(name)} characters, {OBJECT_NAME_LENGTH} are allowed"
    if not _SUBDOMAIN.fullmatch(name):
        return "must begin and end with a letter or digit and have only a-z, 0-9, '-' and '.'"
    return None


def namespace_problem(name: str) -> str | None:
    """Why a Namespace cannot be called so (RFC 1123, a label); None where it can."""
    if len(name) > LABEL_LENGTH:
        return f"has {len(name)} characters, {LABEL_LENGTH} are allowed"
    if not _DNS_1123.fullmatch(name):
        return "must begin and end with a letter or digit and have only a-z, 0-9 and '-'"
    return None


def config_key_problem(key: str) -> str | None:
    """Why a ConfigMap or Secret cannot have this key; None where it can."""
    if len(key) > OBJECT_NAME_LENGTH:
        return f"has {len(key)} characters, {OBJECT_NAME_LENGTH} are allowed"
    if not _CONFIG_KEY.fullmatch(key) or key == "." or key.startswith(".."):
        return "must have only letters, digits, '-', '_' and '.', and be neither '.' nor begin with '..'"
    return None


def port_problem(name: str) -> str | None:
    """Why a port cannot be called so (RFC 6335, a service name); None where it can."""
    if len(name) > 15:
        return f"has {len(name)} characters, 15 are allowed"
    if not _DNS_1123.fullmatch(name) or "--" in name or not re.search("[a-z]", name):
        return "must have only a-z, 0-9 and single '-' between them, and at least one letter"
    return None


def image_problem(image: str) -> str | None:
    """Why no pod may have this image, though a Deployment or Job may (Kubernetes, validation); None where one may."""
    if not image:
        return "is empty"
    return "begins or ends with white space" if image != image.strip() else None


def host_problem(host: str) -> str | None:
    """Why an Ingress refuses a host; None where it takes it: a DNS name, whose first label may be `*`."""
    return object_name_problem(host.removeprefix("*."))


def is_variable(name: str) -> bool:
    """Whether the API server takes this as the name of an environment variable: printable ASCII without `=`."""
    return _VARIABLE.fullmatch(name) is not None


def dynamo_namespace(namespace: str, graph_deployment: str) -> str:
    """Name under which the components of a graph find each other (DYN_NAMESPACE)."""
    return f"{namespace}-{graph_deployment}"


GLOBAL_DYNAMO_NAMESPACE = "dynamo"
"""The Dynamo namespace of components with `globalDynamoNamespace`."""


def label_value(text: str) -> str:
    """A Dynamo namespace as a label's value: whole up to 63 characters, else its head and a hash of the whole."""
    if len(text) <= LABEL_LENGTH:
        return text
    return f"{text[:54]}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def model_hash(model: str) -> str:
    """What a base model's name is in labels and in the name of its Service: 8 hex digits of its SHA-256."""
    return hashlib.sha256(model.encode()).hexdigest()[:8]


def model_service(model: str) -> str:
    """Name of the headless Service that all components of a base model share in a namespace."""
    return f"dynamo-model-{model_hash(model)}"


def binding(account: str) -> str:
    """RoleBinding of a ServiceAccount that belongs to a namespace."""
    return f"{account}-binding"


PROFILING_ACCOUNT = "dgdr-profiling-job"
"""ServiceAccount of the Jobs that profile models."""


def node_reader_binding(namespace: str) -> str:
    """ClusterRoleBinding that lets a namespace's `PROFILING_ACCOUNT` read the cluster's nodes."""
    return f"{PROFILING_ACCOUNT}-{namespace}"


def profiling_job(request: str) -> str:
    """Job that profiles the model of a DynamoGraphDeploymentRequest."""
    return f"profile-{request}"


PROFILER = "profiler"
OUTPUT_COPIER = "output-copier"
"""Containers of `profiling_job`: the second waits for the first one's end, and copies what it wrote."""


def profile_output(request: str) -> str:
    """ConfigMap that holds what the profiler of a DynamoGraphDeploymentRequest put out."""
    return f"dgdr-output-{request}"


def registry_index(secret: str) -> str:
    """ConfigMap that says which registries a Secret is for: a Secret's name may be too long to be part of it."""
    return f"dynamo-registries-{hashlib.sha256(secret.encode()).hexdigest()[:10]}"


def discovery_account(graph_deployment: str) -> str:
    """ServiceAccount under which the pods of a graph discover each other through Kubernetes."""
    return f"{graph_deployment}-k8s-service-discovery"


def discovery_role(graph_deployment: str) -> str:
    """Role of `discovery_account`."""
    return f"{discovery_account(graph_deployment)}-role"


def discovery_binding(graph_deployment: str) -> str:
    """RoleBinding of `discovery_role`."""
    return f"{discovery_account(graph_deployment)}-binding"


SHARED_MEMORY = "shared-memory"
"""Name of the volume at /dev/shm."""
MPI_KEYS = "mpi-ssh-keys"
"""Name of the volume with the keys by which nodes reach each other through SSH."""
_OWN_VOLUMES = frozenset({SHARED_MEMORY, MPI_KEYS})


def volume_name(claim: str) -> str:
    """Name of the volume that holds a claim: the claim's own where a volume may be called so (a DNS label)."""
    if len(claim) <= LABEL_LENGTH and _DNS_1123.fullmatch(claim) and claim not in _OWN_VOLUMES:
        return claim
    head = re.sub(r"[^-a-z0-9]", "-", claim.lower())[:54].strip("-") or "claim"
    return f"{head}-{hashlib.sha256(claim.encode()).hexdigest()[:8]}"
