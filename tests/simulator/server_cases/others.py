"""Services, autoscalers, Ingresses, claims, configuration, accounts and rights."""

from objects import ABSENT, autoscaler, claim, ingress, made, merged, service

_RBAC = "rbac.authorization.k8s.io"
_ROLE_REF = {"apiGroup": _RBAC, "kind": "ClusterRole", "name": "r"}
_ACCOUNT = {"kind": "ServiceAccount", "name": "a", "namespace": "b"}
_BINDING = made("RoleBinding", roleRef=_ROLE_REF, subjects=[_ACCOUNT])
_RULE = {"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}
_SLICE = made("EndpointSlice", addressType="IPv4", endpoints=[{"addresses": ["10.0.0.1"]}], ports=[{"port": 80}])
_EVENT = made(
    "Event",
    involvedObject={"kind": "Pod", "name": "x", "namespace": "recorded"},
    reason="R",
    message="m",
    type="Normal",
)


def _metric(**metric):
    return autoscaler(metrics=[metric])


def _resource_metric(**target):
    return _metric(type="Resource", resource={"name": "cpu", "target": target})


CREATED = {
    "Service": service(),
    "Service: headless": service(clusterIP="None", publishNotReadyAddresses=False),
    "Service: headless without ports": service(clusterIP="None", ports=ABSENT),
    "Service: ports by name": service(
        ports=[{"port": 80, "targetPort": "http", "name": "a"}, {"port": 81, "name": "b"}]
    ),
    "Service: one port, two protocols": service(
        ports=[{"port": 53, "name": "a"}, {"port": 53, "protocol": "UDP", "name": "b"}]
    ),
    "Service: by name alone": made("Service", spec={"type": "ExternalName", "externalName": "a.example.com"}),
    "Service: sticky": service(sessionAffinity="ClientIP"),
    "Service: without selector": service(selector=ABSENT),
    "HPA": autoscaler(),
    "HPA: one replica and no more": autoscaler(minReplicas=1, maxReplicas=1),
    "HPA: metrics": autoscaler(
        metrics=[
            {
                "type": "Resource",
                "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1024Mi"}},
            },
            {
                "type": "Pods",
                "pods": {"metric": {"name": "m"}, "target": {"type": "AverageValue", "averageValue": 0.5}},
            },
            {
                "type": "External",
                "external": {"metric": {"name": "m", "selector": {}}, "target": {"type": "Value", "value": "1000m"}},
            },
        ]
    ),
    "HPA: behaviour": autoscaler(behavior={"scaleDown": {"stabilizationWindowSeconds": 0}}),
    "HPA: empty behaviour": autoscaler(behavior={}),
    "HPA: policies": autoscaler(
        behavior={"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 60}], "selectPolicy": "Min"}}
    ),
    "Ingress": ingress(),
    "Ingress: class, host and TLS": ingress(
        ingressClassName="nginx",
        tls=[{"hosts": ["a.example.com"], "secretName": "s"}],
        rules=[
            {
                "host": "a.example.com",
                "http": {
                    "paths": [
                        {
                            "path": "/x",
                            "pathType": "ImplementationSpecific",
                            "backend": {"service": {"name": "x", "port": {"name": "http"}}},
                        }
                    ]
                },
            }
        ],
    ),
    "Ingress: empty lists": ingress(tls=[]),
    "claim": claim(resources={"requests": {"storage": "1024Mi"}}),
    "claim: no storage class": claim(storageClassName=""),
    "claim: all it can say": claim(storageClassName="fast", volumeMode="Block", volumeName="", selector={}),
    "ConfigMap": made("ConfigMap", data={"a": "", "b": "c"}, binaryData={"d": "AA=="}),
    "ConfigMap: nothing in it": made("ConfigMap", data={}, immutable=False),
    "Secret": made("Secret", data={"a": "Yg=="}, stringData={"a": "z", "c": ""}),
    "Secret: a Docker secret that is null": made(
        "Secret", type="kubernetes.io/dockercfg", stringData={".dockercfg": "null"}
    ),
    "Secret: of a type": made("Secret", type="kubernetes.io/dockerconfigjson", data={".dockerconfigjson": "e30="}),
    "ServiceAccount": made("ServiceAccount", automountServiceAccountToken=False, imagePullSecrets=[], secrets=[]),
    "Role": made("Role", rules=[_RULE | {"resourceNames": []}]),
    "Role: no rules": made("Role"),
    "RoleBinding": _BINDING,
    "RoleBinding: nobody": merged(_BINDING, {"subjects": []}),
    "RoleBinding: group left out": merged(
        _BINDING, {"roleRef": {"apiGroup": ""}, "subjects": [{"kind": "Group", "name": "g"}]}
    ),
    "ClusterRole": made("ClusterRole", rules=[_RULE]),
    "ClusterRole: of paths": made("ClusterRole", rules=[{"nonResourceURLs": ["/x"], "verbs": ["get"]}]),
    "ClusterRoleBinding": made("ClusterRoleBinding", roleRef=_ROLE_REF, subjects=[_ACCOUNT]),
    "EndpointSlice": _SLICE,
    "EndpointSlice: ready or not": merged(
        _SLICE,
        {
            "endpoints": [
                {
                    "addresses": ["10.0.0.1"],
                    "conditions": {"ready": False, "serving": True},
                    "targetRef": {"kind": "Pod", "name": "p", "namespace": "recorded"},
                    "nodeName": "n",
                }
            ],
            "ports": [{"name": "a", "port": 1, "protocol": "TCP"}],
        },
    ),
    "EndpointSlice: no endpoints": merged(_SLICE, {"endpoints": [], "ports": []}),
    "Event": _EVENT,
    "Event: counted": merged(
        _EVENT, {"count": 2, "firstTimestamp": "2026-01-01T00:00:00Z", "source": {"component": "c"}}
    ),
    "Namespace": made("Namespace", "fresh", metadata={"labels": {"a": "b"}}),
}

