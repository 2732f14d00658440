"""Deployments, ReplicaSets, StatefulSets and Jobs around their pod templates."""

from objects import ABSENT, deployment, job, made, merged, template

_REPLICA_SET = made("ReplicaSet", spec={"selector": {"matchLabels": {"app": "x"}}, "template": template()})
_STATEFUL_SET = made(
    "StatefulSet", spec={"selector": {"matchLabels": {"app": "x"}}, "template": template(), "serviceName": "x"}
)


def _deployment(**spec):
    return deployment(spec=spec)


def _strategy(**strategy):
    return deployment(spec={"strategy": strategy})


CREATED = {
    "Deployment: a strategy of numbers": _strategy(rollingUpdate={"maxSurge": 0, "maxUnavailable": 1}),
    "Deployment: recreate": _strategy(type="Recreate"),
    "Deployment: status is not the user's to give": deployment() | {"status": {"replicas": 3}},
    "Deployment: selector by expression": _deployment(
        selector={"matchLabels": ABSENT, "matchExpressions": [{"key": "app", "operator": "Exists"}]}
    ),
    "ReplicaSet": _REPLICA_SET,
    "StatefulSet": _STATEFUL_SET,
    "Job": job(),
    "Job: the same labels as its template": job(metadata={"labels": {"app": "x"}}),
    "Job: no labels at all": job(spec={"template": {"metadata": {"labels": None}}}),
    "Job: labels of its template and of its own": job(
        spec={"template": {"metadata": {"labels": {"app": "x"}}}}, metadata={"labels": {"own": "label"}}
    ),
    "Job: its zeros stay": job(
        spec={"backoffLimit": 0, "ttlSecondsAfterFinished": 0, "completions": 0, "suspend": False}
    ),
    "Job: parallelism alone": job(spec={"parallelism": 2}),
    "Job: indexed": job(spec={"completionMode": "Indexed", "completions": 2, "backoffLimitPerIndex": 1}),
    "Job: failure policy": job(
        spec={"podFailurePolicy": {"rules": [{"action": "FailJob", "onExitCodes": {"operator": "In", "values": [1]}}]}}
    ),
    "Job: never restarted, once on failure": job(restartPolicy="OnFailure"),
    "Job: a deadline": job(spec={"activeDeadlineSeconds": 10, "template": {"metadata": ABSENT}}),
}

