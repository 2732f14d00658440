"""ServiceAccounts that a namespace's planners and profiling Jobs run under, and their bindings to ClusterRoles."""

from hooks import names
from hooks.kinds import CLUSTER_ROLE_BINDING, ROLE_BINDING, SERVICE_ACCOUNT
from hooks.protocol import Kind, Object

_RBAC_GROUP = "rbac.authorization.k8s.io"


def build_account(name: str, namespace: str) -> Object:
    """A ServiceAccount."""
    return _attachment(SERVICE_ACCOUNT, name, namespace)


def build_role_binding(account: str, namespace: str, cluster_role: str) -> Object:
    """A RoleBinding: what a ClusterRole allows, in the account's own namespace."""
    binding = _attachment(ROLE_BINDING, names.binding(account), namespace)
    return binding | _bound(account, namespace, cluster_role)


def build_node_reader_binding(namespace: str, cluster_role: str) -> Object:
    """The ClusterRoleBinding that lets a namespace's profiling Jobs read the cluster's nodes."""
    binding = _attachment(CLUSTER_ROLE_BINDING, names.node_reader_binding(namespace), "")
    return binding | _bound(names.PROFILING_ACCOUNT, namespace, cluster_role)


def _attachment(kind: Kind, name: str, namespace: str) -> Object:
    metadata = {"name": name, "namespace": namespace} if namespace else {"name": name}
    return {"apiVersion": kind.api_version, "kind": kind.kind, "metadata": metadata}


def _bound(account: str, namespace: str, cluster_role: str) -> Object:
    return {
        "roleRef": {"apiGroup": _RBAC_GROUP, "kind": "ClusterRole", "name": cluster_role},
        "subjects": [{"kind": SERVICE_ACCOUNT.kind, "name": account, "namespace": namespace}],
    }
