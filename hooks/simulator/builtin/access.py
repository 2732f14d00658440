"""Roles and their bindings."""

from collections.abc import Mapping, Sequence

from typing_extensions import override

from hooks.protocol import Object
from hooks.simulator import naming
from hooks.simulator.builtin import checks
from hooks.simulator.builtin.checks import Faults
from hooks.simulator.builtin.ways import BuiltIn
from hooks.simulator.errors import FieldError, invalid_value, required, unsupported

_GROUP = "rbac.authorization.k8s.io"
_SUBJECT_GROUPS: Mapping[str, str] = {"ServiceAccount": "", "User": _GROUP, "Group": _GROUP}


class RoleWays(BuiltIn):
    """Roles and ClusterRoles."""

    @override
    def name_faults(self, name: str) -> list[str]:
        return naming.path_segment_faults(name)

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        namespaced = item["kind"] == "Role"
        rules = enumerate(item["rules"] or ())
        return [
            fault for index, rule in rules for fault in _rule_faults(rule, f"rules[{index}]", namespaced=namespaced)
        ]


def _rule_faults(rule: Object, where: str, *, namespaced: bool) -> Faults:
    if not rule.get("verbs"):
        yield required(f"{where}.verbs", "verbs must contain at least one value")
    if rule.get("nonResourceURLs"):
        if namespaced:
            detail = "namespaced rules cannot apply to non-resource URLs"
            yield invalid_value(f"{where}.nonResourceURLs", rule["nonResourceURLs"], detail)
        return
    if not rule.get("apiGroups"):
        yield required(f"{where}.apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield required(f"{where}.resources", "resource rules must supply at least one resource")


class RoleBindingWays(BuiltIn):
    """RoleBindings and ClusterRoleBindings, whose role never changes."""

    @override
    def name_faults(self, name: str) -> list[str]:
        return naming.path_segment_faults(name)

    @override
    def judge(self, item: Object, known: Sequence[FieldError]) -> Sequence[FieldError]:
        del known
        role = item["roleRef"]
        roles = ["Role", "ClusterRole"] if item["kind"] == "RoleBinding" else ["ClusterRole"]
        found = []
        if role["apiGroup"] != _GROUP:
            found.append(unsupported("roleRef.apiGroup", role["apiGroup"], [_GROUP]))
        if role.get("kind", "") not in roles:
            found.append(unsupported("roleRef.kind", role.get("kind", ""), roles))
        for index, subject in enumerate(item.get("subjects", ())):
            found += _subject_faults(subject, f"subjects[{index}]", namespaced=item["kind"] == "RoleBinding")
        return found

    @override
    def compare(self, item: Object, old: Object) -> Sequence[FieldError]:
        role = item["roleRef"]
        return [] if role == old["roleRef"] else [invalid_value("roleRef", role, "cannot change roleRef")]


def _subject_faults(subject: Object, where: str, *, namespaced: bool) -> Faults:
    kind, group = subject.get("kind", ""), subject.get("apiGroup", "")
    if kind not in _SUBJECT_GROUPS:
        yield unsupported(f"{where}.kind", kind, _SUBJECT_GROUPS)
    elif group != _SUBJECT_GROUPS[kind]:
        yield unsupported(f"{where}.apiGroup", group, [_SUBJECT_GROUPS[kind]])
    elif kind == "ServiceAccount":
        if subject.get("name"):
            yield from checks.subdomain(f"{where}.name", subject["name"])
        if not subject.get("namespace") and not namespaced:
            yield required(f"{where}.namespace")
