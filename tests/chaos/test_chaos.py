"""A few life cycles of `make chaos`, each disturbance by itself, and faults planted on purpose, which must be found."""

import json

import pytest
from werkzeug.wrappers import Request, Response

from tests.chaos.disturbances import ELSEWHERE, HOOKS, STORE, Disturbance
from tests.chaos.graphs import SCALING
from tests.chaos.life_cycles import LifeCycle
from tests.chaos.runs import against, judge, run, shrink
from tests.chaos.steps import apply, delete
from tests.simulator.scenarios.situations import GRAPH, graph, service
from tests.simulator.scenarios.test_models import BASE, MODEL, model

WORKER = service(replicas=2, modelRef={"name": BASE})
ROLLED_OUT = {"Frontend": service("frontend", replicas=3), "Worker": WORKER | {"envs": [{"name": "A", "value": "1"}]}}
LIFE = LifeCycle(
    (
        apply("creates a model", model()),
        apply("creates", graph(services={"Frontend": service("frontend"), "Worker": WORKER})),
        apply("rolls out", graph(services=ROLLED_OUT)),
        apply("adds to", graph(services=ROLLED_OUT | {"Scaled": service(autoscaling=SCALING)})),
        delete(MODEL, "adapter"),
        delete(GRAPH, "chat"),
    ),
    frozenset({0, 2}),
    (),
)
STORY = len(LIFE.steps)


@pytest.fixture(scope="module")
def undisturbed():
    return run(LIFE, 0, (), patient=True)


@pytest.mark.parametrize("number", range(5))
def test_a_life_cycle_that_is_disturbed_ends_as_it_does_undisturbed(number):
    assert judge(0, number).faults == ()


@pytest.mark.parametrize(
    ("where", "what"),
    [("store", what) for what in STORE] + [("hooks", what) for what in HOOKS] + [("elsewhere", w) for w in ELSEWHERE],
)
def test_a_life_cycle_survives_each_disturbance_at_every_step(undisturbed, where, what):
    when = {"seconds": 0.3} if where == "elsewhere" else {"count": 2, "times": 1 if "crash" in what else 3}
    befalling = tuple(Disturbance(step, where, what, lasting=5.0, **when) for step in range(STORY))
    verdict = against(undisturbed, LIFE, 0, befalling)
    assert verdict.faults == ()
    assert f"{where}: {what}" in verdict.happened


# Hooks and an engine that are wrong on purpose. What they do wrong they do in the disturbed run alone.


def answering(path, change, calls=range(10_000)):
    """Hooks whose answers to some of the calls of a path are changed."""

    def plant(application):
        made = iter(range(10_000))

        @Request.application
        def wrong(request):
            response = Response.from_app(application, request.environ)
            if request.path != path or response.status_code != 200 or next(made) not in calls:
                return response
            answer = json.loads(response.get_data())
            change(answer)
            return Response(json.dumps(answer), content_type="application/json")

        return wrong

    return {"plant": plant}


def forget_a_child(answer):
    answer["children"] = answer["children"][:-1]


def keep_for_ever(answer):
    answer["finalized"] = False


def change_pods(answer):
    for child in answer["children"]:
        if child["kind"] == "Deployment":
            child["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] = 7


class MakesTwice:
    """An engine that does not remember under which name it made a Deployment."""

    def __init__(self, store):
        self._store = store

    def __getattr__(self, name):
        return getattr(self._store, name)

    def create(self, item):
        if item["kind"] == "Deployment":
            again = {**item, "metadata": {**item["metadata"], "name": item["metadata"]["name"] + "-again"}}
            self._store.create(again)
        return self._store.create(item)


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        (answering("/dynamocomponentdeployments/sync", forget_a_child, {20}), "made, gone, made"),
        (answering("/dynamocomponentdeployments/sync", forget_a_child), "it comes to rest otherwise"),
        (answering("/dynamomodels/finalize", keep_for_ever), "DynamoModel default/adapter never goes"),
        (answering("/dynamocomponentdeployments/sync", change_pods, {20}), "was otherwise than undisturbed"),
        ({"plant_store": MakesTwice}, "Deployment default/chat-frontend-again: made"),
    ],
    ids=[
        "a child is forgotten once",
        "a child is always forgotten",
        "deletion never ends",
        "pods restart",
        "made twice",
    ],
)
def test_what_is_planted_is_found(undisturbed, planted, found):
    faults = "\n".join(against(undisturbed, LIFE, 0, (), **planted).faults)
    assert found in faults


def test_what_goes_wrong_without_disturbances_is_shown_without_them():
    planted = {"plant_store": MakesTwice}
    verdict = judge(0, 21, **planted)  # a short one
    assert verdict.faults
    assert verdict.disturbances
    assert shrink(0, verdict, **planted).disturbances == ()
