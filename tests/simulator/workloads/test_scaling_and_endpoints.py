from tests.simulator.workloads.below import deployment


def autoscaler(**spec):
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    made = {"scaleTargetRef": target, "minReplicas": 2, "maxReplicas": 4, **spec}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "a"}, "spec": made}


def replicas(below):
    return below.get("Deployment", "d")["spec"]["replicas"]


def test_an_autoscaler_follows_demand_within_its_bounds(below):
    below.apply(deployment(replicas=1), autoscaler())
    below.settle()
    assert replicas(below) == 2
    for wanted, given in [(3, 3), (9, 4), (0, 2)]:
        below.world.want("a", wanted)
        below.settle()
        assert replicas(below) == given
        assert below.status("HorizontalPodAutoscaler", "a")["currentReplicas"] == given


def test_what_was_scaled_to_none_is_left_alone(below):
    below.apply(deployment(replicas=0), autoscaler())
    below.settle()
    assert replicas(below) == 0


def test_an_autoscaler_without_its_target_says_so(below):
    below.apply(autoscaler())
    below.settle()
    assert below.reason("HorizontalPodAutoscaler", "a", "AbleToScale") == "FailedGetScale"


def service(**spec):
    made = {"selector": {"app": "x"}, "ports": [{"name": "http", "port": 80, "targetPort": 8000}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}, "spec": made}


def endpoints(below):
    slices = below.store.list("EndpointSlice")
    return sorted(one["conditions"]["ready"] for found in slices for one in found["endpoints"] or [])


def test_the_pods_behind_a_service_are_its_endpoints(below):
    below.apply(service(), deployment(replicas=2))
    below.run_for(1)
    assert endpoints(below) == [False, False]
    below.settle()
    assert endpoints(below) == [True, True]
    made = below.store.list("EndpointSlice")[0]
    assert made["metadata"]["labels"]["kubernetes.io/service-name"] == "s"
    assert made["ports"] == [{"name": "http", "port": 8000, "protocol": "TCP"}]
    below.edit("Deployment", "d", lambda item: item["spec"].update(replicas=1))
    below.settle()
    assert endpoints(below) == [True]
    below.delete("Service", "s")
    below.settle()
    assert below.store.list("EndpointSlice") == []


def test_pods_that_a_service_does_not_select_are_none(below):
    below.apply(service(selector={"app": "x", "role": "leader"}), deployment(replicas=1))
    below.settle()
    assert endpoints(below) == []
