"""What the API server says of pod templates and pod specs as a whole."""

from collections.abc import Sequence

from hooks.protocol import Object
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.containers import containers_faults
from hooks.simulator.builtin.scheduling import scheduling_faults
from hooks.simulator.builtin.security import pod_security_faults
from hooks.simulator.builtin.volumes import volumes_faults
from hooks.simulator.errors import FieldError
from hooks.simulator.metadata import annotation_faults, label_faults

_DNS_POLICIES = ("ClusterFirstWithHostNet", "ClusterFirst", "Default", "None")
_RESTART_POLICIES = ("Always", "OnFailure", "Never")
_NAMES = ("serviceAccountName", "priorityClassName")


def share_names(pod: Object) -> None:
    """Give a pod spec's account both of its names, the deprecated one too, in place."""
    name = pod.get("serviceAccountName") or pod.get("serviceAccount")
    if name:
        pod["serviceAccountName"] = pod["serviceAccount"] = name


def template_faults(template: Object, where: str, known: Sequence[FieldError]) -> Faults:
    """A pod template, `known` being what was found as it was read."""
    metadata = template["metadata"]
    yield from label_faults(f"{where}.labels", metadata.get("labels", {}))
    yield from annotation_faults(f"{where}.annotations", metadata.get("annotations", {}))
    yield from pod_spec_faults(template["spec"], f"{where}.spec", known)


def pod_spec_faults(pod: Object, where: str, known: Sequence[FieldError]) -> Faults:
    """A pod spec."""
    faults, names = volumes_faults(pod, f"{where}.volumes", known)
    yield from faults
    yield from containers_faults(pod, where, names)
    yield from checks.one_of(f"{where}.restartPolicy", pod.get("restartPolicy"), _RESTART_POLICIES)
    yield from checks.one_of(f"{where}.dnsPolicy", pod.get("dnsPolicy"), _DNS_POLICIES)
    for key in _NAMES:
        if pod.get(key):
            yield from checks.subdomain(f"{where}.{key}", pod[key])
    for key in ("hostname", "subdomain"):
        if pod.get(key):
            yield from checks.dns_label(f"{where}.{key}", pod[key])
    yield from checks.between(f"{where}.activeDeadlineSeconds", pod.get("activeDeadlineSeconds"), 1, 2**31 - 1)
    yield from pod_security_faults(pod.get("securityContext", {}), f"{where}.securityContext")
    yield from scheduling_faults(pod, where)
    for index, alias in enumerate(pod.get("hostAliases", ())):
        if alias.get("ip"):
            yield from checks.address(f"{where}.hostAliases[{index}].ip", alias["ip"])
