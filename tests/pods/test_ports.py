import pytest

from tests.asked import ask, component, laid_over, main_container

SYSTEM = {"name": "system", "containerPort": 9090, "protocol": "TCP"}


@pytest.mark.parametrize(
    ("component_type", "given", "expected"),
    [
        pytest.param("frontend", None, [("http", 8000)], id="frontend"),
        pytest.param("worker", None, [("system", 9090)], id="worker"),
        pytest.param("prefill", None, [("system", 9090)], id="prefill is a worker"),
        pytest.param("decode", None, [("system", 9090)], id="decode is a worker"),
        pytest.param("planner", None, [("metrics", 9085)], id="planner"),
        pytest.param("router", None, [], id="another type has none"),
        pytest.param(None, None, [], id="no type has none"),
        pytest.param("router", [{"name": "a", "containerPort": 1}], [("a", 1)], id="the user's own"),
        pytest.param("frontend", [], [("http", 8000)], id="an empty list counts as unset"),
        pytest.param("worker", [{"name": "a", "containerPort": 1}], [("system", 9090), ("a", 1)], id="one more"),
        pytest.param(
            "worker", [{"name": "metrics", "containerPort": 9090}], [("metrics", 9090)], id="the same number, once"
        ),
        pytest.param("worker", [{"containerPort": 9090}], [("system", 9090)], id="a number alone keeps our name"),
        pytest.param(
            "worker", [{"name": "", "containerPort": 9090}], [("system", 9090)], id="an empty name counts as unset"
        ),
        pytest.param(
            "worker", [{"name": None, "containerPort": 9090, "protocol": None}], [("system", 9090)], id="so does null"
        ),
        pytest.param("frontend", [{"name": "http", "containerPort": 80}], [("http", 80)], id="another number"),
        pytest.param(
            "frontend",
            [{"name": "x", "containerPort": 8000}, {"name": "http", "containerPort": 80}],
            [("x", 8000), ("http", 80)],
            id="our number under another name, our name with another number",
        ),
    ],
)
def test_a_users_ports_are_merged_into_the_default_ones(component_type, given, expected):
    answer = ask(component({"componentType": component_type, **main_container(ports=given)}))
    assert [(port["name"], port["containerPort"]) for port in answer.main.get("ports", ())] == expected
    service = answer.child("Service")
    found = service["spec"]["ports"] if service else []
    assert found == [{"name": name, "port": n, "targetPort": n, "protocol": "TCP"} for name, n in expected]


def test_our_number_without_a_name_beside_our_name_with_another_number_are_two_ports():
    given = [{"containerPort": 9090}, {"name": "system", "containerPort": 9091}]
    answer = ask(component({"componentType": "worker", **main_container(ports=given)}))
    assert answer.main["ports"] == [SYSTEM | {"containerPort": 9091}, {"containerPort": 9090}]
    assert [port["name"] for port in answer.child("Service")["spec"]["ports"]] == ["system", "port-9090"]
    assert answer.main["livenessProbe"]["httpGet"]["port"] == 9091


def test_a_port_without_a_name_gets_one_in_the_service_only():
    answer = ask(component(main_container(ports=[{"containerPort": 5000}])))
    assert answer.main["ports"] == [{"containerPort": 5000}]
    assert answer.child("Service")["spec"]["ports"][0]["name"] == "port-5000"


def test_a_ports_further_fields_stay():
    answer = ask(
        component({"componentType": "worker", **main_container(ports=[{"containerPort": 9090, "hostPort": 9}])})
    )
    assert answer.main["ports"] == [SYSTEM | {"hostPort": 9}]


def test_the_probes_follow_a_default_port_to_its_new_number():
    ports = main_container(ports=[{"name": "system", "containerPort": 9999}])
    main = ask(component({"componentType": "worker"} | ports)).main
    assert {main[f"{kind}Probe"]["httpGet"]["port"] for kind in ("liveness", "readiness", "startup")} == {9999}


def test_the_probes_find_a_default_port_that_has_another_name():
    ports = main_container(ports=[{"name": "metrics", "containerPort": 9090}])
    main = ask(component({"componentType": "worker"} | ports)).main
    assert {main[f"{kind}Probe"]["httpGet"]["port"] for kind in ("liveness", "readiness", "startup")} == {9090}


@pytest.mark.parametrize("handler", ["tcpSocket", "grpc"])
def test_probes_of_the_settings_follow_their_port_whatever_they_do(handler):
    settings = {"defaults": {"worker": {"ports": [SYSTEM], "livenessProbe": {handler: {"port": 9090}}}}}
    ports = main_container(ports=[{"name": "system", "containerPort": 9999}])
    answer = ask(component({"componentType": "worker"} | ports), settings=settings)
    assert answer.main["livenessProbe"] == {handler: {"port": 9999}}


