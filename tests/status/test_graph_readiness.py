import pytest

from tests.asked import ask, graph, laid_over

SERVICES = {"Frontend": {}, "decode": {"replicas": 2}}
NUMBERS = {
    "componentKind": "Deployment",
    "componentName": "g-decode",
    "replicas": 2,
    "updatedReplicas": 2,
    "readyReplicas": 2,
    "availableReplicas": 2,
}


def status(available="True", reason="Ready", message="2 of 2", **more):
    """The status of a component."""
    condition = {"type": "Available", "status": available, "reason": reason, "message": message}
    return {"observedGeneration": 1, "conditions": [condition], **more}


def observed(services=SERVICES, **statuses):
    """The components of a graph, all available; `decode={…}` is laid over the one of that service."""
    children = ask(graph(services)).observed(DynamoComponentDeployment={"status": status()})
    return [laid_over(child, statuses.get(child["spec"]["serviceName"], {})) for child in children]


def ready(answer):
    (condition,) = answer.status["conditions"]
    assert condition["type"] == "Ready"
    assert (condition["status"] == "True") == (answer.status["state"] == "successful")
    return answer.status["state"], condition["reason"], condition["message"]


def test_a_graph_is_ready_when_every_component_is_available():
    answer = ask(graph(SERVICES, metadata={"generation": 3}), observed=observed())
    assert ready(answer) == ("successful", "all_resources_are_ready", "all resources are ready")
    assert answer.status["observedGeneration"] == 3


def test_a_new_graph_waits_for_each_of_its_components():
    assert ready(ask(graph(SERVICES), observed=[])) == (
        "pending",
        "some_resources_are_not_ready",
        "g-decode: not created yet. g-frontend: not created yet",
    )


@pytest.mark.parametrize(
    ("decode", "message"),
    [
        pytest.param(
            {"status": status("False", "NotReady", "Deployment g-decode: 2 desired, 1 ready")},
            "g-decode: Deployment g-decode: 2 desired, 1 ready",
            id="not available",
        ),
        pytest.param({"status": {"conditions": []}}, "g-decode: no status yet", id="it has no status yet"),
        pytest.param(
            {"metadata": {"generation": 3}, "status": {"observedGeneration": 2}},
            "g-decode: its status is behind its spec",
            id="its status is behind",
        ),
        pytest.param(
            {"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "service": NUMBERS}},
            "g-decode: its status is behind its spec (last known: 2 there, 2 updated, 2 ready, 2 available)",
            id="its status is behind and has numbers",
        ),
        pytest.param(
            {"metadata": {"annotations": {"nvidia.com/desired-hash": "old"}}},
            "DynamoComponentDeployment g-decode: not yet applied; should this last, see the SyncError event in "
            "`kubectl describe`",
            id="it is not what is asked for",
        ),
    ],
)
def test_a_graph_waits_for_a_component(decode, message):
    answer = ask(graph(SERVICES), observed=observed(decode=decode))
    assert ready(answer) == ("pending", "some_resources_are_not_ready", message)


def test_the_planner_that_patches_its_own_graphs_replicas_sees_it_not_ready_at_once():
    services = SERVICES | {"decode": {"replicas": 3}}
    answer = ask(graph(services, metadata={"generation": 2}), observed=observed())
    assert ready(answer)[0] == "pending"
    assert answer.child("DynamoComponentDeployment", "g-decode")["spec"]["replicas"] == 3


@pytest.mark.parametrize(
    "reason", ["InvalidSpec", "NameConflict", "LeaderWorkerSetMissing", "IstioMissing", "ServiceMissing"]
)
def test_a_graph_fails_with_a_component_that_no_waiting_mends(reason):
    decode, frontend = {"status": status("False", reason, "why")}, {"status": status("False", "NotReady", "1 of 2")}
    answer = ask(graph(SERVICES), observed=observed(decode=decode, Frontend=frontend))
    assert ready(answer) == ("failed", reason, "g-decode: why. g-frontend: 1 of 2")


def test_what_a_component_said_of_an_older_spec_does_not_make_its_graph_fail():
    decode = {"metadata": {"generation": 2}, "status": status("False", "InvalidSpec", "why")}
    assert ready(ask(graph(SERVICES), observed=observed(decode=decode)))[0] == "pending"


def test_all_that_is_not_ready_is_listed_sorted():
    services = {name: {} for name in "cab"}
    statuses = {name: {"status": status("False", "NotReady", f"{name} of 9")} for name in services}
    answer = ask(graph(services), observed=observed(services, **statuses))
    assert ready(answer)[2] == "g-a: a of 9. g-b: b of 9. g-c: c of 9"


# Numbers


def test_the_numbers_of_each_service_stand_under_its_key_with_its_capitals():
    numbers = NUMBERS | {"componentName": "g-frontend"}
    answer = ask(graph(SERVICES), observed=observed(Frontend={"status": {"service": numbers}}))
    assert answer.status["services"] == {"Frontend": numbers}


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(NUMBERS | {"more": 1, "podSelector": {}}, NUMBERS, id="more than a graph's status has"),
        pytest.param(
            {"componentKind": "Deployment", "componentName": "d"},
            {
                "componentKind": "Deployment",
                "componentName": "d",
                "replicas": 0,
                "updatedReplicas": 0,
                "readyReplicas": 0,
                "availableReplicas": 0,
            },
            id="zeros are left out",
        ),
        pytest.param(NUMBERS | {"replicas": "2"}, NUMBERS | {"replicas": 0}, id="no number"),
        pytest.param({"replicas": 2}, None, id="no workload is named"),
        pytest.param("x", None, id="another shape"),
        pytest.param(None, None, id="nothing"),
    ],
)
def test_only_what_the_graphs_schema_takes_is_copied(said, expected):
    answer = ask(graph(SERVICES), observed=observed(decode={"status": {"service": said}}))
    assert answer.status.get("services", {}).get("decode") == expected


def test_while_a_graph_is_invalid_its_numbers_are_those_of_what_runs():
    there = observed(decode={"status": {"service": NUMBERS}})
    answer = ask(graph(SERVICES | {"decode": {"replicas": "two"}}), observed=there)
    assert ready(answer)[:2] == ("failed", "InvalidSpec")
    assert answer.status["services"] == {"decode": NUMBERS}


def test_while_a_component_waits_for_its_claim_its_numbers_are_those_of_what_runs():
    there = observed(decode={"status": {"service": NUMBERS}})
    mounting = {"replicas": 2, "volumeMounts": [{"name": "m", "mountPoint": "/m"}]}
    answer = ask(graph(SERVICES | {"decode": mounting}), observed=there, related=[])
    assert answer.status["services"] == {"decode": NUMBERS}


def test_init_containers_of_a_component_that_would_run_in_another_order_are_named():
    def services(*names):
        return {"A": {"extraPodSpec": {"initContainers": [{"name": name, "image": "i"} for name in names]}}}

    answer = ask(graph(services("new", "old")), observed=ask(graph(services("old"))).observed())
    assert ready(answer)[2].endswith(
        "g-a: its init containers run in the order old, new, not new, old, since those that are there keep their "
        "places: give old another name"
    )


def test_a_component_that_is_being_deleted_is_not_ready_though_it_still_says_so():
    leaving = {"metadata": {"deletionTimestamp": "2026-11-30T11:59:00Z"}}
    state, _, message = ready(ask(graph(SERVICES), observed=observed(decode=leaving)))
    assert state == "pending"
    assert message == ("DynamoComponentDeployment g-decode: is being deleted; it is made anew once it is gone")
