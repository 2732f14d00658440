"""What became of each object in the course of a run, so that a disturbed run can be held against an undisturbed one."""

import json
import re
from collections import Counter, defaultdict

from hooks.simulator.store import ADDED, DELETED
from tests.chaos.graphs import BROKEN
from tests.controllers.test_request_histories import facts_are_kept, may_follow
from tests.simulator.scenarios.situations import GRAPH

REQUEST = "DynamoGraphDeploymentRequest"
COMING_AND_GOING = {"Pod", "ReplicaSet", "EndpointSlice", "Namespace"}
"""Kinds whose objects have names of chance, or that users make alone."""
WORKLOADS = {"Deployment", "LeaderWorkerSet"}
_UID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class History:
    """Keeps what became of each object, and whatever must never come to pass.

    `lives` is when an object came and went, `contents` its successive specs, `pods` how many were made of a template.
    """

    def __init__(self, cluster):
        self.cluster = cluster
        self.lives, self.contents = defaultdict(list), defaultdict(list)
        self.pods = Counter()
        self.gone = {}
        self.broken = []
        self._stillborn = set()
        self._statuses = {}
        self._secrets = {}
        cluster.store.watch(self._seen)

    def _seen(self, event, kind, item):
        metadata = item["metadata"]
        place = f"{kind.kind} {metadata.get('namespace', '')}/{metadata['name']}"
        if event == DELETED:
            self.gone[metadata["uid"]] = f"<{kind.kind}/{metadata['name']}, gone>"
        if self._is_stillborn(event, item):
            return
        if kind.kind == "Pod" and event == ADDED and BROKEN not in _text(item["spec"]):
            self.pods[_made_of(item)] += 1
        if kind.kind in COMING_AND_GOING:
            return
        if event in (ADDED, DELETED):
            self.lives[place].append("made" if event == ADDED else "gone")
        for what, content in self._content(kind.kind, item):
            told = self.contents[f"{what} of {place}"]
            if not told or told[-1] != content:
                told.append(content)
        if kind.kind == REQUEST and event != DELETED:
            self._check_request(item)
        if kind.kind == GRAPH and event != DELETED:
            self.broken += self._promises(item)

    def _is_stillborn(self, event, item):
        """Whether an object was made for an owner that goes or is gone: caches were late, and it is collected."""
        uid, owners = item["metadata"]["uid"], item["metadata"].get("ownerReferences") or ()
        if event == ADDED and any(self._goes(owner["uid"]) for owner in owners):
            self._stillborn.add(uid)
        return uid in self._stillborn

    def _goes(self, uid):
        key = self.cluster.store.by_uid(uid)
        if key is None or uid in self._stillborn:
            return True
        owner = self.cluster.store.find(key.kind.kind, key.name, key.namespace, key.kind.api_version)
        return "deletionTimestamp" in owner["metadata"]

    def _content(self, kind, item):
        if kind == "Secret":  # what is drawn at random is drawn once: the number of its versions is what counts
            versions = self._secrets.setdefault(item["metadata"]["uid"], [])
            if item.get("data") not in versions:
                versions.append(item.get("data"))
            yield "data", versions.index(item.get("data"))
            return
        spec = dict(item.get("spec") or {name: item[name] for name in ("data", "roleRef", "subjects") if name in item})
        for given in ("clusterIP", "clusterIPs"):
            spec.pop(given, None)
        replicas = spec.pop("replicas", None)
        if kind in WORKLOADS:
            yield "replicas", replicas
            for name in ("template", "leaderWorkerTemplate"):
                if name in spec:
                    yield "pods", _text(_without_pull_secrets(spec[name]))
        else:
            yield "spec", _text(spec)

    def _check_request(self, item):
        uid, status = item["metadata"]["uid"], item.get("status")
        before = self._statuses.get(uid, {})
        if status and status != before:
            if not may_follow(before, status):
                self.broken.append(f"a request went from {before.get('state')} to {status['state']}")
            if before and not facts_are_kept(before, status):
                self.broken.append(f"a request forgot what it knew: {before} and {status}")
            self._statuses[uid] = status

    def _promises(self, item):
        """What is not as a graph says that calls itself ready for its present spec."""
        status, metadata = item.get("status") or {}, item["metadata"]
        conditions = {entry["type"]: entry["status"] for entry in status.get("conditions") or ()}
        if conditions.get("Ready") != "True" or status.get("observedGeneration") != metadata["generation"]:
            return
        for key, wanted in item["spec"]["services"].items():
            found = self.cluster.store.find("Deployment", f"{metadata['name']}-{key.lower()}", metadata["namespace"])
            image = (wanted.get("extraPodSpec") or {}).get("mainContainer", {}).get("image")
            if found and image and found["spec"]["template"]["spec"]["containers"][0]["image"] != image:
                yield f"{metadata['name']} says it is ready, and {key} has not the image {image}"


def worse(undisturbed, disturbed):
    """What a disturbed run did to objects that the undisturbed one did not, as lines."""
    lines = list(disturbed.broken)
    for place, life in disturbed.lives.items():
        if not _within(life, undisturbed.lives.get(place, [])):
            lines.append(f"{place}: {', '.join(life)}; undisturbed: {', '.join(undisturbed.lives.get(place, []))}")
    for place, contents in disturbed.contents.items():
        expected = undisturbed.contents.get(place, [])
        if not _within(contents, expected):
            lines.append(f"{place} was otherwise than undisturbed: {_odd(contents, expected)}")
    for template, count in disturbed.pods.items():
        if count > undisturbed.pods[template]:
            named = " ".join(template[:2])
            lines.append(f"{count} pods of {named} were made of one template, undisturbed {undisturbed.pods[template]}")
    return lines


def _within(short, long):
    """Whether a sequence can be had from another one by leaving some of it out."""
    rest = iter(long)
    return all(entry in rest for entry in short)


def _odd(contents, expected):
    """What of some contents stands nowhere in others; what was there in another order, where everything does."""
    odd = [content for content in contents if content not in expected]
    if not odd:
        return " -> ".join(f"#{expected.index(content)}" for content in contents)
    return str(odd[0])[:1500]


def _text(value):
    return _UID.sub("<uid>", json.dumps(value, sort_keys=True))


def _without_pull_secrets(template):
    """A template, without the pull secrets of pods that cannot start: these may be tried again.

    A secret that has just gone may seem to come back for a moment: its index is made anew by one who has not heard yet.
    """
    if isinstance(template, dict) and BROKEN in _text(template):
        return {key: _without_pull_secrets(value) for key, value in template.items() if key != "imagePullSecrets"}
    return template


def _made_of(pod):
    labels = pod["metadata"].get("labels") or {}
    whose = labels.get("nvidia.com/selector") or labels.get("job-name") or ""
    containers = [
        {key: value for key, value in container.items() if key in ("name", "image", "command", "args", "env")}
        for container in pod["spec"]["containers"]
    ]
    return pod["metadata"]["namespace"], whose, _text(containers)
