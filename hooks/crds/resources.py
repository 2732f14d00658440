"""What a custom resource's CRD says besides its schema: names, columns of `kubectl get`, subresources."""

from dataclasses import dataclass, field

from hooks.api.common import Model
from hooks.api.component_deployment import DynamoComponentDeployment
from hooks.api.graph_deployment import DynamoGraphDeployment
from hooks.api.graph_deployment_request import DynamoGraphDeploymentRequest
from hooks.api.model import DynamoModel


@dataclass(frozen=True)
class Column:
    """A column of `kubectl get`. One with a priority above 0 is shown with `-o wide` only."""

    name: str
    path: str
    type: str = "string"
    priority: int = 0


@dataclass(frozen=True)
class Resource:
    """A custom resource. Its kind is the name of its model."""

    model: type[Model]
    short_name: str
    columns: tuple[Column, ...]
    scale: dict[str, str] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """Its kind, such as DynamoModel."""
        return self.model.__name__

    @property
    def plural(self) -> str:
        """Its name in URLs, such as dynamomodels."""
        return f"{self.kind.lower()}s"


def _condition(type_: str) -> Column:
    return Column(type_, f'.status.conditions[?(@.type=="{type_}")].status')


_AGE = Column("Age", ".metadata.creationTimestamp", "date")

RESOURCES = (
    Resource(
        DynamoGraphDeployment,
        "dgd",
        (
            _condition("Ready"),
            Column("State", ".status.state"),
            Column("Backend", ".spec.backendFramework"),
            _AGE,
        ),
    ),
    Resource(
        DynamoComponentDeployment,
        "dcd",
        (
            _condition("Available"),
            Column("Component", ".spec.serviceName"),
            Column("Backend", ".spec.backendFramework"),
            Column("Replicas", ".status.replicas", "integer"),
            Column("Type", ".spec.componentType", priority=1),
            _AGE,
        ),
        scale={
            "specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas",
            "labelSelectorPath": ".status.selector",
        },
    ),
    Resource(
        DynamoGraphDeploymentRequest,
        "dgdr",
        (
            Column("Model", ".spec.model"),
            Column("Backend", ".status.backend"),
            Column("State", ".status.state"),
            Column("DGD-State", ".status.deployment.state"),
            _AGE,
        ),
    ),
    Resource(
        DynamoModel,
        "dm",
        (
            Column("BaseModel", ".spec.baseModelName"),
            Column("Type", ".spec.modelType"),
            Column("Ready", ".status.readyEndpoints", "integer"),
            Column("Total", ".status.totalEndpoints", "integer"),
            _AGE,
        ),
    ),
)
"""The four custom resources."""
