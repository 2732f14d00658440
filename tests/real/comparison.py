"""What a scenario came to on two stores, without what differs from run to run, and how it differs."""

import difflib
import json
import re
from collections import defaultdict

import yaml

from hooks.simulator.snapshot import snapshot, stripped
from hooks.simulator.workloads.endpoints import SLICE, address

_ADDRESS = re.compile(r"10\.96\.\d+\.\d+")
_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_TOKEN = "kube-api-access-"


def comparable(store, gone):
    """A store's objects, as `snapshot` has them, with generated names and addresses numbered by what they name.

    Args:
        store: whose objects.
        gone: the uids of objects that are no longer there, and what they were, for those who still tell of them.
    """
    pods = {item["metadata"]["uid"]: item["metadata"]["name"] for item in store.list("Pod")}
    text = json.dumps(snapshot(store))
    for uid, name in pods.items():
        text = re.sub(rf"(?<![\d.]){re.escape(address(uid))}(?![\d.])", f"address of {name}", text)
    text = _UID.sub(lambda match: gone.get(match[0], match[0]), text)
    found = json.loads(_ADDRESS.sub("an address", text))
    for kind in ("Pod.v1", SLICE.key):
        found = _renamed(found, kind)
    for item in found.get("Pod.v1", {}).values():
        _forget_token(item)
    return found


def plain(item):
    """One object, as it stands in `comparable`."""
    uid = item["metadata"].get("uid", "no uid")
    text = json.dumps(stripped(item, {uid: "<uid>"}))
    return json.loads(_ADDRESS.sub("an address", text))


def differences(expected, found):
    """How two snapshots differ, as lines that people read; nothing where they do not."""
    if _exactly(expected) == _exactly(found):
        return ""
    lines = difflib.unified_diff(_lines(expected), _lines(found), "embedded", "real", lineterm="", n=4)
    return "\n".join(lines)


def object_differences(expected, found):
    """As `differences`, of two objects that are the same one."""
    return differences({"": {"": expected}}, {"": {"": found}})


def _exactly(found):
    """Text that is another one where 1 stands for 1.0 or true: making lines takes long, and they seldom differ."""
    return json.dumps(found, sort_keys=True)


def _lines(found):
    """A line for each object and field, in YAML, each kind and object under its own head."""
    lines = []
    for kind, items in sorted(found.items()):
        for name, item in sorted(items.items()):
            head = f"{kind} {name}"
            lines += [f"{head}: {line}" for line in yaml.safe_dump(item, width=1000).splitlines()]
    return lines


def _renamed(found, kind):
    """Give the objects of a kind whose names were generated numbers in their place, in the order of their content."""
    by_prefix = defaultdict(list)
    for key, item in found.get(kind, {}).items():
        prefix = item["metadata"].get("generateName")
        if prefix:
            content = json.dumps(item, sort_keys=True).replace(item["metadata"]["name"], "")
            by_prefix[key.rpartition("/")[0], prefix].append((content, item["metadata"]["name"]))
    text = json.dumps(found)
    for (_, prefix), named in by_prefix.items():
        for number, (_, name) in enumerate(sorted(named)):
            text = re.sub(rf"(?<![a-z0-9-]){re.escape(name)}(?![a-z0-9-])", f"{prefix}<{number}>", text)
    return _in_order(json.loads(text))


def _in_order(value):
    """Endpoints are in the order of their pods' names: once those are numbers, it has to be found anew."""
    if isinstance(value, list):
        return [_in_order(item) for item in value]
    if isinstance(value, dict):
        made = {key: _in_order(item) for key, item in value.items()}
        if isinstance(made.get("endpoints"), list):
            made["endpoints"].sort(key=lambda entry: json.dumps(entry, sort_keys=True))
        return made
    return value


def _forget_token(pod):
    """Take the token of its account off a pod: the embedded cluster leaves it out."""
    spec = pod["spec"]
    spec["volumes"] = [volume for volume in spec.get("volumes", ()) if not volume["name"].startswith(_TOKEN)]
    for container in [*spec["containers"], *spec.get("initContainers", ())]:
        mounts = container.get("volumeMounts", ())
        container["volumeMounts"] = [mount for mount in mounts if not mount["name"].startswith(_TOKEN)]
