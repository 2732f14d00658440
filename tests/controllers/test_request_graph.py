"""What a request says of the graph that was made for it."""

import pytest

from tests.controllers.request_situations import (
    ASKED,
    AUTO,
    ELSEWHERE,
    ago,
    ask,
    condition,
    graph,
    message_of,
    output,
    parent,
    said,
    situation,
    state_of,
)


def status_of_graph(**fields):
    made = graph("ready")
    made["status"] |= fields
    return made


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (graph("ready"), "Ready"),
        (status_of_graph(state="Ready"), "Ready"),
        (status_of_graph(conditions=[condition("Ready")]), "Ready"),
        (status_of_graph(conditions=[condition("Ready", observedGeneration=1)]), "Deploying"),
        (status_of_graph(conditions=[condition("Ready")], observedGeneration=1), "Deploying"),
        (status_of_graph(state="pending"), "Deploying"),
        (status_of_graph(conditions=[]), "Deploying"),
        (graph("pending"), "Deploying"),
        (graph("pending") | {"status": {}}, "Deploying"),
    ],
)
def test_a_graph_is_ready_when_it_says_so_of_its_current_generation(found, state):
    answer = ask(situation(parent(AUTO), found))
    assert state_of(answer) == state
    assert answer["status"]["deployment"]["created"] is True


def test_the_deployment_mirrors_the_graph():
    answer = ask(situation(parent(ELSEWHERE), graph("pending", "fast", "prod")))
    assert answer["status"]["deployment"] == {
        "name": "fast",
        "namespace": "prod",
        "created": True,
        "state": "pending",
    }
    assert message_of(answer, "DeploymentReady") == (
        "DynamoGraphDeployment fast in namespace prod was made and is not ready yet: 2 of 3 components"
    )


def test_a_planner_that_scales_does_not_take_ready_back():
    ready = ask(situation(parent(AUTO), graph("ready")))
    scaling = ask(situation(parent(AUTO, ready["status"]), graph("pending")))
    assert (state_of(scaling), said(scaling, "DeploymentReady")["reason"]) == ("Ready", "DeploymentDegraded")
    assert state_of(ask(situation(parent(AUTO, scaling["status"]), graph("ready")))) == "Ready"


def test_a_deleted_graph_stays_deleted_but_for_one_of_ours_that_is_seen():
    ready = ask(situation(parent(AUTO), output(), graph("ready")))
    gone = ask(situation(parent(AUTO, ready["status"]), output(), graph("ready", deletionTimestamp=ago(1))))
    assert state_of(gone) == "DeploymentDeleted"
    assert gone["status"]["deployment"] == {"name": "chat", "namespace": "inference", "created": True}
    again = ask(situation(parent(AUTO, gone["status"]), output(), graph("ready", uid="user")))
    assert again["status"] == gone["status"]
    assert state_of(ask(situation(parent(AUTO, gone["status"]), graph("pending")))) == "Deploying"


@pytest.mark.parametrize("found", [[], [graph("ready")], [graph("pending")], [graph("ready", uid=None)]])
def test_without_auto_apply_the_graph_does_not_matter(found):
    ready = ask(situation(parent(), output()))
    answer = ask(situation(parent(None, ready["status"]), output(), *found))
    assert answer["status"] == ready["status"]
    assert "deployment" not in answer["status"]


def test_the_graph_awaits_nothing_where_nobody_asked_for_it():
    asked = tuple(kind for kind in ASKED if "Graph" not in kind and "Namespace" not in kind)
    assert state_of(ask(situation(parent(ELSEWHERE), output(), asked=asked))) == "Deploying"
