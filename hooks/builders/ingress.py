"""The Ingress of a component, or its Istio VirtualService."""

from hooks import names
from hooks.api.component_deployment import Ingress
from hooks.builders.metadata import build_child
from hooks.errors import Fault, InvalidSpec, shown
from hooks.kinds import INGRESS, VIRTUAL_SERVICE
from hooks.pods.component import Component, users_annotations
from hooks.protocol import Kind, Object


def build_ingress(component: Component, service: Object | None) -> Object | None:
    """What leads from outside to the first TCP port of the component's Service; None where nothing shall.

    Raises:
        InvalidSpec: there is no host, or no port to lead to.
    """
    ingress = component.spec.ingress
    if ingress is None or not ingress.enabled:
        return None
    if not ingress.host:
        raise InvalidSpec([Fault("spec.ingress.host", "is required when the ingress is enabled", "add the host name")])
    ports = [port["port"] for port in service["spec"]["ports"] if port["protocol"] == "TCP"] if service else []
    if not ports:
        cure = "add the port to extraPodSpec.mainContainer.ports"
        raise InvalidSpec([Fault("spec.ingress", "is enabled, but the main container has no TCP port", cure)])
    problem = names.host_problem(host(component, ingress))
    if problem:
        place, name = "spec.ingress.host", shown(host(component, ingress))
        raise InvalidSpec([Fault(place, f"with prefix and suffix {name} {problem}", "write a DNS name")])
    build = _virtual_service if ingress.use_virtual_service else _ingress
    return build(component, ingress, ports[0])


def host(component: Component, ingress: Ingress) -> str:
    """The host name: prefix, host and suffix, the suffix behind a dot."""
    suffix = (ingress.host_suffix or component.settings.ingress.host_suffix or "").lstrip(".")
    head = f"{ingress.host_prefix or ''}{ingress.host}"
    return f"{head}.{suffix}" if suffix else head


def _ingress(component: Component, ingress: Ingress, port: int) -> Object:
    platform = component.settings.ingress
    name = host(component, ingress)
    backend = {"service": {"name": component.name, "port": {"number": port}}}
    spec: Object = {
        "rules": [{"host": name, "http": {"paths": [{"path": "/", "pathType": "Prefix", "backend": backend}]}}]
    }
    class_name = ingress.ingress_controller_class_name or platform.class_name
    if class_name:
        spec["ingressClassName"] = class_name
    secret = (ingress.tls.secret_name if ingress.tls else None) or platform.tls_secret_name
    if secret:
        spec["tls"] = [{"hosts": [name], "secretName": secret}]
    return _child(component, ingress, INGRESS, spec)


def _virtual_service(component: Component, ingress: Ingress, port: int) -> Object:
    destination = {"host": component.name, "port": {"number": port}}
    spec: Object = {
        "hosts": [host(component, ingress)],
        "http": [{"match": [{"uri": {"prefix": "/"}}], "route": [{"destination": destination}]}],
    }
    gateway = ingress.virtual_service_gateway or component.settings.ingress.virtual_service_gateway
    if gateway:
        spec["gateways"] = [gateway]
    return _child(component, ingress, VIRTUAL_SERVICE, spec)


def _child(component: Component, ingress: Ingress, kind: Kind, spec: Object) -> Object:
    child = build_child(component, kind, component.name, spec)
    metadata = child["metadata"]
    metadata["labels"] = component.with_labels(ingress.labels)
    annotations = {**component.annotations, **users_annotations(ingress.annotations)}
    if annotations:
        metadata["annotations"] = annotations
    return child
