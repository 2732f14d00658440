"""The HorizontalPodAutoscaler of a component."""

from hooks.builders.metadata import build_child
from hooks.kinds import HORIZONTAL_POD_AUTOSCALER
from hooks.pods.component import Component
from hooks.protocol import Kind, Object


def build_horizontal_pod_autoscaler(component: Component, target: Kind, target_name: str) -> Object | None:
    """The autoscaler of a workload; None where autoscaling is off. Without metrics it follows CPU utilization."""
    scaling = component.spec.autoscaling
    if scaling is None or not scaling.enabled:
        return None
    utilization = component.settings.defaults.autoscaling_cpu_utilization
    by_cpu = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": utilization}},
    }
    spec: Object = {
        "scaleTargetRef": {"apiVersion": target.api_version, "kind": target.kind, "name": target_name},
        "minReplicas": scaling.min_replicas or 1,
        "maxReplicas": scaling.max_replicas,
        "metrics": scaling.metrics or [by_cpu],
    }
    if scaling.behavior:
        spec["behavior"] = scaling.behavior
    return build_child(component, HORIZONTAL_POD_AUTOSCALER, component.name, spec)
