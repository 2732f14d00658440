"""What a Job's `podFailurePolicy` makes of its failed pods.

Source: Kubernetes, "Handling retriable and non-retriable pod failures with Pod failure policy".
"""

from collections.abc import Iterable

from hooks.protocol import Object


def failure(item: Object, failed: Iterable[Object]) -> str | None:
    """Why a Job fails at once because of one of its failed pods; None where it does not."""
    for pod in failed:
        action, why = _verdict(item, pod)
        if action == "FailJob":
            return why
    return None


def counted(item: Object, failed: Iterable[Object]) -> int:
    """How many of a Job's failed pods count against its backoff limit."""
    return sum(_verdict(item, pod)[0] != "Ignore" for pod in failed)


def _verdict(item: Object, pod: Object) -> tuple[str, str]:
    """The action of the first rule that fits a failed pod, and why."""
    for index, rule in enumerate((item["spec"].get("podFailurePolicy") or {}).get("rules") or ()):
        container = _failed_container(rule, pod)
        if container is not None:
            code = container["state"]["terminated"]["exitCode"]
            whose = f"Container {container['name']} for pod {pod['metadata']['namespace']}/{pod['metadata']['name']}"
            return rule[
                "action"
            ], f"{whose} failed with exit code {code} matching {rule['action']} rule at index {index}"
        for wanted in rule.get("onPodConditions") or ():
            conditions = (pod.get("status") or {}).get("conditions") or ()
            if any((entry["type"], entry["status"]) == (wanted["type"], wanted["status"]) for entry in conditions):
                whose = f"Pod {pod['metadata']['namespace']}/{pod['metadata']['name']}"
                return rule["action"], f"{whose} has condition {wanted['type']} {_matching(rule, index)}"
    return "Count", ""


def _matching(rule: Object, index: int) -> str:
    return f"matching {rule['action']} rule at index {index}"


def _failed_container(rule: Object, pod: Object) -> Object | None:
    """The container whose exit code a rule is about; a code of 0 is about nothing."""
    wanted = rule.get("onExitCodes")
    if not wanted:
        return None
    for container in (pod.get("status") or {}).get("containerStatuses") or ():
        code = ((container.get("state") or {}).get("terminated") or {}).get("exitCode", 0)
        meant = wanted.get("containerName") in (None, container["name"])
        if meant and code and (code in wanted["values"]) == (wanted["operator"] == "In"):
            found: Object = container
            return found
    return None
