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
