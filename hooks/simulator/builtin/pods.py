"""Pods themselves."""

from collections.abc import Iterable, Sequence

from typing_extensions import override

from hooks.protocol import Kind, Object
from hooks.simulator.builtin.pod_specs import pod_spec_faults, share_names
from hooks.simulator.builtin.quality_of_service import quality_of_service
from hooks.simulator.builtin.ways import BuiltIn, immutable
from hooks.simulator.errors import FieldError, forbidden, forbidden_field, invalid_value
from hooks.simulator.resources import Lookup

_MUTABLE = ("activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds")
_RULE = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_UNREACHABLE = ("node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable")


class PodWays(BuiltIn):
    """Pods. The volume with the account's token, which a cluster adds, is left out: nothing here reads it."""

    @override
    def complete(self, item: Object) -> None:
        pod = item["spec"]
        for container in [*(pod.get("containers") or ()), *pod.get("initContainers", ())]:
            resources = container["resources"]
            if "limits" in resources:
                resources["requests"] = {**resources["limits"], **resources.get("requests", {})}
        pod.setdefault("enableServiceLinks", True)

    @override
    def prepare(self, item: Object, old: Object | None, store: Lookup) -> None:
        """Account, priority and tolerations of a new one.

        Raises:
            ApiError: its account does not exist (Forbidden).
        """
        if old is not None:
            return
        pod, metadata = item["spec"], item["metadata"]
        pod.setdefault("serviceAccountName", pod.get("serviceAccount", "default"))
        share_names(pod)
        account, namespace = pod["serviceAccountName"], metadata.get("namespace", "")
        if store.find("ServiceAccount", account, namespace) is None:
            why = f'error looking up service account {namespace}/{account}: serviceaccount "{account}" not found'
            # Admission comes before a name is generated.
            name = metadata.get("generateName") or metadata.get("name", "")
            raise forbidden(Kind("Pod", "v1", "pods"), name, why)
        pod.setdefault("priority", 0)
        pod.setdefault("preemptionPolicy", "PreemptLowerPriority")
        tolerated = {toleration.get("key") for toleration in pod.get("tolerations", ())}
        for key in _UNREACHABLE:
            if key not in tolerated and None not in tolerated:
                toleration = {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
                pod.setdefault("tolerations", []).append(toleration)
        item["status"] = {"phase": "Pending", "qosClass": quality_of_service(pod)}

    @override
    def with_status(self, old: Object, given: Object) -> Object:
        made = super().with_status(old, given)
        made["status"] = {"qosClass": old["status"]["qosClass"], **made.get("status", {})}
        return made

    @override
    def status_faults(self, item: Object, old: Object) -> Sequence[FieldError]:
        found = item["status"]["qosClass"]
        return [] if found == old["status"]["qosClass"] else [immutable("status.qosClass", found)]

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        return [*pod_spec_faults(item["spec"], "spec", known), *_image_faults(item["spec"])]

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        return [] if _fixed(item["spec"]) == _fixed(old["spec"]) else [forbidden_field("spec", _RULE)]


def _image_faults(pod: Object) -> Iterable[FieldError]:
    """What is let pass in the template of a Deployment or Job."""
    for key in ("containers", "initContainers"):
        for index, container in enumerate(pod.get(key) or ()):
            image = container.get("image", "")
            if image != image.strip():
                rule = "must not have leading or trailing whitespace"
                yield invalid_value(f"spec.{key}[{index}].image", image, rule)


def _fixed(pod: Object) -> Object:
    fixed = {key: value for key, value in pod.items() if key not in _MUTABLE}
    for key in ("containers", "initContainers"):
        fixed[key] = [{**container, "image": ""} for container in pod.get(key) or ()]
    return fixed
