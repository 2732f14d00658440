"""What the pods of a component get from their namespace: a labelled ServiceAccount, and pull secrets for their images.

A model that took an hour to load is not restarted for it: a workload that serves keeps what it has.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import orjson

from hooks import labels
from hooks.builders.registry_index import read_registry_index
from hooks.kinds import CONFIG_MAP, LEADER_WORKER_SET, SERVICE_ACCOUNT
from hooks.manifest import desired_hash
from hooks.pods.pull_secrets import fitting, images_of
from hooks.pods.template import Found, with_found, without_found
from hooks.protocol import Object, Observed, name_of, part
from hooks.status.conditions import find_condition
from hooks.status.readiness import deployment_numbers, leader_worker_set_numbers

_GROUP = "leaderWorkerTemplate"
_ROLES = ("leaderTemplate", "workerTemplate")


def with_found_in_namespace(
    related: Observed, workload: Object, observed: Object | None, *, pull_secrets: bool
) -> Object:
    """A workload with what its pods get; the given one is left as it is.

    Args:
        related: the related objects of the request.
        workload: the Deployment or LeaderWorkerSet as it is asked for, without anything found.
        observed: the workload that is there, if there is one.
        pull_secrets: whether pull secrets are looked for.
    """
    templates = pod_templates(workload)
    is_asked = observed is not None and _stamp(observed) == _stamp(workload)
    # Server-side apply says nothing of what was applied, but then what is there is what is asked for.
    was = _applied(observed) or (observed if is_asked and observed else {})
    previous = _found_in(pod_templates(was), templates)
    if observed is not None and _serves(observed) and (is_asked or _is_unchanged(was, previous, workload)):
        return _with_templates(workload, previous)
    found = _found(related, name_of(workload)[0], templates, previous)
    return _with_templates(workload, found if pull_secrets else replace(found, pull_secrets=()))


def pull_secrets_in_namespace(pods: Iterable[Object], related: Observed, namespace: str) -> tuple[str, ...]:
    """The pull secrets of the namespace that fit the images of some pod specs, by the indexes among the related."""
    registries: dict[str, list[str]] = {}
    for index in related.all(CONFIG_MAP, namespace):
        if part(index["metadata"], "labels").get(labels.REGISTRY_INDEX) == "true":
            read = read_registry_index(index)
            registries.update([read] if read else [])
    return fitting({image for pod in pods for image in images_of(pod)}, registries)


def labelled_account(related: Observed, namespace: str) -> str | None:
    """The first ServiceAccount of the namespace, by name, that is labelled for the pods of components."""
    for account in related.all(SERVICE_ACCOUNT, namespace):
        if part(account["metadata"], "labels").get(labels.COMPONENT_POD_ACCOUNT) == "true":
            return str(account["metadata"]["name"])
    return None


def pod_templates(workload: Object) -> list[Object]:
    """The pod templates of a Deployment, or of a LeaderWorkerSet: leader and worker."""
    spec = part(workload, "spec")
    found = [part(spec, "template"), *(part(part(spec, _GROUP), role) for role in _ROLES)]
    return [template for template in found if template]


def _found(related: Observed, namespace: str, templates: list[Object], previous: Found) -> Found:
    """What is there now. A kind that was not asked for proves nothing: then what was found before stays."""
    account, secrets = previous.service_account, previous.pull_secrets
    if related.asked(SERVICE_ACCOUNT):
        account = labelled_account(related, namespace)
    if related.asked(CONFIG_MAP):
        pods = [template["spec"] for template in templates]
        secrets = pull_secrets_in_namespace(pods, related, namespace)
    return Found(pull_secrets=secrets, service_account=account)


def _applied(workload: Object | None) -> Object:
    """A workload as it was last applied; empty where that is not known."""
    annotation = part((workload or {}).get("metadata", {}), "annotations").get(labels.LAST_APPLIED)
    try:
        applied: Any = orjson.loads(annotation or "{}")
    except orjson.JSONDecodeError:
        return {}
    return applied if isinstance(applied, dict) else {}


def _found_in(applied: list[Object], templates: list[Object]) -> Found:
    """What stands in applied templates beyond what is asked for."""
    account = None
    secrets: set[str] = set()
    for was, template in zip(applied, templates, strict=False):
        asked = template["spec"]
        there = part(was, "spec")
        own = {secret["name"] for secret in asked.get("imagePullSecrets", ())}
        names = [entry.get("name") for entry in there.get("imagePullSecrets") or () if isinstance(entry, dict)]
        secrets.update(name for name in names if isinstance(name, str) and name not in own)
        if not asked.get("serviceAccountName") and isinstance(there.get("serviceAccountName"), str):
            account = there["serviceAccountName"]
    return Found(pull_secrets=tuple(sorted(secrets)), service_account=account)


def _is_unchanged(was: Object, found: Found, workload: Object) -> bool:
    """Whether the templates of an applied workload are those that are asked for, with what was found.

    What a user takes out of his spec must not pass as found. The hash in the applied workload was taken without
    anything found, so it is that of what is left without it.
    """
    if pod_templates(was) != pod_templates(_with_templates(workload, found)):
        return False
    stamp = _stamp(was)
    if stamp is None or found == Found():
        return True
    bare = _with_templates(was, found, change=without_found)
    metadata = dict(part(bare, "metadata"))
    annotations = {key: value for key, value in part(metadata, "annotations").items() if key != labels.DESIRED_HASH}
    metadata.pop("annotations", None)
    bare["metadata"] = metadata | ({"annotations": annotations} if annotations else {})
    spec = {key: value for key, value in bare["spec"].items() if key != "replicas"}
    given = (bare["spec"].get("replicas"), workload["spec"].get("replicas"))
    specs = [spec, *(spec | {"replicas": replicas} for replicas in given if replicas is not None)]
    return any(desired_hash(bare | {"spec": spec}) == stamp for spec in specs)


def _stamp(workload: Object) -> object:
    return part(part(workload, "metadata"), "annotations").get(labels.DESIRED_HASH)


def _serves(workload: Object) -> bool:
    """Whether at least one replica of the current template is ready, and the roll-out is not stuck."""
    if workload.get("kind") == LEADER_WORKER_SET.kind:  # whose Progressing only says whether a roll-out is under way
        numbers = leader_worker_set_numbers(workload)
        return numbers.ready > numbers.total - numbers.updated
    numbers = deployment_numbers(workload)
    old = numbers.total - numbers.updated
    return numbers.ready > old and find_condition(workload, "Progressing")["status"] != "False"


def _with_templates(workload: Object, found: Found, change: Callable[[Object, Found], Object] = with_found) -> Object:
    spec = dict(workload["spec"])
    if "template" in spec:
        spec["template"] = change(spec["template"], found)
    group = spec.get(_GROUP)
    if group:
        spec[_GROUP] = group | {role: change(group[role], found) for role in _ROLES if role in group}
    return {**workload, "spec": spec}
