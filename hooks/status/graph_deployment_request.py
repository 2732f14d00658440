"""Status of a DynamoGraphDeploymentRequest.

Source: seed, "DynamoGraphDeploymentRequestStatus"; spec page "DynamoGraphDeploymentRequest".
"""

from dataclasses import dataclass
from datetime import datetime

from hooks.protocol import Object
from hooks.status.conditions import Conditions

PENDING = "Pending"
PROFILING_STATE = "Profiling"
DEPLOYING = "Deploying"
READY = "Ready"
DEPLOYMENT_DELETED = "DeploymentDeleted"
FAILED = "Failed"

VALIDATION = "Validation"
PROFILING = "Profiling"
SPEC_GENERATED = "SpecGenerated"
DEPLOYMENT_READY = "DeploymentReady"
"""Types of the conditions: one for each step. A step that has not been reached has none."""


@dataclass(frozen=True)
class Verdict:
    """What is said of one step."""

    step: str
    holds: bool
    reason: str
    message: str


@dataclass(frozen=True)
class Outcome:
    """What a request has come to."""

    state: str
    verdicts: tuple[Verdict, ...]
    makes_job: bool = False
    resync_after_seconds: float | None = None


@dataclass(frozen=True)
class Kept:
    """What a status says beside state and conditions; None where there is nothing to say."""

    backend: str | None = None
    profiling_results: str | None = None
    generated_deployment: Object | None = None
    deployment: Object | None = None


def request_status(parent: Object, outcome: Outcome, kept: Kept, now: datetime) -> Object:
    """The whole status. Its `observedGeneration` is Metacontroller's to write."""
    conditions = Conditions(parent, now)
    for verdict in outcome.verdicts:
        conditions.write(verdict.step, holds=verdict.holds, reason=verdict.reason, message=verdict.message)
    found = {
        "backend": kept.backend,
        "profilingResults": kept.profiling_results,
        "generatedDeployment": kept.generated_deployment,
        "deployment": kept.deployment,
    }
    status: Object = {"state": outcome.state, "conditions": conditions.written()}
    return status | {key: value for key, value in found.items() if value}
