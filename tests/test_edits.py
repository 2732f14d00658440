"""Specs that are edited step by step, under Metacontroller's merge, end where one that is written at once ends.

Lists are merged in the observed order with new entries behind, in a component as in what is made of it: nothing may be
lost by that, nothing left behind, and no variable may mean something else.
"""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.crds.definition import all_definitions
from hooks.simulator.custom.definitions import custom_resources
from hooks.simulator.metacontroller.apply import first_version, next_version
from tests.asked import ask, component, graph, laid_over, main_container, parent_of
from tests.laws import MERGE_KEYS, identity
from tests.pods.test_environment import expanded
from tests.test_any_spec import COMPONENT, COMPONENT_DEPLOYMENT, GRAPH, GRAPH_DEPLOYMENT, SEVERAL_NODES, changed

LAST_APPLIED = "metacontroller.k8s.io/last-applied-configuration"


class Cluster:
    """Children as they are found after each answer, without any roll-out."""

    def __init__(self):
        self.children = []

    def apply(self, answer):
        there = {identity(child): child for child in self.children}
        self.children = []
        for desired in answer.children:
            observed = there.get(identity(desired))
            kept = desired["kind"] == "PersistentVolumeClaim" and observed
            merged = observed if kept else next_version(observed, desired) if observed else first_version(desired)
            self.children.append({**merged, "metadata": {"uid": "u", "generation": 1, **merged["metadata"]}})
        return self

    def find(self, kind, name=None):
        return next(
            child
            for child in self.children
            if (child["kind"], name or child["metadata"]["name"]) == (kind, child["metadata"]["name"])
        )


def unordered(value):
    """A JSON value in which the order of lists that are merged by a key does not matter."""
    if isinstance(value, dict):
        return {key: unordered(item) for key, item in value.items() if key not in (LAST_APPLIED, "uid", "generation")}
    if not isinstance(value, list):
        return value
    items = [unordered(item) for item in value]
    merged = items and all(isinstance(item, dict) for item in items)
    if merged and any(all(key in item for item in items) for key in MERGE_KEYS):
        items.sort(key=lambda item: orjson.dumps(item, option=orjson.OPT_SORT_KEYS))
    return items


def by_name(children):
    return {identity(child): unordered(child) for child in children}


WAYS = {resource.kind: resource.ways for resource in custom_resources(all_definitions().values())}
"""Kind → how the API server treats it."""


def stored(item):
    """A custom resource as the API server stores it; None where it refuses it."""
    ways = WAYS[GRAPH_DEPLOYMENT if item["kind"] == GRAPH_DEPLOYMENT.kind else COMPONENT_DEPLOYMENT]
    found = ways.read(item).item
    return None if ways.faults(found, None, ()) or ways.status_faults(found, item) else found


def edited(kind, specs):
    """The last valid answer to a sequence of specs, as far as the API server takes them, and the cluster then."""
    cluster, last = Cluster(), None
    for spec in specs:
        parent = stored(parent_of(kind, "g", spec)) if isinstance(spec, dict) else None
        if parent is None:
            continue
        answer = ask(parent, observed=cluster.children)
        assert stored(parent | {"status": answer.status})
        for child in answer.children:
            if child["kind"] == COMPONENT_DEPLOYMENT.kind:
                assert unpruned(child, stored(child))
        cluster.apply(answer)
        last = answer if answer.condition["reason"] != "InvalidSpec" else last
    return last, cluster


def unpruned(value, kept):
    """Whether all of a value is in what was kept of it, whatever defaults were added."""
    if isinstance(value, dict):
        return isinstance(kept, dict) and all(key in kept and unpruned(value[key], kept[key]) for key in value)
    if isinstance(value, list):
        return isinstance(kept, list) and len(value) == len(kept) and all(map(unpruned, value, kept))
    return value == kept


@given(st.lists(changed(GRAPH, most=2), min_size=2, max_size=4))
def test_after_any_edits_a_graph_has_what_its_last_valid_spec_asks_for(specs):
    last, cluster = edited(GRAPH_DEPLOYMENT, specs)
    wanted = last.children if last else []
    kind = COMPONENT_DEPLOYMENT.kind
    found, wanted = ([child for child in children if child["kind"] == kind] for children in (cluster.children, wanted))
    assert by_name(found) == by_name(wanted)


