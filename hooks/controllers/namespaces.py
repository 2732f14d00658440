"""Namespace → what several resources in it share, or what must outlive the one that asked for it.

Only a cluster-scoped parent can own such things. Most namespaces have no resource of Dynamo's: they cost next to
nothing here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from hooks import labels, names
from hooks.builders.accounts import build_account, build_node_reader_binding, build_role_binding
from hooks.builders.model_service import build_model_service
from hooks.builders.mpi_keys import build_mpi_keys
from hooks.children import identity, only_observed, restate_child
from hooks.controllers.consent import is_ours
from hooks.controllers.graph import built
from hooks.controllers.requested_graphs import requested_graphs
from hooks.errors import InvalidSpec
from hooks.kinds import (
    BY_NAME,
    COMPONENT_DEPLOYMENT,
    CONFIG_MAP,
    GRAPH_DEPLOYMENT,
    GRAPH_DEPLOYMENT_REQUEST,
    ROLE_BINDING,
    SECRET,
    SERVICE,
    SERVICE_ACCOUNT,
)
from hooks.memo import Memo
from hooks.pods.component import Component, owning_graph, read_component
from hooks.protocol import (
    CustomizeRequest,
    DecoratorAnswer,
    Kind,
    Object,
    RelatedRule,
    SyncRequest,
    name_of,
    part,
)
from hooks.settings import Settings
from hooks.status.summary import summary

MADE_ONCE = frozenset({GRAPH_DEPLOYMENT.kind, CONFIG_MAP.kind, SECRET.kind})
"""Kinds that are made and never updated here (updateStrategy OnDelete): to name them keeps them."""

_spanning = Memo(limit=1 << 20)
"""Whether graphs and components run MPI: about 5,000."""


def sync(request: SyncRequest, settings: Settings, now: datetime) -> DecoratorAnswer:  # noqa: ARG001 - see registry
    """Answer with what belongs to the namespace. One that is not ours, or on its way out, gets nothing new."""
    namespace = _Namespace(request, settings)
    if not is_ours(namespace.name, settings):
        return DecoratorAnswer(attachments=[_kept(child) for child in request.children])
    wanted = [
        *_planner_account(namespace),
        *_profiling_account(namespace),
        *_model_services(namespace),
        *_mpi_keys(namespace),
        *requested_graphs(request, settings),
    ]
    return DecoratorAnswer(attachments=only_observed(wanted, request.children) if request.deleting else wanted)


def customize(request: CustomizeRequest, settings: Settings) -> Iterable[RelatedRule]:
    """Ask for whatever may need something of the namespace, and for whatever may be in the way of it."""
    namespace = request.parent["metadata"]["name"]
    if not is_ours(namespace, settings):
        return
    yield RelatedRule(GRAPH_DEPLOYMENT, selector={}, namespace=namespace)
    # What a graph makes carries its uid; the graph's name stands on what is applied by hand, too.
    stands_alone = {"matchExpressions": [{"key": labels.CONTROLLER_UID, "operator": "DoesNotExist"}]}
    yield RelatedRule(COMPONENT_DEPLOYMENT, selector=stands_alone, namespace=namespace)
    yield RelatedRule(GRAPH_DEPLOYMENT_REQUEST, selector={}, namespace=namespace)
    for kind in (GRAPH_DEPLOYMENT_REQUEST, CONFIG_MAP):  # of all namespaces
        yield RelatedRule(kind, selector={"matchLabels": {labels.TARGET_NAMESPACE: namespace}})
    of_models = {"matchExpressions": [{"key": labels.BASE_MODEL_HASH, "operator": "Exists"}]}
    yield RelatedRule(SERVICE, selector=of_models, namespace=namespace)
    planner = settings.defaults.planner.service_account_name
    accounts = tuple(account for account in (planner, names.PROFILING_ACCOUNT) if account)
    yield RelatedRule(SERVICE_ACCOUNT, names=accounts, namespace=namespace)
    yield RelatedRule(ROLE_BINDING, names=tuple(map(names.binding, accounts)), namespace=namespace)
    yield RelatedRule(SECRET, names=(settings.mpi_run.secret_name,), namespace=namespace)


@dataclass(frozen=True)
class _Namespace:
    """A namespace and what is in it."""

    request: SyncRequest
    settings: Settings

    @cached_property
    def name(self) -> str:
        return str(self.request.parent["metadata"]["name"])

    @cached_property
    def graphs(self) -> list[Object]:
        return self.request.related.all(GRAPH_DEPLOYMENT, self.name)

    @cached_property
    def components(self) -> list[Object]:
        """Components that no graph made: those of one say nothing that it does not say itself."""
        found = self.request.related.all(COMPONENT_DEPLOYMENT, self.name)
        return [item for item in found if owning_graph(item["metadata"]) is None]

    @cached_property
    def requests(self) -> list[Object]:
        return self.request.related.all(GRAPH_DEPLOYMENT_REQUEST, self.name)

    def knows(self, *kinds: Kind) -> bool:
        """Whether all of these kinds were asked for, so that none of them being there says something."""
        return all(map(self.request.related.asked, kinds))

    def services(self) -> Iterator[Object]:
        """The spec of every component there is to be."""
        for graph in self.graphs:
            services = part(part(graph, "spec"), "services")
            yield from (service for service in services.values() if isinstance(service, dict))
        yield from (part(component, "spec") for component in self.components)

    def observed(self, kind: Kind, name: str) -> Object | None:
        """Our own object of that name, if it is there."""
        return self.request.children.find(kind, name, self.name) or self.request.children.find(kind, name)

    def is_free(self, kind: Kind, name: str) -> bool:
        """Whether nobody else has made an object of that name: such a one is used as it is."""
        return self.observed(kind, name) is not None or self.request.related.find(kind, name, self.name) is None

    def lasting(self, wanted: Iterable[Object], *reasons: Kind, needed: bool) -> list[Object]:
        """Objects that last as long as something of the kinds `reasons` needs them."""
        attachments = []
        for item in wanted:
            kind, name = BY_NAME[item["kind"]], name_of(item)[1]
            observed = self.observed(kind, name)
            if needed and self.is_free(kind, name):
                attachments.append(item)
            elif not needed and not self.knows(*reasons) and observed is not None:
                attachments.append(_kept(observed))
        return attachments


def _kept(child: Object) -> Object:
    """An attachment as it is."""
    return identity(child) if child.get("kind") in MADE_ONCE else restate_child(child)


def _planner_account(namespace: _Namespace) -> list[Object]:
    account = namespace.settings.defaults.planner.service_account_name
    if not account:
        return []
    wanted = [
        build_account(account, namespace.name),
        build_role_binding(account, namespace.name, namespace.settings.rbac.planner_cluster_role),
    ]
    needed = bool(namespace.graphs or namespace.components)
    return namespace.lasting(wanted, GRAPH_DEPLOYMENT, COMPONENT_DEPLOYMENT, needed=needed)


def _profiling_account(namespace: _Namespace) -> list[Object]:
    rbac = namespace.settings.rbac
    wanted = [
        build_account(names.PROFILING_ACCOUNT, namespace.name),
        build_role_binding(names.PROFILING_ACCOUNT, namespace.name, rbac.profiling_cluster_role),
    ]
    lasting = namespace.lasting(wanted, GRAPH_DEPLOYMENT_REQUEST, needed=bool(namespace.requests))
    binding = [build_node_reader_binding(namespace.name, rbac.node_reader_cluster_role)]
    reads_nodes = any(part(item, "spec").get("enableGpuDiscovery") is True for item in namespace.requests)
    # Nodes belong to no namespace: an installation for some of them has no business with nodes.
    needed = reads_nodes and not namespace.settings.namespace_restriction.enabled
    return lasting + namespace.lasting(binding, GRAPH_DEPLOYMENT_REQUEST, needed=needed)


def _model_services(namespace: _Namespace) -> list[Object]:
    found = (part(service, "modelRef").get("name") for service in namespace.services())
    models = sorted({name for name in found if isinstance(name, str) and name})
    wanted = {names.model_service(model): build_model_service(model, namespace.name) for model in models}
    services = namespace.lasting(wanted.values(), needed=True)
    left = [child for child in namespace.request.children.all(SERVICE) if name_of(child)[1] not in wanted]
    known = namespace.knows(GRAPH_DEPLOYMENT, COMPONENT_DEPLOYMENT)
    settled = all(map(_is_settled, [*namespace.graphs, *namespace.components]))
    return services if known and settled else services + [_kept(child) for child in left]


def _is_settled(item: Object) -> bool:
    """Whether what runs for a graph or component is what its spec says, so that it uses no other model.

    While a change is rolled out, and as long as it is invalid, pods of before serve.
    """
    status = part(item, "status")
    if not status:
        return True  # nothing runs yet
    observed, generation = status.get("observedGeneration"), item["metadata"].get("generation")
    behind = isinstance(observed, int) and isinstance(generation, int) and observed < generation
    summed_up = summary(item)
    return not behind and summed_up is not None and summed_up["status"] == "True"


def _mpi_keys(namespace: _Namespace) -> list[Object]:
    """The Secret with the keys, and those of before: kept as long as the namespace, since one comes back otherwise."""
    name = namespace.settings.mpi_run.secret_name
    kept = [identity(secret) for secret in namespace.request.children.all(SECRET)]
    is_there = namespace.observed(SECRET, name) is not None
    if is_there or not namespace.knows(SECRET) or not namespace.is_free(SECRET, name):
        return kept
    items = (*namespace.graphs, *namespace.components)
    needed = any(_runs_mpi(item, namespace.settings) for item in items)
    return [*kept, build_mpi_keys(name, namespace.name, namespace.request.randomness)] if needed else kept


def _runs_mpi(item: Object, settings: Settings) -> bool:
    """Whether a graph or component has pods that mount the keys: they span nodes and run TensorRT-LLM."""
    spec = part(item, "spec")
    is_graph = item.get("kind") == GRAPH_DEPLOYMENT.kind
    specs = part(spec, "services").values() if is_graph else [spec]
    if not any(isinstance(found, dict) and isinstance(found.get("multinode"), dict) for found in specs):
        return False
    inputs = [spec, is_graph, item["metadata"]["name"], settings.fingerprint]
    return bool(_spanning(inputs, lambda: any(map(_is_spread_by_mpi, _components_of(item, settings)))))


def _components_of(item: Object, settings: Settings) -> Iterator[Component]:
    """The component, or those of a graph as they are made: only they have all that is known of them."""
    try:
        made = built(item, settings).components.values() if item.get("kind") == GRAPH_DEPLOYMENT.kind else [item]
    except InvalidSpec:
        return
    for component in made:
        try:
            yield read_component(component, settings)
        except InvalidSpec:
            continue


def _is_spread_by_mpi(component: Component) -> bool:
    return component.backend == "trtllm" and component.node_count > 1
