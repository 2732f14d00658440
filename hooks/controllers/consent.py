"""Whether a request of one namespace may have its graph made in another.

Whoever may make a DynamoGraphDeploymentRequest in one namespace must not thereby make pods in another: that one
consents by an annotation, unless the platform decides it for all.
"""

from hooks import labels
from hooks.protocol import Object, part
from hooks.settings import Settings


def refusal(source: str, target: Object, settings: Settings) -> str | None:
    """Why a request of the namespace `source` may not have its graph in `target`, with the cure; None where it may.

    Args:
        source: name of the request's namespace.
        target: the Namespace object that the graph would go to.
        settings: the platform's settings.
    """
    name = target["metadata"]["name"]
    if name == source:
        return None
    if not is_ours(name, settings) or not is_ours(source, settings):
        return (
            f"this installation of the hooks does not look after both {source} and {name}; choose a namespace that it "
            f"looks after as spec.deploymentOverrides.namespace, or leave that out"
        )
    policy = settings.profiling.cross_namespace
    if policy == "deny":
        return (
            f"graphs in other namespaces are switched off (setting profiling.crossNamespace), and {name} is another "
            f"one than {source}; leave out spec.deploymentOverrides.namespace"
        )
    allowed = consenting(target)
    if policy == "allow" or source in allowed or "*" in allowed:
        return None
    value = ",".join([*allowed, source])
    return (
        f"namespace {name} does not allow graphs from {source}; whoever owns it consents by: "
        f"kubectl annotate --overwrite namespace {name} {labels.ALLOW_DEPLOYMENTS_FROM}={value}"
    )


def consenting(target: Object) -> list[str]:
    """The namespaces whose requests a Namespace lets make graphs in it; `*` stands for all."""
    value = part(target["metadata"], "annotations").get(labels.ALLOW_DEPLOYMENTS_FROM)
    return [name.strip() for name in value.split(",") if name.strip()] if isinstance(value, str) else []


def is_ours(namespace: str, settings: Settings) -> bool:
    """Whether this installation looks after a namespace."""
    restriction = settings.namespace_restriction
    return not restriction.enabled or namespace in restriction.namespaces
