"""Rules for names, label keys and label values, each worded as the API server words it.

Source: k8s.io/apimachinery `util/validation`. Every function returns what is wrong, nothing where all is well.
"""

import re

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_SERVICE = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_VALUE = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?")
_KEY = re.compile(r"[-._a-zA-Z0-9]+")

LABEL_LENGTH = 63
SUBDOMAIN_LENGTH = 253

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
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric "
    "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_RULE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_KEY_RULE = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)


def dns_label_faults(name: str) -> list[str]:
    """A DNS-1123 label, as namespaces, containers and volumes are called."""
    if "." in name:
        return ["must not contain dots"]
    return _faults(name, _LABEL, _LABEL_RULE, LABEL_LENGTH)


def service_name_faults(name: str) -> list[str]:
    """A DNS-1035 label, as Services are called."""
    return _faults(name, _SERVICE, _SERVICE_RULE, LABEL_LENGTH)


def subdomain_faults(name: str) -> list[str]:
    """A DNS-1123 subdomain, as most objects are called."""
    return _faults(name, _SUBDOMAIN, _SUBDOMAIN_RULE, SUBDOMAIN_LENGTH)


def path_segment_faults(name: str) -> list[str]:
    """What may stand in a URL's path, as Roles and bindings are called."""
    if name in {".", ".."}:
        return [f"may not be '{name}'"]
    return [f"may not contain '{sign}'" for sign in "/%" if sign in name]


def label_value_faults(value: str) -> list[str]:
    """A label's value."""
    if len(value) > LABEL_LENGTH:
        return [f"must be no more than {LABEL_LENGTH} bytes"]
    return _faults(value, _VALUE, _VALUE_RULE, LABEL_LENGTH)


def config_key_faults(key: str) -> list[str]:
    """A key of a ConfigMap or Secret."""
    if key in {".", ".."}:
        return [f"must not be '{key}'"]
    if key.startswith(".."):
        return ["must not start with '..'"]
    return _faults(key, _KEY, _KEY_RULE, SUBDOMAIN_LENGTH)


def qualified_name_faults(key: str) -> list[str]:
    """A label's or annotation's key: an optional prefix, a slash, a name."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        prefix_rule = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [f"a valid label key {_QUALIFIED_RULE} {prefix_rule}"]
    faults = []
    if slash and not prefix:
        faults.append("prefix part must be non-empty")
    elif len(prefix) > SUBDOMAIN_LENGTH:
        faults.append(f"prefix part must be no more than {SUBDOMAIN_LENGTH} bytes")
    elif slash:
        faults += [f"prefix part {fault}" for fault in subdomain_faults(prefix)]
    if not name:
        faults.append("name part must be non-empty")
    elif len(name) > LABEL_LENGTH:
        faults.append(f"name part must be no more than {LABEL_LENGTH} bytes")
    if not _QUALIFIED.fullmatch(name):
        faults.append(f"name part {_QUALIFIED_RULE}")
    return faults


def _faults(text: str, pattern: re.Pattern[str], rule: str, length: int) -> list[str]:
    faults = [] if len(text) <= length else [f"must be no more than {length} characters"]
    return faults if pattern.fullmatch(text) else [*faults, rule]
