"""Rules for names, label keys and label values, each worded as the API server words it.

Source: k8s.io/apimachinery `util/validation`. Every function returns what is wrong, nothing where all is well.
"""

import re

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SERVICE = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")

_LABEL_LENGTH = 63
_SUBDOMAIN_LENGTH = 253

_TOO_LONG = "must be no more than {} characters"
_LABEL_RULE = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_SERVICE_RULE = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN_RULE = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_QUALIFIED_RULE = (
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


def dns_label_faults(name: str) -> list[str]:
    """A DNS-1123 label, as namespaces, containers and volumes are called."""
    return _faults(name, _LABEL, _LABEL_RULE, _LABEL_LENGTH)


def service_name_faults(name: str) -> list[str]:
    """A DNS-1035 label, as Services are called."""
    return _faults(name, _SERVICE, _SERVICE_RULE, _LABEL_LENGTH)


def subdomain_faults(name: str) -> list[str]:
    """A DNS-1123 subdomain, as most objects are called."""
    return _faults(name, _SUBDOMAIN, _SUBDOMAIN_RULE, _SUBDOMAIN_LENGTH)


def path_segment_faults(name: str) -> list[str]:
    """What may stand in a URL's path, as Roles and bindings are called."""
    if name in {".", ".."}:
        return [f"may not be '{name}'"]
    return [f"may not contain '{sign}'" for sign in "/%" if sign in name]


def label_value_faults(value: str) -> list[str]:
    """A label's value."""
    return _faults(value, _VALUE, _VALUE_RULE, _LABEL_LENGTH)


def qualified_name_faults(key: str) -> list[str]:
    """A label's or annotation's key: an optional prefix, a slash, a name."""
    parts = key.split("/")
    if len(parts) > 2:
        prefix_rule = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return ["a qualified name" + _QUALIFIED_RULE.removeprefix("name part") + prefix_rule]
    faults = []
    name = parts[-1]
    if len(parts) == 2:
        if not parts[0]:
            faults.append("prefix part must be non-empty")
        else:
            faults += [f"prefix part {fault}" for fault in subdomain_faults(parts[0])]
    if not name:
        faults.append("name part must be non-empty")
    elif len(name) > _LABEL_LENGTH:
        faults.append("name part " + _TOO_LONG.format(_LABEL_LENGTH))
    if not _QUALIFIED.fullmatch(name):
        faults.append(_QUALIFIED_RULE)
    return faults


def _faults(text: str, pattern: re.Pattern[str], rule: str, length: int) -> list[str]:
    faults = [] if len(text) <= length else [_TOO_LONG.format(length)]
    return faults if pattern.fullmatch(text) else [*faults, rule]
