import pytest

from tests.asked import ask, component, main_container

LIVE = {"httpGet": {"path": "/live", "port": 9090}}
HEALTH = {"httpGet": {"path": "/health", "port": 9090}}
FRONTEND_TIMES = {"initialDelaySeconds": 60, "periodSeconds": 60, "timeoutSeconds": 30, "failureThreshold": 10}
WORKER = {
    "livenessProbe": {**LIVE, "periodSeconds": 5, "timeoutSeconds": 30, "failureThreshold": 1},
    "readinessProbe": {**HEALTH, "periodSeconds": 10, "timeoutSeconds": 30, "failureThreshold": 60},
    "startupProbe": {**LIVE, "periodSeconds": 10, "timeoutSeconds": 5, "failureThreshold": 720},
}
LINE = r'curl -s http://localhost:${DYNAMO_PORT}/health | jq -e ".status == \"healthy\""'
FRONTEND = {
    "livenessProbe": {"httpGet": {"path": "/health", "port": 8000}, **FRONTEND_TIMES},
    "readinessProbe": {"exec": {"command": ["/bin/sh", "-c", LINE]}, **FRONTEND_TIMES},
}
GET = {"httpGet": {"path": "/mine", "port": 1}}
OTHER = {"tcpSocket": {"port": 2}}


def probes(spec):
    main = ask(component(spec)).main
    return {key: main[key] for key in ("livenessProbe", "readinessProbe", "startupProbe") if key in main}


@pytest.mark.parametrize(
    ("component_type", "expected"),
    [
        ("frontend", FRONTEND),
        ("worker", WORKER),
        ("prefill", WORKER),
        ("decode", WORKER),
        ("planner", {}),
        ("default", {}),
        (None, {}),
    ],
)
def test_the_probes_of_a_component_type(component_type, expected):
    assert probes({"componentType": component_type}) == expected


def test_the_startup_probe_gives_a_model_two_hours_to_load():
    startup = WORKER["startupProbe"]
    assert startup["periodSeconds"] * startup["failureThreshold"] == 2 * 60 * 60


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param({"livenessProbe": GET}, GET, id="the component's replaces the default as a whole"),
        pytest.param(main_container(livenessProbe=GET), GET, id="so does the main container's"),
        pytest.param({"livenessProbe": GET, **main_container(livenessProbe=OTHER)}, GET, id="the component's own wins"),
        pytest.param(
            {"livenessProbe": {"initialDelaySeconds": 7}},
            WORKER["livenessProbe"] | {"initialDelaySeconds": 7},
            id="without a handler it is laid over the default",
        ),
        pytest.param(
            {"livenessProbe": {"periodSeconds": 7}, **main_container(livenessProbe={"timeoutSeconds": 8})},
            WORKER["livenessProbe"] | {"periodSeconds": 7, "timeoutSeconds": 8},
            id="both laid over the default",
        ),
        pytest.param(
            {"livenessProbe": {"periodSeconds": 7}, **main_container(livenessProbe=GET)},
            GET | {"periodSeconds": 7},
            id="laid over the main container's",
        ),
        pytest.param({"livenessProbe": {}}, WORKER["livenessProbe"], id="empty counts as unset"),
        pytest.param({"livenessProbe": {"exec": None}}, WORKER["livenessProbe"], id="null counts as unset"),
        pytest.param(
            {"livenessProbe": {"httpGet": None, "periodSeconds": 7}},
            WORKER["livenessProbe"] | {"periodSeconds": 7},
            id="a null handler takes nothing away",
        ),
        pytest.param({"livenessProbe": GET | {"exec": None}}, GET, id="beside a handler null is nothing"),
        pytest.param(
            main_container(livenessProbe={"periodSeconds": 7}) | {"livenessProbe": GET},
            GET,
            id="what the component's own replaces does not count",
        ),
    ],
)
def test_a_users_liveness_probe(spec, expected):
    assert probes({"componentType": "worker", **spec}) == WORKER | {"livenessProbe": expected}


def test_a_users_startup_probe_stands_in_the_main_container():
    spec = main_container(startupProbe={"failureThreshold": 1000})
    assert probes({"componentType": "worker", **spec})["startupProbe"] == WORKER["startupProbe"] | {
        "failureThreshold": 1000
    }


def test_a_frontends_http_probe_leaves_nothing_of_the_default_exec():
    probe = {"exec": None, "httpGet": {"path": "/health", "port": 8000}}
    assert probes({"componentType": "frontend", "readinessProbe": probe})["readinessProbe"] == {
        "httpGet": {"path": "/health", "port": 8000}
    }


@pytest.mark.parametrize(
    ("component_type", "spec", "message"),
    [
        pytest.param(
            "planner",
            {"livenessProbe": {"periodSeconds": 7}},
            "spec.livenessProbe: has no handler, and this component type has no default to lay it over; "
            "add one of exec, httpGet, tcpSocket, grpc",
            id="nothing to lay it over",
        ),
        pytest.param(
            "worker",
            main_container(readinessProbe=GET | OTHER),
            "spec.extraPodSpec.mainContainer.readinessProbe: has httpGet and tcpSocket; keep one of them",
            id="two handlers",
        ),
    ],
)
def test_a_probe_that_cannot_be_is_an_invalid_spec(component_type, spec, message):
    answer = ask(component({"componentType": component_type, **spec}))
    assert (answer.condition["reason"], answer.message) == ("InvalidSpec", message)


def test_a_default_of_the_settings_takes_the_place_of_ours():
    settings = {"defaults": {"frontend": {"livenessProbe": {"grpc": {"port": 8000}}}}}
    main = ask(component({"componentType": "frontend"}), settings=settings).main
    assert main["livenessProbe"] == {"grpc": {"port": 8000}}
