"""DynamoGraphDeploymentRequest → the Job that profiles its model, and the graph that comes out.

The graph itself must outlive its request and may lie in another namespace: whoever looks after that namespace makes it,
from the status.
"""

from collections.abc import Iterable
from datetime import datetime

from hooks import labels, names
from hooks.children import identity, only_observed
from hooks.controllers.profiling import Facts
from hooks.controllers.request_states import TABLE, deployment
from hooks.kinds import CONFIG_MAP, GRAPH_DEPLOYMENT, JOB, NAMESPACE, POD
from hooks.profiling.requested import requested_graph
from hooks.protocol import CompositeAnswer, CustomizeRequest, RelatedRule, SyncRequest, part
from hooks.settings import Settings
from hooks.status.graph_deployment_request import Kept, request_status

JOB_NAME = "job-name"
"""Label of a Job's pods."""


def sync(request: SyncRequest, settings: Settings, now: datetime) -> CompositeAnswer:
    """Answer with the Job and with what the request has come to: the outcome of the table's first row that fits."""
    facts = Facts(request, settings, now)
    outcome = next(row.outcome(facts) for row in TABLE if row.fits(facts))
    # A Job that is left out would be deleted, with its logs; one that was made is never changed.
    children = [identity(job) for job in request.children.all(JOB)]
    if outcome.makes_job:
        children.append(facts.desired_job)
    if request.deleting:
        children = only_observed(children, request.children)
    return CompositeAnswer(
        status=request_status(request.parent, outcome, _kept(facts), now),
        children=children,
        resync_after_seconds=None if request.deleting else outcome.resync_after_seconds,
    )


def customize(request: CustomizeRequest, settings: Settings) -> Iterable[RelatedRule]:
    """Ask for the Job and its pods, for what goes in and what comes out, and for the graph and where it goes."""
    graph = requested_graph(request.parent)
    name, namespace = graph.request, graph.request_namespace
    yield RelatedRule(JOB, names=(names.profiling_job(name),), namespace=namespace)
    if settings.profiling.pod_details:
        selector = {"matchLabels": {JOB_NAME: names.profiling_job(name)}}
        yield RelatedRule(POD, selector=selector, namespace=namespace)
    reference = part(part(part(request.parent, "spec"), "profilingConfig"), "configMapRef").get("name")
    base = (reference,) if isinstance(reference, str) and reference else ()
    yield RelatedRule(CONFIG_MAP, names=(names.profile_output(name), *base), namespace=namespace)
    yield RelatedRule(CONFIG_MAP, selector={"matchLabels": {labels.REGISTRY_INDEX: "true"}}, namespace=namespace)
    if graph.auto_apply:
        yield RelatedRule(NAMESPACE, names=(graph.namespace,))
        yield RelatedRule(GRAPH_DEPLOYMENT, names=(graph.name,), namespace=graph.namespace)


def _kept(facts: Facts) -> Kept:
    """What the status keeps, so that it is known when the Job and its output are gone."""
    results = facts.status.get("profilingResults")
    if facts.output is not None:
        results = f"configmap/{names.profile_output(facts.name)}"
    return Kept(
        backend=facts.graph.backend,
        profiling_results=results if isinstance(results, str) else None,
        generated_deployment=facts.generated,
        deployment=deployment(facts),
    )
