"""The Service of a component."""

from hooks import labels
from hooks.builders.metadata import build_child
from hooks.kinds import SERVICE
from hooks.pods.component import FRONTEND, Component
from hooks.pods.ports import Port, ports
from hooks.protocol import Object


def build_service(component: Component) -> Object | None:
    """A Service on the main container's ports; None where it has none.

    It selects this component's pods and no other's; of a component that spans nodes, the leaders.
    """
    service_ports = [_service_port(port) for port in ports(component)]
    if not service_ports:
        return None
    selector = {labels.SELECTOR: component.name}
    if component.node_count > 1:
        selector[labels.ROLE] = "leader"
    service = build_child(component, SERVICE, component.name, {"selector": selector, "ports": service_ports})
    if component.discovery:
        service["metadata"]["labels"][labels.DISCOVERY_BACKEND] = "kubernetes"
        if component.spec.component_type != FRONTEND:
            service["metadata"]["labels"][labels.DISCOVERY_ENABLED] = "true"
    return service


def _service_port(port: Port) -> Object:
    number = port["containerPort"]
    return {
        "name": port.get("name") or f"port-{number}",
        "port": number,
        "targetPort": number,
        "protocol": port.get("protocol") or "TCP",
    }
