"""What lets the pods of a graph find each other through Kubernetes: an account, a Role and their binding."""

from collections.abc import Iterable

from hooks import labels, names
from hooks.kinds import ROLE, ROLE_BINDING, SERVICE_ACCOUNT
from hooks.protocol import Kind, Object

_RULES = [
    {"apiGroups": [""], "resources": ["endpoints"], "verbs": ["get", "list", "watch"]},
    {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["get", "list", "watch"]},
]


def build_discovery(graph_deployment: str, namespace: str, accounts: Iterable[str]) -> list[Object]:
    """ServiceAccount, Role and RoleBinding. `accounts` are the others that pods of the graph run under."""
    account = names.discovery_account(graph_deployment)
    role = names.discovery_role(graph_deployment)
    subjects = discovery_subjects(graph_deployment, namespace, accounts)
    reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": ROLE.kind, "name": role}
    return [
        _child(SERVICE_ACCOUNT, account, namespace, graph_deployment, {}),
        _child(ROLE, role, namespace, graph_deployment, {"rules": _RULES}),
        _child(
            ROLE_BINDING,
            names.discovery_binding(graph_deployment),
            namespace,
            graph_deployment,
            {"roleRef": reference, "subjects": subjects},
        ),
    ]


def discovery_subjects(graph_deployment: str, namespace: str, accounts: Iterable[str]) -> list[Object]:
    """Who may look: the graph's account, and `accounts` sorted."""
    account = names.discovery_account(graph_deployment)
    return [
        {"kind": SERVICE_ACCOUNT.kind, "name": name, "namespace": namespace}
        for name in [account, *sorted(set(accounts) - {account})]
    ]


def _child(kind: Kind, name: str, namespace: str, graph_deployment: str, content: Object) -> Object:
    metadata: Object = {"name": name, "namespace": namespace}
    if labels.is_value(graph_deployment):
        metadata["labels"] = {labels.GRAPH_DEPLOYMENT: graph_deployment}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata, **content}
