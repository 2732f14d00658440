"""Small objects to start from, and `merged` to change them: a case shows only what it is about."""

import copy

NAMESPACE = "recorded"
GROUPS = {
    "Deployment": "apps/v1",
    "ReplicaSet": "apps/v1",
    "StatefulSet": "apps/v1",
    "Job": "batch/v1",
    "HorizontalPodAutoscaler": "autoscaling/v2",
    "Ingress": "networking.k8s.io/v1",
    "EndpointSlice": "discovery.k8s.io/v1",
    "Role": "rbac.authorization.k8s.io/v1",
    "RoleBinding": "rbac.authorization.k8s.io/v1",
    "ClusterRole": "rbac.authorization.k8s.io/v1",
    "ClusterRoleBinding": "rbac.authorization.k8s.io/v1",
}
CLUSTER_SCOPED = {"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "Namespace"}
CUSTOM = {"Widget"}
ABSENT = object()
"""Takes a field away in `merged`."""


def made(kind, name="x", **content):
    metadata = {"name": name} if kind in CLUSTER_SCOPED else {"name": name, "namespace": NAMESPACE}
    return merged({"apiVersion": GROUPS.get(kind, "v1"), "kind": kind, "metadata": metadata}, content)


def merged(base, change):
    """A copy of `base` with `change` laid over it; lists are replaced."""
    if not (isinstance(base, dict) and isinstance(change, dict)):
        return copy.deepcopy(change)
    result = {key: copy.deepcopy(value) for key, value in base.items() if key not in change}
    for key, value in change.items():
        if value is not ABSENT:
            result[key] = merged(base.get(key), value)
    return result


def template(container=None, labels=None, **pod):
    main = merged({"name": "main", "image": "repo/image:1"}, container or {})
    return {"metadata": {"labels": labels or {"app": "x"}}, "spec": {"containers": [main], **pod}}


def deployment(container=None, *, name="x", spec=None, metadata=None, **pod):
    made_spec = {"selector": {"matchLabels": {"app": "x"}}, "template": template(container, **pod)}
    return made("Deployment", name, spec=merged(made_spec, spec or {}), metadata=metadata or {})


def job(container=None, *, spec=None, metadata=None, **pod):
    made_spec = {"template": template(container, **{"restartPolicy": "Never", **pod})}
    return made("Job", spec=merged(made_spec, spec or {}), metadata=metadata or {})


def service(**spec):
    return made("Service", spec=merged({"ports": [{"port": 80}], "selector": {"app": "x"}}, spec))


def autoscaler(**spec):
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "x"}
    return made("HorizontalPodAutoscaler", spec=merged({"scaleTargetRef": target, "maxReplicas": 3}, spec))


def claim(**spec):
    made_spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return made("PersistentVolumeClaim", spec=merged(made_spec, spec))


def ingress(path=None, **spec):
    backend = {"service": {"name": "x", "port": {"number": 80}}}
    rule = {"http": {"paths": [merged({"path": "/", "pathType": "Prefix", "backend": backend}, path or {})]}}
    return made("Ingress", spec=merged({"rules": [rule]}, spec))


def updated(module):
    """A module's cases of updates, each with a name of its own for its object: some take long to go."""
    named = {}
    for number, (case, (item, change)) in enumerate({**module.UPDATED, **getattr(module, "STATUS", {})}.items()):
        named[case] = (merged(item, {"metadata": {"name": f"recorded-{number}"}}), change)
    return named
