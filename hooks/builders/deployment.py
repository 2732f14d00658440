"""The Deployment of a component on single nodes."""

from hooks import labels
from hooks.builders.metadata import build_child
from hooks.defaults import DEFAULT_STRATEGY, STRATEGIES
from hooks.kinds import DEPLOYMENT
from hooks.pods.component import Component
from hooks.protocol import Object


def build_deployment(component: Component, template: Object) -> Object:
    """The Deployment, with `replicas` only where the spec decides them. Its selector can never change."""
    spec: Object = {
        "selector": {"matchLabels": {labels.SELECTOR: component.name}},
        "strategy": STRATEGIES.get(component.strategy or "", STRATEGIES[DEFAULT_STRATEGY]),
        "template": template,
        **given_replicas(component),
    }
    return build_child(component, DEPLOYMENT, component.name, spec)


def given_replicas(component: Component) -> Object:
    """The workload's `replicas` where its spec decides them: neither an autoscaler nor what is observed."""
    scaling = component.spec.autoscaling
    if component.spec.replicas is None or (scaling and scaling.enabled):
        return {}
    return {"replicas": component.spec.replicas}