REFUSED = {
    "Service: no ports": service(ports=[]),
    "Service: an empty application protocol": service(ports=[{"port": 1, "appProtocol": ""}]),
    "Service: port zero": service(ports=[{"port": 0}]),
    "Service: no port number": service(ports=[{"name": "a"}]),
    "Service: two ports without names": service(ports=[{"port": 1}, {"port": 2}]),
    "Service: two ports of one name": service(ports=[{"port": 1, "name": "a"}, {"port": 2, "name": "a"}]),
    "Service: the same port twice": service(ports=[{"port": 1, "name": "a"}, {"port": 1, "name": "b"}]),
    "Service: a port's name in capitals": service(ports=[{"port": 1, "name": "Http"}]),
    "Service: a target that is no name": service(ports=[{"port": 1, "targetPort": "a_b"}]),
    "Service: a target too high": service(ports=[{"port": 1, "targetPort": 70000}]),
    "Service: an unknown protocol": service(ports=[{"port": 1, "protocol": "tcp"}]),
    "Service: an unknown type": service(type="x"),
    "Service: an unknown affinity": service(sessionAffinity="x"),
    "Service: a node port of a cluster IP": service(ports=[{"port": 1, "nodePort": 30000}]),
    "Service: an address that is none": service(clusterIP="x"),
    "Service: an address from elsewhere": service(clusterIP="1.2.3.4"),
    "Service: an unknown family": service(ipFamilies=["IPv5"], ipFamilyPolicy="Some"),
    "Service: a selector that is none": service(selector={"a": "b c"}),
    "Service: a name that nobody finds": made("Service", spec={"type": "ExternalName"}),
    "Service: a name too long": service() | {"metadata": {"name": "a" * 64, "namespace": "recorded"}},
    "HPA: no maximum": autoscaler(maxReplicas=ABSENT),
    "HPA: maximum below minimum": autoscaler(minReplicas=5),
    "HPA: minimum zero": autoscaler(minReplicas=0),
    "HPA: no target": autoscaler(scaleTargetRef=ABSENT),
    "HPA: a target without name": autoscaler(scaleTargetRef={"name": ABSENT}),
    "HPA: a target without kind": autoscaler(scaleTargetRef={"kind": ABSENT}),
    "HPA: a metric of no type": _metric(resource={"name": "cpu", "target": {"type": "Utilization"}}),
    "HPA: a metric of an unknown type": _metric(type="x"),
    "HPA: a metric without its source": _metric(type="Pods"),
    "HPA: a metric with another source": _metric(
        type="Pods", resource={"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 1}}
    ),
    "HPA: utilization of nothing": _resource_metric(type="Utilization"),
    "HPA: utilization zero": _resource_metric(type="Utilization", averageUtilization=0),
    "HPA: two values": _resource_metric(type="Utilization", averageUtilization=1, averageValue="1"),
    "HPA: an unknown target": _resource_metric(type="x", averageUtilization=1),
    "HPA: no target type": _resource_metric(averageUtilization=1),
    "HPA: a value less than nothing": _resource_metric(type="AverageValue", averageValue="-1"),
    "HPA: a metric without a name": _metric(
        type="Pods", pods={"metric": {}, "target": {"type": "AverageValue", "averageValue": "1"}}
    ),
    "HPA: a window too long": autoscaler(behavior={"scaleDown": {"stabilizationWindowSeconds": 4000}}),
    "HPA: a policy of no type": autoscaler(behavior={"scaleUp": {"policies": [{"value": 1, "periodSeconds": 1}]}}),
    "HPA: a policy of nothing": autoscaler(
        behavior={"scaleUp": {"policies": [{"type": "Pods", "value": 0, "periodSeconds": 0}]}}
    ),
    "HPA: a policy too slow": autoscaler(
        behavior={"scaleUp": {"policies": [{"type": "Pods", "value": 1, "periodSeconds": 4000}]}}
    ),
    "HPA: no policies": autoscaler(behavior={"scaleUp": {"policies": []}}),
    "HPA: an unknown choice": autoscaler(behavior={"scaleUp": {"selectPolicy": "x"}}),
    "Ingress: nothing": made("Ingress", spec={}),
    "Ingress: no path type": ingress({"pathType": ABSENT}),
    "Ingress: an unknown path type": ingress({"pathType": "x"}),
    "Ingress: a relative path": ingress({"path": "x"}),
    "Ingress: no path for a prefix": ingress({"path": ABSENT}),
    "Ingress: a path that climbs": ingress({"path": "/a/../b"}),
    "Ingress: no backend": ingress({"backend": ABSENT}),
    "Ingress: no service name": ingress({"backend": {"service": {"name": ABSENT}}}),
    "Ingress: no port": ingress({"backend": {"service": {"port": ABSENT}}}),
    "Ingress: port by name and number": ingress({"backend": {"service": {"port": {"name": "a"}}}}),
    "Ingress: a host in capitals": ingress(rules=[{"host": "A.example.com"}]),
    "Ingress: a host that is an address": ingress(rules=[{"host": "1.2.3.4"}]),
    "Ingress: a class in capitals": ingress(ingressClassName="Nginx"),
    "Ingress: TLS for a host that is none": ingress(tls=[{"hosts": ["a b"]}]),
    "Ingress: both ways to say the class": merged(
        ingress(ingressClassName="a"), {"metadata": {"annotations": {"kubernetes.io/ingress.class": "b"}}}
    ),
    "claim: no access mode": claim(accessModes=[]),
    "claim: an unknown access mode": claim(accessModes=["x"]),
    "claim: size zero": claim(resources={"requests": {"storage": "0"}}),
    "claim: a class in capitals": claim(storageClassName="Fast"),
    "claim: no size": claim(resources=ABSENT),
    "claim: an unknown mode": claim(volumeMode="x"),
    "claim: once and once in one pod": claim(accessModes=["ReadWriteOncePod", "ReadWriteOnce"]),
    "ConfigMap: an impossible key": made("ConfigMap", data={"a b": ""}),
    "ConfigMap: one key twice": made("ConfigMap", data={"a": ""}, binaryData={"a": "AA=="}),
    "ConfigMap: a number": made("ConfigMap", data={"a": 1}),
    "ConfigMap: no base64": made("ConfigMap", binaryData={"a": "?"}),
    "ConfigMap: too large": made("ConfigMap", data={"a": "x" * 1048577}),
    "Secret: an impossible key": made("Secret", stringData={"a b": ""}),
    "Secret: no base64": made("Secret", data={"a": "not base64!"}),
    "Secret: base64 beyond ASCII": made("Secret", data={"a": "YWé="}),
    "Secret: a Docker secret without its key": made(
        "Secret", type="kubernetes.io/dockerconfigjson", stringData={"a": "b"}
    ),
    "Secret: a Docker secret that is no JSON": made(
        "Secret", type="kubernetes.io/dockerconfigjson", stringData={".dockerconfigjson": "x"}
    ),
    "Secret: a Docker secret that is a list": made(
        "Secret", type="kubernetes.io/dockercfg", stringData={".dockercfg": "[]"}
    ),
    "Secret: a Docker secret that is a text": made(
        "Secret", type="kubernetes.io/dockercfg", stringData={".dockercfg": '"a"'}
    ),
    "Secret: a Docker secret that is a number": made(
        "Secret", type="kubernetes.io/dockercfg", stringData={".dockercfg": "1"}
    ),
    "Secret: a Docker secret that is true": made(
        "Secret", type="kubernetes.io/dockercfg", stringData={".dockercfg": "true"}
    ),
    "Secret: a TLS secret without its keys": made("Secret", type="kubernetes.io/tls", stringData={"a": "b"}),
    "Secret: too large": made("Secret", stringData={"a": "x" * 1048577}),
    "Role: no verbs": made("Role", rules=[{"apiGroups": [""], "resources": ["pods"]}]),
    "Role: no resources": made("Role", rules=[{"apiGroups": [""], "verbs": ["get"]}]),
    "Role: no groups": made("Role", rules=[{"resources": ["pods"], "verbs": ["get"]}]),
    "Role: paths": made("Role", rules=[{"nonResourceURLs": ["/x"], "verbs": ["get"]}]),
    "Role: a name with a slash": made("Role", "a/b", rules=[_RULE]),
    "RoleBinding: no role": made("RoleBinding"),
    "RoleBinding: an unknown kind of role": merged(_BINDING, {"roleRef": {"kind": "x"}}),
    "RoleBinding: an unknown group": merged(_BINDING, {"roleRef": {"apiGroup": "x"}}),
    "RoleBinding: an unknown kind of subject": merged(_BINDING, {"subjects": [{"kind": "x", "name": "a"}]}),
    "ClusterRoleBinding: an account without namespace": made(
        "ClusterRoleBinding", roleRef=_ROLE_REF, subjects=[{"kind": "ServiceAccount", "name": "a"}]
    ),
    "RoleBinding: a subject without name": merged(_BINDING, {"subjects": [{"kind": "User"}]}),
    "RoleBinding: an account of a group": merged(_BINDING, {"subjects": [{**_ACCOUNT, "apiGroup": _RBAC}]}),
    "ClusterRoleBinding: of a Role": made("ClusterRoleBinding", roleRef={**_ROLE_REF, "kind": "Role"}),
    "EndpointSlice: no address type": merged(_SLICE, {"addressType": ABSENT}),
    "EndpointSlice: an unknown address type": merged(_SLICE, {"addressType": "x"}),
    "EndpointSlice: no address": merged(_SLICE, {"endpoints": [{}]}),
    "EndpointSlice: an address that is none": merged(_SLICE, {"endpoints": [{"addresses": ["x"]}]}),
    "Event: of elsewhere": merged(_EVENT, {"involvedObject": {"namespace": "y"}}),
    "ServiceAccount: a name in capitals": made("ServiceAccount", "X"),
    "Namespace: a name with a dot": made("Namespace", "a.b"),
}

_NEW_ROLE = {"roleRef": {"name": "other"}}

UPDATED = {
    "Service: its ports": (service(), {"spec": {"ports": [{"port": 81}]}}),
    "Service: its address left out": (service(), {"spec": {"clusterIP": None, "clusterIPs": None}}),
    "Service: its address": (service(), {"spec": {"clusterIP": "10.96.200.200", "clusterIPs": None}}),
    "Service: its address and not the list of its addresses": (service(), {"spec": {"clusterIP": "None"}}),
    "Service: headless later": (service(), {"spec": {"clusterIP": "None", "clusterIPs": None}}),
    "Service: its selector": (service(), {"spec": {"selector": {"b": "c"}}}),
    "HPA: its maximum": (autoscaler(), {"spec": {"maxReplicas": 9}}),
    "Ingress: its class": (ingress(), {"spec": {"ingressClassName": "y"}}),
    "claim: larger": (claim(), {"spec": {"resources": {"requests": {"storage": "2Gi"}}}}),
    "claim: smaller": (claim(), {"spec": {"resources": {"requests": {"storage": "512Mi"}}}}),
    "claim: its class": (claim(storageClassName="a"), {"spec": {"storageClassName": "b"}}),
    "claim: its access modes": (claim(), {"spec": {"accessModes": ["ReadWriteMany"]}}),
    "ConfigMap": (made("ConfigMap", data={"a": "b"}), {"data": {"a": "c"}}),
    "ConfigMap: immutable": (made("ConfigMap", data={"a": "b"}, immutable=True), {"data": {"a": "c"}}),
    "ConfigMap: no longer immutable": (made("ConfigMap", data={"a": "b"}, immutable=True), {"immutable": False}),
    "Secret": (made("Secret", stringData={"a": "b"}), {"stringData": {"a": "c"}}),
    "Secret: its type": (made("Secret", stringData={"a": "b"}), {"type": "x/y"}),
    "Secret: immutable": (made("Secret", stringData={"a": "b"}, immutable=True), {"stringData": {"a": "c"}}),
    "Role": (made("Role", rules=[_RULE]), {"rules": [merged(_RULE, {"verbs": ["list"]})]}),
    "RoleBinding: its role": (_BINDING, _NEW_ROLE),
    "RoleBinding: its subjects": (_BINDING, {"subjects": []}),
    "ClusterRoleBinding: its role": (made("ClusterRoleBinding", "recorded-x", roleRef=_ROLE_REF), _NEW_ROLE),
    "EndpointSlice: its endpoints": (_SLICE, {"endpoints": []}),
    "EndpointSlice: its address type": (_SLICE, {"addressType": "IPv6", "endpoints": []}),
    "ServiceAccount": (made("ServiceAccount"), {"imagePullSecrets": [{"name": "s"}]}),
}
