"""Custom resources that the API server refuses by our CRDs, and such as it takes.

Texts are the beginnings of what it says, path first.
"""


def rule_messages(schema):
    """The messages of all CEL rules in a schema, or in several."""
    if isinstance(schema, list):
        return {found for item in schema for found in rule_messages(item)}
    if not isinstance(schema, dict):
        return set()
    own = {rule["message"] for rule in schema.get("x-kubernetes-validations", ()) if isinstance(rule, dict)}
    return own.union(*map(rule_messages, schema.values()))


def resource(kind, spec, name="x", **more):
    return {"apiVersion": "nvidia.com/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec, **more}


def graph(**service):
    return resource("DynamoGraphDeployment", {"services": {"w": service}})


def component(**spec):
    return resource("DynamoComponentDeployment", spec)


def claims(*pvcs):
    return resource("DynamoGraphDeployment", {"pvcs": list(pvcs)})


def model(**spec):
    return resource("DynamoModel", {"modelName": "m", "baseModelName": "b"} | spec)


def lora(uri="s3://bucket/path", **spec):
    return model(modelType="lora", source={"uri": uri}, **spec)


def request(name="x", *, conditions=(), **spec):
    status = {"status": {"conditions": [condition(type_) for type_ in conditions]}} if conditions else {}
    profiling = {"profilerImage": "p", "config": {"sla": {"ttft": 200.5, "extra": [1, None, {"a": "b"}]}}}
    wanted = {"model": "m", "backend": "vllm", "profilingConfig": profiling}
    return resource("DynamoGraphDeploymentRequest", wanted | spec, name, **status)


def condition(type_):
    when = "2025-01-01T00:00:00Z"
    return {"type": type_, "status": "True", "reason": "Because", "message": "", "lastTransitionTime": when}


def pod(**main_container):
    return {"mainContainer": main_container}


REFUSED = [
    (
        "a claim to be made without its three fields",
        claims({"name": "c", "create": True}),
        [
            "spec.pvcs[0].storageClass: storageClass is required when create is true: add it, or set create to false",
            "spec.pvcs[0].size: size is required when create is true: add it, or set create to false",
            "spec.pvcs[0].volumeAccessMode: volumeAccessMode is required when create is true: add it",
        ],
    ),
    (
        "an empty storage class",
        claims({"name": "c", "create": True, "size": "1Gi", "storageClass": "", "volumeAccessMode": "ReadWriteOnce"}),
        ["spec.pvcs[0].storageClass: storageClass is required"],
    ),
    ("one claim twice", claims({"name": "c"}, {"name": "d"}, {"name": "c"}), ["spec.pvcs[2]: Duplicate value"]),
    ("101 claims", claims(*({"name": f"c{number}"} for number in range(101))), ["spec.pvcs: "]),
    (
        "26 services",
        resource("DynamoGraphDeployment", {"services": {f"s{number}": {} for number in range(26)}}),
        ["spec.services: "],
    ),
    ("one node", graph(multinode={"nodeCount": 1}), ["spec.services.w.multinode.nodeCount: 1 is less than"]),
    (
        "autoscaling without a most",
        graph(autoscaling={"enabled": True, "minReplicas": 1}),
        ["spec.services.w.autoscaling.maxReplicas: maxReplicas is required when autoscaling is enabled"],
    ),
    (
        "a component's autoscaling without a most",
        component(autoscaling={"enabled": True, "minReplicas": 1}),
        ["spec.autoscaling.maxReplicas: maxReplicas is required when autoscaling is enabled"],
    ),
    (
        "a most below the fewest",
        component(autoscaling={"enabled": True, "minReplicas": 5, "maxReplicas": 2}),
        ["spec.autoscaling.maxReplicas: maxReplicas must not be less than minReplicas"],
    ),
    (
        "a service's most below its fewest",
        graph(autoscaling={"enabled": True, "minReplicas": 5, "maxReplicas": 2}),
        ["spec.services.w.autoscaling.maxReplicas: maxReplicas must not be less than minReplicas"],
    ),
    (
        "a most of none",
        component(autoscaling={"enabled": True, "maxReplicas": 0}),
        ["spec.autoscaling.maxReplicas: maxReplicas must not be less than minReplicas, which is 1 where it is absent"],
    ),
    ("a fewest of none", component(autoscaling={"minReplicas": 0}), ["spec.autoscaling.minReplicas: 0 is less than"]),
    (
        "mountPath, as containers have it",
        graph(volumeMounts=[{"name": "c", "mountPath": "/x"}]),
        ["spec.services.w.volumeMounts[0].mountPoint: mountPoint is required unless useAsCompilationCache is true"],
    ),
    (
        "an empty mountPoint",
        component(volumeMounts=[{"name": "c", "mountPoint": ""}]),
        ["spec.volumeMounts[0].mountPoint: mountPoint is required"],
    ),
    ("an unknown backend", component(backendFramework="tokenspeed"), ["spec.backendFramework: "]),
    ("a sidecar without a name", component(extraPodSpec={"containers": [{"image": "i"}]}), ["spec.extraPodSpec."]),
    ("a text for a number", component(replicas="2"), ["spec.replicas: "]),
    ("fewer than no replicas", component(replicas=-1), ["spec.replicas: "]),
    (
        "no quantity",
        component(extraPodSpec=pod(resources={"limits": {"cpu": "many"}})),
        ["spec.extraPodSpec.mainContainer.resources.limits.cpu: "],
    ),
    ("a type in capitals", model(modelType="LoRA"), ["spec.modelType: "]),
    (
        "a LoRA adapter without a source",
        model(modelType="lora"),
        ["spec.source: source is required where modelType is lora: write s3://bucket/path or hf://organization/model"],
    ),
    *(
        (f"a LoRA adapter from {uri!r}", lora(uri), ["spec.source.uri: source.uri of a LoRA adapter: write s3://"])
        for uri in ("", "s3://", "https://hub/x", "hf://model", "hf://org/model@", "hf://org/model/file", "S3://b/p")
    ),
    ("a request without a profiler", request(profilingConfig={}), ["spec.profilingConfig: "]),
    (
        "a request of 56 characters",
        request("x" * 56),
        ["metadata.name: metadata.name may have at most 55 characters, as the profiling Job is named after it"],
    ),
]
TAKEN = [
    ("nothing at all", resource("DynamoGraphDeployment", {})),
    ("a service with nothing said", graph()),
    ("25 services", resource("DynamoGraphDeployment", {"services": {f"s{number}": {} for number in range(25)}})),
    ("claims that exist", claims({"name": "c"}, {"name": "d", "create": False})),
    (
        "a claim to be made",
        claims({"name": "c", "create": True, "size": 1, "storageClass": "s", "volumeAccessMode": "ReadWriteOnce"}),
    ),
    ("the same claim mounted twice", component(volumeMounts=[{"name": "c", "mountPoint": f"/{n}"} for n in "ab"])),
    ("a cache at the backend's own place", component(volumeMounts=[{"name": "c", "useAsCompilationCache": True}])),
    ("nodes left to the default", component(multinode={})),
    ("bounds of what is switched off", component(autoscaling={"enabled": False, "minReplicas": 5, "maxReplicas": 2})),
    ("equal bounds", component(autoscaling={"enabled": True, "minReplicas": 2, "maxReplicas": 2})),
    ("a null wherever nothing is", component(replicas=None, extraPodSpec=None, autoscaling={"enabled": None})),
    ("a pod without containers", component(extraPodSpec=pod(image="i", resources={"limits": {"cpu": 2}}))),
    (
        "one port for two protocols",
        component(extraPodSpec=pod(ports=[{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}])),
    ),
    ("a base model from anywhere", model(source={"uri": "file:///models"})),
    ("a model of no type", model(modelType=None)),
    *(
        (f"a LoRA adapter from {uri}", lora(uri))
        for uri in ("s3://bucket", "s3://b/a b", "hf://org/model", "hf://o/m@refs/pr/1")
    ),
    ("a request of 55 characters", request("x" * 55)),
]
CHANGES_REFUSED = [
    *(
        (f"another {field} of a LoRA adapter", lora(), lora(**{field: "other"}), f"spec.{field}: {field} of a LoRA")
        for field in ("modelName", "baseModelName")
    ),
    ("another source of a LoRA adapter", lora(), lora("s3://other"), "spec.source: source of a LoRA adapter"),
    (
        "a LoRA adapter that is none any more",
        lora(),
        lora() | model(source={"uri": "s3://bucket/path"}),
        "spec.modelType: modelType of a LoRA adapter",
    ),
    (
        "a request that is profiled",
        request(conditions=["Validation", "Profiling"]),
        request(conditions=["Validation", "Profiling"], autoApply=True),
        "spec: spec cannot change once profiling has started: delete the request and create it anew",
    ),
    (
        "a part of the configuration of a request that is profiled",
        request(conditions=["Profiling"]),
        request(conditions=["Profiling"], profilingConfig={"profilerImage": "p", "config": {"sla": {"ttft": 100}}}),
        "spec: spec cannot change once profiling has started",
    ),
    (
        "a request that is profiled, with its status taken away",
        request(conditions=["Profiling"]),
        request(model="other"),
        "spec: spec cannot change once profiling has started",
    ),
]
CHANGES_TAKEN = [
    ("a base model that becomes a LoRA adapter", model(), lora()),
    ("another name of a base model", model(), model(modelName="other")),
    ("a LoRA adapter that stays", lora(), lora() | {"metadata": {"name": "x", "labels": {"a": "b"}}}),
    ("a request before it is profiled", request(conditions=["Validation"]), request(autoApply=True)),
    ("a request without a status", request(), request(model="other")),
    (
        "a status of a request that is profiled",
        request(conditions=["Profiling"]),
        request(conditions=["DeploymentReady"]),
    ),
    ("a default written out", request(conditions=["Profiling"]), request(conditions=["Profiling"], autoApply=False)),
]