@given(st.sampled_from([COMPONENT, SEVERAL_NODES]), st.data())
def test_after_any_edits_a_component_has_what_its_last_valid_spec_asks_for(spec, data):
    last, cluster = edited(COMPONENT_DEPLOYMENT, data.draw(st.lists(changed(spec, most=2), min_size=2, max_size=4)))
    assert by_name(cluster.children) == by_name(last.children if last else [])


NAMES = ("A", "B", "C", "POD_NAME", "DYN_NAMESPACE")
values = st.lists(st.sampled_from(["x", "$", "$$", *(f"$({name})" for name in NAMES)]), max_size=3).map("".join)


@st.composite
def environments(draw):
    names = draw(st.lists(st.sampled_from(NAMES), unique=True))
    return [
        {"name": name, "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}
        if draw(st.integers(0, 9)) == 0
        else {"name": name, "value": draw(values)}
        for name in names
    ]


OWNER = {"kind": "DynamoGraphDeployment", "name": "g", "uid": "uid-of-g", "controller": True}


def each_once(entries):
    return list({entry["name"]: entry for entry in entries}.values())


@given(st.lists(st.tuples(environments(), environments(), environments()), min_size=2, max_size=4))
def test_after_any_edits_each_variable_means_what_the_last_spec_says(versions):
    graphs, components = Cluster(), Cluster()
    for of_graph, of_main, of_service in versions:
        service = {"envs": of_service, **main_container(env=of_main)}
        graphs.apply(ask(graph({"A": service}, envs=of_graph), observed=graphs.children))
        made = graphs.find("DynamoComponentDeployment")
        made["metadata"]["ownerReferences"] = [OWNER]
        answer = ask(made, observed=components.children)
        components.apply(answer)
    container = components.find("Deployment")["spec"]["template"]["spec"]["containers"][0]
    by_service = {entry["name"] for entry in [*of_main, *of_service]}
    inherited = [entry for entry in of_graph if entry["name"] not in by_service]
    defaults = ask(component(name="g-a", labels={"nvidia.com/dynamo-graph-deployment-name": "g"})).main["env"]
    asked = expanded(each_once([*defaults, *of_main, *inherited, *of_service]))
    found = expanded(container["env"])
    if "which stands behind it" not in answer.message:
        assert found == asked
    else:  # as a new one that is made of the component as it has become
        new = ask(made).main["env"]
        assert expanded(new) == asked
        assert len(new) > len(defaults)


def test_a_new_variable_is_seen_by_an_older_one_though_it_lands_behind_it():
    cluster = Cluster().apply(ask(component({"envs": [{"name": "URL", "value": "http://old"}]})))
    envs = [{"name": "HOST", "value": "new"}, {"name": "URL", "value": "http://$(HOST)"}]
    cluster.apply(ask(component({"envs": envs}), observed=cluster.children))
    env = cluster.find("Deployment")["spec"]["template"]["spec"]["containers"][0]["env"]
    assert [entry["name"] for entry in env[-2:]] == ["URL", "HOST"]
    assert expanded(env)["URL"] == "http://new"


def test_a_value_of_ours_that_was_changed_by_hand_is_put_back_and_a_field_we_never_set_stays():
    parent = component({"componentType": "worker"})
    cluster = Cluster().apply(ask(parent))
    service = cluster.find("Service")
    by_hand = laid_over(service, {"spec": {"selector": {"nvidia.com/selector": "x"}, "sessionAffinity": "ClientIP"}})
    answer = ask(parent, observed=[by_hand])
    merged = next_version(by_hand, answer.child("Service"))
    assert merged["spec"]["selector"] == {"nvidia.com/selector": "g-decode"}
    assert merged["spec"]["sessionAffinity"] == "ClientIP"


@pytest.mark.parametrize("field", ["command", "args"])
def test_what_a_user_takes_back_goes(field):
    cluster = Cluster().apply(ask(component(main_container(**{field: ["x"]}))))
    cluster.apply(ask(component(), observed=cluster.children))
    container = cluster.find("Deployment")["spec"]["template"]["spec"]["containers"][0]
    assert container.get(field) == ask(component()).main.get(field)


def test_the_api_server_takes_what_is_edited_to_begin_with():
    assert stored(parent_of(GRAPH_DEPLOYMENT, "g", GRAPH))
    assert stored(parent_of(COMPONENT_DEPLOYMENT, "g", COMPONENT))
    assert stored(parent_of(COMPONENT_DEPLOYMENT, "g", SEVERAL_NODES))
