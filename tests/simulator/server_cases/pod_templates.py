"""What may be in a pod: shown on Deployments, since most pods come from one."""

from objects import ABSENT, deployment

_MOUNT = {"name": "v", "mountPath": "/v"}
_VOLUME = {"name": "v", "emptyDir": {}}
_HTTP = {"httpGet": {"port": 80}}


def _env(**variable):
    return deployment({"env": [{"name": "A", **variable}]})


def _port(*ports):
    return deployment({"ports": list(ports)})


def _volume(**source):
    return deployment({"volumeMounts": [_MOUNT]}, volumes=[{"name": "v", **source}])


def _resources(**resources):
    return deployment({"resources": resources})


def _affinity(**affinity):
    return deployment(affinity=affinity)


CREATED = {
    "a container's defaults": deployment(),
    "an image without a tag is pulled always": deployment({"image": "repo:5000/image"}),
    "latest is pulled always": deployment({"image": "image:latest"}),
    "a digest is pulled once": deployment({"image": "image@sha256:" + "a" * 64}),
    "zeros of plain fields are dropped, those of pointers stay": deployment(
        {
            "args": [],
            "command": [],
            "env": [{"name": "A", "value": ""}],
            "envFrom": [{"prefix": "", "secretRef": {"name": "s", "optional": False}}],
            "stdin": False,
            "tty": False,
            "workingDir": "",
            "securityContext": {"privileged": False, "runAsUser": 0, "runAsNonRoot": False},
            "volumeMounts": [{"name": "v", "mountPath": "/v", "readOnly": False, "subPath": ""}],
        },
        volumes=[{"name": "v", "secret": {"secretName": "s", "optional": False, "defaultMode": 0}}],
        hostNetwork=False,
        hostPID=False,
        hostname="",
        nodeSelector={},
        tolerations=[{"key": "k", "operator": "Exists", "value": "", "tolerationSeconds": None}],
        terminationGracePeriodSeconds=0,
        automountServiceAccountToken=False,
        enableServiceLinks=False,
        shareProcessNamespace=False,
        priorityClassName="",
        imagePullSecrets=[],
        hostAliases=[],
        securityContext={"runAsNonRoot": False, "fsGroup": 0, "supplementalGroups": []},
        spec={"replicas": 0, "minReadySeconds": 0, "paused": False, "revisionHistoryLimit": 0},
    ),
    "nulls count as absent": deployment(
        {"args": None, "resources": None, "livenessProbe": None, "ports": None, "env": [{"name": "A", "value": None}]},
        volumes=None,
        securityContext=None,
        nodeSelector=None,
        spec={"strategy": None, "replicas": None},
        metadata={"annotations": None},
    ),
    "empty maps and objects": deployment(
        {"resources": {"limits": {}, "requests": {}}, "securityContext": {"capabilities": {"add": []}}},
        affinity={"nodeAffinity": {}},
        metadata={"annotations": {}, "labels": {}, "finalizers": [], "ownerReferences": []},
    ),
    "probes get their numbers": deployment(
        {
            "livenessProbe": {"httpGet": {"port": "http", "path": "live"}, "timeoutSeconds": 0},
            "readinessProbe": {"exec": {"command": ["true"]}, "periodSeconds": 5},
            "startupProbe": {"grpc": {"port": 9}},
        }
    ),
    "a tcp probe and header": deployment(
        {
            "livenessProbe": {"tcpSocket": {"port": 80}, "terminationGracePeriodSeconds": 1},
            "readinessProbe": {"httpGet": {"port": 80, "httpHeaders": [{"name": "H", "value": ""}]}},
        }
    ),
    "variables from elsewhere": deployment(
        {
            "env": [
                {"name": "NAME", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "CPU", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu"}}},
                {"name": "SOME", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "1000m"}}},
                {"name": "KEY", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
                {"name": "odd.name-1", "value": "x"},
                {"name": "A", "value": "1"},
                {"name": "A", "value": "2"},
            ]
        }
    ),
    "volumes of every sort": deployment(
        volumes=[
            {"name": "nothing"},
            {"name": "memory", "emptyDir": {"medium": "Memory", "sizeLimit": "8192Mi"}},
            {"name": "config", "configMap": {"name": "c", "items": [{"key": "k", "path": "p", "mode": 0}]}},
            {"name": "claim", "persistentVolumeClaim": {"claimName": "c", "readOnly": False}},
            {"name": "host", "hostPath": {"path": "/dev"}},
            {"name": "image", "image": {"reference": "a:1"}},
            {"name": "pod", "downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
            {
                "name": "all",
                "projected": {
                    "sources": [
                        {"serviceAccountToken": {"path": "t"}},
                        {"configMap": {"name": "c"}},
                        {"secret": {"name": "s", "optional": True}},
                    ]
                },
            },
            {
                "name": "own",
                "ephemeral": {
                    "volumeClaimTemplate": {
                        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1024Mi"}}}
                    }
                },
            },
        ]
    ),
    "requests and limits in canonical form": _resources(
        limits={"cpu": "1000m", "memory": "1024Mi", "nvidia.com/gpu": 1}, requests={"cpu": 0.5, "nvidia.com/gpu": "1"}
    ),
    "a number finer than thousandths is rounded up": _resources(requests={"cpu": "0.0001"}),
    "a side container": deployment(
        initContainers=[{"name": "side", "image": "i:1", "restartPolicy": "Always", "ports": [{"containerPort": 1}]}]
    ),
    "tolerations, spread and affinity": deployment(
        tolerations=[{"key": "nvidia.com/gpu", "effect": "NoSchedule"}, {"operator": "Exists"}],
        topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}],
        affinity={
            "podAntiAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {"weight": 1, "podAffinityTerm": {"topologyKey": "host", "labelSelector": {}}}
                ]
            },
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]}]
                }
            },
        },
    ),
    "host network ports": deployment({"ports": [{"containerPort": 80}]}, hostNetwork=True),
    "life cycle": deployment(
        {"lifecycle": {"preStop": {"exec": {"command": ["a"]}}, "postStart": {"httpGet": {"port": 1}}}}
    ),
    "a service account has two names": deployment(serviceAccountName="someone"),
    "only the deprecated name of the account": deployment(serviceAccount="someone"),
    "an image with spaces": deployment({"image": " a:1"}),
    "a grace period less than nothing": deployment(terminationGracePeriodSeconds=-1),
    "a pull secret without a name": deployment(imagePullSecrets=[{}]),
    "an init container that restarts sometimes": deployment(
        initContainers=[{"name": "i", "image": "i", "restartPolicy": "OnFailure"}]
    ),
    "unknown fields are dropped": deployment({"imagePullPolice": "Always"}, replicaz=1, spec={"strategie": {}}),
}