def test_one_number_in_two_protocols_is_invalid_since_one_of_the_two_would_be_lost():
    ports = [{"name": "a", "containerPort": 53}, {"name": "b", "containerPort": 53, "protocol": "UDP"}]
    answer = ask(component(main_container(ports=ports)))
    assert answer.condition["reason"] == "InvalidSpec"
    assert "containerPort 53 stands twice" in answer.message


def test_the_service_selects_this_components_pods_alone():
    answer = ask(component({"componentType": "worker"}))
    assert answer.child("Service")["spec"]["selector"] == {"nvidia.com/selector": "g-decode"}


@pytest.mark.parametrize("backend", [None, "kubernetes"])
@pytest.mark.parametrize("component_type", ["frontend", "worker"])
def test_the_service_says_that_its_component_is_discovered(backend, component_type):
    answer = ask(component({"componentType": component_type}), settings={"discoveryBackend": backend})
    found = answer.child("Service")["metadata"]["labels"]
    assert found.get("nvidia.com/dynamo-discovery-backend") == backend
    enabled = "true" if backend and component_type == "worker" else None
    assert found.get("nvidia.com/dynamo-discovery-enabled") == enabled


def test_init_and_side_containers_make_no_port_of_the_service():
    side = {"containers": [{"name": "s", "image": "i", "ports": [{"containerPort": 1}]}]}
    answer = ask(component(laid_over({"componentType": "worker"}, {"extraPodSpec": side})))
    assert [port["port"] for port in answer.child("Service")["spec"]["ports"]] == [9090]


def listening(component_type, given, **further):
    """Where a component listens, as each part tells it: its port, its Service, its HTTP probes, its variables."""
    spec = {"componentType": component_type, **main_container(ports=given), **further}
    answer = ask(component(spec))
    probes = [answer.main.get(f"{kind}Probe", {}) for kind in ("liveness", "readiness", "startup")]
    variables = {name: value for name, value in answer.env.items() if name.endswith("_PORT")}
    return (
        [port["containerPort"] for port in answer.main["ports"]],
        [port["port"] for port in answer.child("Service")["spec"]["ports"]],
        {probe["httpGet"]["port"] for probe in probes if "httpGet" in probe},
        variables,
    )


def variable(name, value):
    return [{"name": name, "value": value}]


@pytest.mark.parametrize(
    ("component_type", "name", "variables", "probed"),
    [
        ("frontend", "http", {"DYNAMO_PORT", "DYN_HTTP_PORT"}, True),
        ("worker", "system", {"DYN_SYSTEM_PORT"}, True),
        ("prefill", "system", {"DYN_SYSTEM_PORT"}, True),
        ("planner", "metrics", {"PLANNER_PROMETHEUS_PORT"}, False),
    ],
)
def test_a_moved_port_is_told_to_the_program_that_listens_there(component_type, name, variables, probed):
    moved = listening(component_type, [{"name": name, "containerPort": 9999}])
    assert moved == ([9999], [9999], {9999} if probed else set(), dict.fromkeys(variables, "9999"))


@pytest.mark.parametrize(
    ("component_type", "name", "others"),
    [
        ("frontend", "DYN_HTTP_PORT", {"DYNAMO_PORT": "9999"}),
        ("frontend", "DYNAMO_PORT", {"DYN_HTTP_PORT": "9999"}),
        ("worker", "DYN_SYSTEM_PORT", {}),
    ],
)
@pytest.mark.parametrize("place", ["envs", "mainContainer.env"])
def test_a_port_follows_the_variable_that_tells_the_program_where_to_listen(component_type, name, others, place):
    given = variable(name, "9999")
    spec = {"envs": given} if place == "envs" else {"extraPodSpec": {"mainContainer": {"env": given}}}
    assert listening(component_type, None, **spec) == ([9999], [9999], {9999}, {name: "9999", **others})


@pytest.mark.parametrize(
    ("given", "envs", "expected"),
    [
        pytest.param(
            [{"name": "system", "containerPort": 9999}],
            variable("DYN_SYSTEM_PORT", "7000"),
            ([9999], [9999], {9999}, {"DYN_SYSTEM_PORT": "7000"}),
            id="both given stay as they are",
        ),
        pytest.param(
            [{"name": "mine", "containerPort": 9999}],
            variable("DYN_SYSTEM_PORT", "9999"),
            ([9999], [9999], {9999}, {"DYN_SYSTEM_PORT": "9999"}),
            id="a port of the variable's number stands for ours",
        ),
        *(
            pytest.param(None, variable("DYN_SYSTEM_PORT", text), ([9090], [9090], {9090}, {"DYN_SYSTEM_PORT": text}))
            for text in ("off", "0", "65536", "9" * 5000, "-1", "٩٠٩١")
        ),
    ],
)
def test_where_a_worker_listens(given, envs, expected):
    assert listening("worker", given, envs=envs) == expected


def test_a_variable_of_unknown_value_moves_no_port():
    envs = [{"name": "DYN_SYSTEM_PORT", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}}]
    ports, service, probes, _ = listening("worker", None, envs=envs)
    assert (ports, service, probes) == ([9090], [9090], {9090})
