"""The Deployment of a component on single nodes."""

from typing import Any

from hooks import labels
from hooks.builders.metadata import build_child
from hooks.kinds import DEPLOYMENT
from hooks.pods.component import Component
from hooks.protocol import Object

STRATEGIES: dict[str, dict[str, Any]] = {
    "RollingUpdate": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
    "Recreate": {"type": "Recreate"},
    "RampedSlowRollout": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
    "BestEffortControlledRollout": {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": 0, "maxUnavailable": "20%"},
    },
}
"""Value of the annotation nvidia.com/deployment-strategy → the Deployment's strategy."""


def build_deployment(component: Component, template: Object) -> Object:
    """The Deployment, with `replicas` only where the spec decides them. Its selector can never change."""
    spec: Object = {
        "selector": {"matchLabels": {labels.SELECTOR: component.name}},
        "strategy": STRATEGIES.get(component.strategy or "", STRATEGIES["RollingUpdate"]),
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