REFUSED = {
    "no containers": deployment(spec={"template": {"spec": {"containers": []}}}),
    "containers missing": deployment(spec={"template": {"spec": {"containers": ABSENT}}}),
    "no image": deployment({"image": ABSENT}),
    "no name": deployment({"name": ABSENT}),
    "a name in capitals": deployment({"name": "Main"}),
    "a name too long": deployment({"name": "a" * 64}),
    "two containers of one name": deployment(
        spec={"template": {"spec": {"containers": [{"name": "a", "image": "b"}, {"name": "a", "image": "b"}]}}}
    ),
    "an init container of the same name": deployment(initContainers=[{"name": "main", "image": "i"}]),
    "an unknown pull policy": deployment({"imagePullPolicy": "Sometimes"}),
    "an unknown termination message policy": deployment({"terminationMessagePolicy": "x"}),
    "a variable without a name": _env(name=""),
    "a variable whose name has a =": _env(name="A=B"),
    "a variable with two values": _env(value="1", valueFrom={"secretKeyRef": {"name": "s", "key": "k"}}),
    "a variable from nowhere": _env(valueFrom={}),
    "a variable from two places": _env(
        valueFrom={"secretKeyRef": {"name": "s", "key": "k"}, "fieldRef": {"fieldPath": "metadata.name"}}
    ),
    "a variable from an unknown field": _env(valueFrom={"fieldRef": {"fieldPath": "spec.nothing"}}),
    "a variable from an unknown resource": _env(valueFrom={"resourceFieldRef": {"resource": "limits.nothing"}}),
    "a key missing": _env(valueFrom={"secretKeyRef": {"name": "s"}}),
    "an impossible key": _env(valueFrom={"configMapKeyRef": {"name": "s", "key": "a b"}}),
    "variables from nowhere": deployment({"envFrom": [{}]}),
    "variables from two places": deployment({"envFrom": [{"secretRef": {"name": "a"}, "configMapRef": {"name": "b"}}]}),
    "variables from nobody": deployment({"envFrom": [{"secretRef": {}}]}),
    "port zero": _port({"containerPort": 0}),
    "port missing": _port({"name": "x"}),
    "a port too high": _port({"containerPort": 70000}),
    "two ports of one name": _port({"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}),
    "a port's name too long": _port({"containerPort": 1, "name": "a-very-long-port-name"}),
    "a port's name in capitals": _port({"containerPort": 1, "name": "Http"}),
    "a port's name of digits": _port({"containerPort": 1, "name": "80"}),
    "an unknown protocol": _port({"containerPort": 1, "protocol": "tcp"}),
    "a host port twice": _port({"containerPort": 1, "hostPort": 5}, {"containerPort": 2, "hostPort": 5}),
    "host network with another host port": deployment(
        {"ports": [{"containerPort": 1, "hostPort": 2}]}, hostNetwork=True
    ),
    "a mount of an unknown volume": deployment({"volumeMounts": [_MOUNT]}),
    "a mount without a path": deployment({"volumeMounts": [{"name": "v"}]}, volumes=[_VOLUME]),
    "a mount without a name": deployment({"volumeMounts": [{"mountPath": "/v"}]}, volumes=[_VOLUME]),
    "two mounts on one path": deployment(
        {"volumeMounts": [_MOUNT, {"name": "w", "mountPath": "/v"}]}, volumes=[_VOLUME, {"name": "w"}]
    ),
    "a sub path that climbs": deployment({"volumeMounts": [{**_MOUNT, "subPath": "../x"}]}, volumes=[_VOLUME]),
    "an absolute sub path": deployment({"volumeMounts": [{**_MOUNT, "subPath": "/x"}]}, volumes=[_VOLUME]),
    "two volumes of one name": deployment(volumes=[_VOLUME, _VOLUME]),
    "a volume without a name": deployment(volumes=[{"emptyDir": {}}]),
    "a volume's name in capitals": deployment(volumes=[{"name": "V"}]),
    "a volume from two places": _volume(emptyDir={}, secret={"secretName": "s"}),
    "a claim without a name": _volume(persistentVolumeClaim={}),
    "a secret without a name": _volume(secret={}),
    "a config map without a name": _volume(configMap={}),
    "a host path without a path": _volume(hostPath={}),
    "an item that climbs": _volume(configMap={"name": "c", "items": [{"key": "k", "path": "../p"}]}),
    "an item without a path": _volume(configMap={"name": "c", "items": [{"key": "k"}]}),
    "a mode too large": _volume(secret={"secretName": "s", "defaultMode": 1000}),
    "a token without a path": _volume(projected={"sources": [{"serviceAccountToken": {}}]}),
    "a token too short": _volume(
        projected={"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 5}}]}
    ),
    "more requested than allowed": _resources(limits={"cpu": 1}, requests={"cpu": 2}),
    "GPUs requested without a limit": _resources(requests={"nvidia.com/gpu": 1}),
    "GPUs requested and limited differently": _resources(limits={"nvidia.com/gpu": 2}, requests={"nvidia.com/gpu": 1}),
    "half a GPU": _resources(limits={"nvidia.com/gpu": "500m"}),
    "less than nothing": _resources(limits={"cpu": "-1"}),
    "a resource that is none": _resources(limits={"gpu": 1}),
    "a resource's name that is none": _resources(limits={"nvidia.com/gpu!": 1}),
    "resources of an unknown claim": _resources(claims=[{"name": "c"}]),
    "a probe that does nothing": deployment({"livenessProbe": {"periodSeconds": 1}}),
    "a probe that does two things": deployment({"livenessProbe": {**_HTTP, "exec": {"command": ["a"]}}}),
    "a probe without a port": deployment({"livenessProbe": {"httpGet": {"path": "/"}}}),
    "a probe's port too high": deployment({"livenessProbe": {"httpGet": {"port": 70000}}}),
    "a probe's port with a bad name": deployment({"livenessProbe": {"httpGet": {"port": "My Port"}}}),
    "a probe with an unknown scheme": deployment({"livenessProbe": {"httpGet": {"port": 1, "scheme": "http"}}}),
    "a probe without a command": deployment({"livenessProbe": {"exec": {}}}),
    "a probe less than never": deployment({"readinessProbe": {**_HTTP, "periodSeconds": -1, "timeoutSeconds": -1}}),
    "liveness twice in a row": deployment({"livenessProbe": {**_HTTP, "successThreshold": 2}}),
    "startup twice in a row": deployment({"startupProbe": {**_HTTP, "successThreshold": 2}}),
    "readiness with a grace period": deployment({"readinessProbe": {**_HTTP, "terminationGracePeriodSeconds": 1}}),
    "a probe of an init container": deployment(initContainers=[{"name": "i", "image": "i", "readinessProbe": _HTTP}]),
    "a hook that does nothing": deployment({"lifecycle": {"preStop": {}}}),
    "another restart policy": deployment(restartPolicy="Never"),
    "an unknown DNS policy": deployment(dnsPolicy="x"),
    "an account's name in capitals": deployment(serviceAccountName="Me"),
    "a node label that is none": deployment(nodeSelector={"a": "b c"}),
    "a toleration with an unknown operator": deployment(tolerations=[{"key": "a", "operator": "Has"}]),
    "a toleration with an unknown effect": deployment(tolerations=[{"key": "a", "effect": "No"}]),
    "a toleration of everything equal": deployment(tolerations=[{"operator": "Equal"}]),
    "a toleration that exists with a value": deployment(tolerations=[{"key": "a", "operator": "Exists", "value": "b"}]),
    "a toleration for a while of no eviction": deployment(
        tolerations=[{"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}]
    ),
    "a weight out of range": _affinity(
        podAffinity={
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 0, "podAffinityTerm": {"topologyKey": "a"}}]
        }
    ),
    "affinity without a topology key": _affinity(
        podAffinity={"requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {}}]}
    ),
    "node affinity without terms": _affinity(
        nodeAffinity={"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}
    ),
    "node affinity with an unknown operator": _affinity(
        nodeAffinity={
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Is", "values": ["b"]}]}]
            }
        }
    ),
    "node affinity in nothing": _affinity(
        nodeAffinity={
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]
            }
        }
    ),
    "pod affinity with an unknown operator": _affinity(
        podAffinity={
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"topologyKey": "a", "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}
            ]
        }
    ),
    "no skew": deployment(
        topologySpreadConstraints=[{"maxSkew": 0, "topologyKey": "a", "whenUnsatisfiable": "DoNotSchedule"}]
    ),
    "an unknown spread": deployment(
        topologySpreadConstraints=[{"maxSkew": 1, "topologyKey": "a", "whenUnsatisfiable": "x"}]
    ),
    "no time at all": deployment(activeDeadlineSeconds=0),
    "user minus one": deployment({"securityContext": {"runAsUser": -1}}),
    "group minus one": deployment(securityContext={"fsGroup": -1}),
    "privileged without escalation": deployment(
        {"securityContext": {"privileged": True, "allowPrivilegeEscalation": False}}
    ),
    "an unknown seccomp profile": deployment(securityContext={"seccompProfile": {"type": "x"}}),
    "seccomp without a type": deployment(securityContext={"seccompProfile": {}}),
    "an alias of no address": deployment(hostAliases=[{"ip": "nowhere"}]),
    "a priority by number": deployment(priorityClassName="Nope Class"),
    "a label that is none": deployment(labels={"app": "x", "a": "b c"}),
    "a working number": deployment({"workingDir": 1}),
    "a variable that is a number": _env(value=1),
    "a variable that is true": _env(value=True),
    "arguments that are a string": deployment({"args": "a b"}),
    "an argument that is a number": deployment({"args": ["a", 1]}),
    "containers as an object": deployment(spec={"template": {"spec": {"containers": {}}}}),
    "a pod spec that is a list": deployment(spec={"template": {"spec": []}}),
    "a grace period in quotes": deployment(terminationGracePeriodSeconds="30"),
    "a grace period and a half": deployment(terminationGracePeriodSeconds=1.5),
    "an integer with a point": deployment(terminationGracePeriodSeconds=30.0),
    "a port out of all range": _port({"containerPort": 3000000000}),
    "no quantity": _resources(limits={"cpu": "lots"}),
    "an unknown suffix": _resources(limits={"memory": "1ki"}),
    "an empty quantity": _resources(limits={"memory": ""}),
    "a node label that is a number": deployment(nodeSelector={"a": 1}),
}

UPDATED = {}
