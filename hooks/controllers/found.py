"""What the pods of a component get from their namespace: a ServiceAccount that is labelled for them.

A model that took an hour to load is not restarted for it: a workload that serves keeps what it has.
"""

from typing import Any

import orjson

from hooks import labels
from hooks.kinds import SERVICE_ACCOUNT
from hooks.pods.component import Component
from hooks.pods.template import Found, with_found
from hooks.protocol import Object, Observed, part
from hooks.status.conditions import find_condition
from hooks.status.readiness import deployment_numbers


def found_in_namespace(component: Component, related: Observed, template: Object, workload: Object | None) -> Found:
    """What the pods get.

    Args:
        component: the component.
        related: the related objects of the request.
        template: the pod template as it is asked for, without anything found.
        workload: the observed Deployment, if there is one.
    """
    applied = applied_template(workload)
    previous = _found_in(applied, template)
    if workload is not None and applied == with_found(template, previous) and _serves(workload):
        return previous
    if not related.asked(SERVICE_ACCOUNT):
        return Found(service_account=previous.service_account)
    return Found(service_account=labelled_account(related, component.namespace))


def labelled_account(related: Observed, namespace: str) -> str | None:
    """The first ServiceAccount of the namespace, by name, that is labelled for the pods of components."""
    for account in related.all(SERVICE_ACCOUNT, namespace):
        if part(account["metadata"], "labels").get(labels.COMPONENT_POD_ACCOUNT) == "true":
            return str(account["metadata"]["name"])
    return None


def applied_template(workload: Object | None) -> Object:
    """The pod template that was last applied to a workload; empty where none is known."""
    annotation = part((workload or {}).get("metadata", {}), "annotations").get(labels.LAST_APPLIED)
    try:
        applied: Any = orjson.loads(annotation or "{}")
    except orjson.JSONDecodeError:
        return {}
    return part(part(applied, "spec"), "template") if isinstance(applied, dict) else {}


def _found_in(applied: Object, template: Object) -> Found:
    """What stands in an applied template that the asked-for one leaves open."""
    if template["spec"].get("serviceAccountName"):
        return Found()
    account = part(applied, "spec").get("serviceAccountName")
    return Found(service_account=account if isinstance(account, str) else None)


def _serves(workload: Object) -> bool:
    """Whether at least one replica of the current template is ready, and the roll-out is not stuck."""
    numbers = deployment_numbers(workload)
    old = numbers.total - numbers.updated
    return numbers.ready > old and find_condition(workload, "Progressing")["status"] != "False"