REFUSED = {
    "Deployment: no spec": made("Deployment"),
    "Deployment: no selector": _deployment(selector=ABSENT),
    "Deployment: an empty selector": _deployment(selector={"matchLabels": ABSENT}),
    "Deployment: a selector of other pods": _deployment(selector={"matchLabels": {"app": "y"}}),
    "Deployment: an impossible selector": _deployment(selector={"matchLabels": {"app": "b c"}}),
    "Deployment: a selector with an unknown operator": _deployment(
        selector={"matchExpressions": [{"key": "app", "operator": "Is"}]}
    ),
    "Deployment: no template": _deployment(template=ABSENT),
    "Deployment: replicas less than none": _deployment(replicas=-1),
    "Deployment: replicas in quotes": _deployment(replicas="2"),
    "Deployment: replicas and a half": _deployment(replicas=1.5),
    "Deployment: too patient": _deployment(minReadySeconds=600),
    "Deployment: impatient": _deployment(progressDeadlineSeconds=0),
    "Deployment: less than no history": _deployment(revisionHistoryLimit=-1),
    "Deployment: an unknown strategy": _strategy(type="Canary"),
    "Deployment: recreate by rolling": _strategy(type="Recreate", rollingUpdate={"maxSurge": 1}),
    "Deployment: no room to roll": _strategy(rollingUpdate={"maxSurge": 0, "maxUnavailable": 0}),
    "Deployment: a surge that is no percentage": _strategy(rollingUpdate={"maxSurge": "many"}),
    "Deployment: more unavailable than all": _strategy(rollingUpdate={"maxUnavailable": "101%"}),
    "Deployment: a name in capitals": deployment(name="X"),
    "Deployment: a label value of spaces": deployment(metadata={"labels": {"a": "b c"}}),
    "Deployment: a label key of spaces": deployment(metadata={"labels": {"a b": "c"}}),
    "Deployment: a label key with two slashes": deployment(metadata={"labels": {"a/b/c": "d"}}),
    "Deployment: a label key with a strange prefix": deployment(
        metadata={"labels": {"A_/b": "d", "/c": "e", "f/": "g"}}
    ),
    "Deployment: a label that is a number": deployment(metadata={"labels": {"a": 1}}),
    "Deployment: an annotation that is a number": deployment(metadata={"annotations": {"a": 1}}),
    "Deployment: an annotation key of spaces": deployment(metadata={"annotations": {"a b": "c"}}),
    "Deployment: annotations too large": deployment(metadata={"annotations": {"a": "x" * 262145}}),
    "Deployment: labels that are a list": deployment(metadata={"labels": ["a"]}),
    "Deployment: an owner without uid": deployment(
        metadata={"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "c"}]}
    ),
    "Deployment: two controllers": deployment(
        metadata={
            "ownerReferences": [
                {"apiVersion": "v1", "kind": "ConfigMap", "name": n, "uid": n, "controller": True} for n in ("a", "b")
            ]
        }
    ),
    "Deployment: a finalizer that is none": deployment(metadata={"finalizers": ["a b"]}),
    "Deployment: no name": deployment(metadata={"name": ABSENT}),
    "ReplicaSet: replicas less than none": merged(_REPLICA_SET, {"spec": {"replicas": -1}}),
    "ReplicaSet: a selector of other pods": merged(_REPLICA_SET, {"spec": {"selector": {"matchLabels": {"app": "y"}}}}),
    "StatefulSet: a selector of other pods": merged(
        _STATEFUL_SET, {"spec": {"selector": {"matchLabels": {"app": "y"}}}}
    ),
    "Job: no template": made("Job", spec={}),
    "Job: restarted always": job(restartPolicy="Always"),
    "Job: restart policy left out": job(restartPolicy=None),
    "Job: retries less than none": job(spec={"backoffLimit": -1}),
    "Job: an impossible deadline": job(spec={"activeDeadlineSeconds": -1}),
    "Job: less than no time to live": job(spec={"ttlSecondsAfterFinished": -1}),
    "Job: completions less than none": job(spec={"completions": -1, "parallelism": -1}),
    "Job: a selector of its own": job(spec={"selector": {"matchLabels": {"app": "x"}}}),
    "Job: indexed without completions": job(spec={"completionMode": "Indexed", "parallelism": 1}),
    "Job: a name too long for its label": job(metadata={"name": "a" * 64}),
    "Job: an unknown mode": job(spec={"completionMode": "x"}),
}

UPDATED = {
    "Deployment: replicas": (deployment(), {"spec": {"replicas": 2}}),
    "Deployment: a label": (deployment(), {"metadata": {"labels": {"a": "b"}}}),
    "Deployment: an annotation": (deployment(), {"metadata": {"annotations": {"a": "b"}}}),
    "Deployment: an image": (deployment(), {"spec": {"template": template({"image": "repo/image:2"})}}),
    "Deployment: the same in other words": (
        deployment({"resources": {"limits": {"cpu": "1"}}}),
        {"spec": {"template": template({"resources": {"limits": {"cpu": "1000m"}}, "tty": False})}},
    ),
    "Deployment: its selector": (
        deployment(labels={"app": "x", "b": "c"}),
        {"spec": {"selector": {"matchLabels": {"b": "c"}}}},
    ),
    "Deployment: its status through the front door": (deployment(), {"status": {"replicas": 5}}),
    "ReplicaSet: its selector": (
        merged(_REPLICA_SET, {"spec": {"template": {"metadata": {"labels": {"b": "c"}}}}}),
        {"spec": {"selector": {"matchLabels": {"b": "c"}}}},
    ),
    "StatefulSet: its service": (_STATEFUL_SET, {"spec": {"serviceName": "y"}}),
    "Job: its image": (
        job(),
        {"spec": {"template": {"spec": {"containers": [{"name": "main", "image": "repo/image:2"}]}}}},
    ),
    "Job: its parallelism": (job(), {"spec": {"parallelism": 0}}),
    "Job: its completions": (job(), {"spec": {"completions": 4}}),
    "Job: its retries": (job(), {"spec": {"backoffLimit": 1}}),
    "Job: its deadline": (job(), {"spec": {"activeDeadlineSeconds": 100}}),
    "Job: its time to live": (job(), {"spec": {"ttlSecondsAfterFinished": 100}}),
    "Job: its labels": (job(), {"metadata": {"labels": {"a": "b"}}}),
}
