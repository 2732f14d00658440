import pytest

from tests.asked import ask, component, laid_over, main_container

GPU = "nvidia.com/gpu"


@pytest.mark.parametrize(
    ("resources", "expected"),
    [
        pytest.param(None, None, id="nothing"),
        pytest.param({"requests": {}, "limits": {"cpu": ""}}, None, id="empty counts as unset"),
        pytest.param(
            {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}},
            {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "2Gi"}},
            id="both blocks, nothing dropped",
        ),
        pytest.param({"limits": {"gpu": "1"}}, {"limits": {GPU: "1"}}, id="a GPU as a limit"),
        pytest.param(
            {"requests": {"gpu": "2"}},
            {"requests": {GPU: "2"}, "limits": {GPU: "2"}},
            id="a GPU in requests alone is also the limit",
        ),
        pytest.param({"requests": {"cpu": "2"}}, {"requests": {"cpu": "2"}}, id="CPU in requests alone is not"),
        pytest.param(
            {"limits": {"gpu": "1", "gpuType": "gpu.intel.com/xe"}},
            {"limits": {"gpu.intel.com/xe": "1"}},
            id="another GPU",
        ),
        pytest.param(
            {"limits": {"gpu": "1", "gpuType": "gpu.intel.com/xe"}, "requests": {"gpu": "1"}},
            {"limits": {"gpu.intel.com/xe": "1"}, "requests": {"gpu.intel.com/xe": "1"}},
            id="named in one block it counts in both",
        ),
        pytest.param({"limits": {"gpuType": "gpu.intel.com/xe"}}, None, id="a type without a number asks for nothing"),
        pytest.param(
            {"requests": {"custom": {"rdma/ib": "1"}}, "limits": {"custom": {"rdma/ib": "1"}}},
            {"requests": {"rdma/ib": "1"}, "limits": {"rdma/ib": "1"}},
            id="other resources by their names",
        ),
        pytest.param(
            {"requests": {"custom": {"rdma/ib": "1", "ephemeral-storage": "1Gi"}}},
            {"requests": {"rdma/ib": "1", "ephemeral-storage": "1Gi"}, "limits": {"rdma/ib": "1"}},
            id="what cannot be overcommitted is also the limit",
        ),
        pytest.param({"claims": [{"name": "c"}]}, {"claims": [{"name": "c"}]}, id="claims of dynamic allocation"),
        pytest.param({"claims": [{"name": "c"}] * 2}, {"claims": [{"name": "c"}]}, id="each claim once"),
        pytest.param(
            {"requests": {"cpu": "1000m", "memory": "1024Mi"}, "limits": {"cpu": "0.5e1", "memory": "8192Mi"}},
            {"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "5", "memory": "8Gi"}},
            id="in the form in which the API server hands them back",
        ),
    ],
)
def test_resources_of_the_main_container(resources, expected):
    assert ask(component({"resources": resources})).main.get("resources") == expected


def test_what_the_main_container_names_wins_resource_by_resource():
    own = main_container(resources={"limits": {GPU: 4, "cpu": 0.5}, "claims": [{"name": "b"}]})
    spec = {"resources": {"limits": {"gpu": "1", "memory": "1Gi"}, "claims": [{"name": "a"}]}}
    assert ask(component(laid_over(spec, own))).main["resources"] == {
        "limits": {GPU: "4", "cpu": "500m", "memory": "1Gi"},
        "claims": [{"name": "a"}, {"name": "b"}],
    }


@pytest.mark.parametrize(
    ("resources", "message"),
    [
        ({"limits": {"cpu": "lots"}}, "spec.resources.limits.cpu: 'lots' is no amount"),
        ({"requests": {"memory": "-1"}}, "spec.resources.requests.memory: '-1' is no amount"),
        ({"limits": {"gpu": "1.5"}}, "spec.resources, nvidia.com/gpu: '1.5' is no whole number; write one such as 1"),
        ({"requests": {"custom": {"a/b": "500m"}}}, "spec.resources, a/b: '500m' is no whole number"),
        ({"limits": {"gpu": "one"}}, "spec.resources.limits.gpu: 'one' is no amount"),
        ({"limits": {"custom": {"a/b": "x"}}}, "spec.resources.limits.custom[a/b]: 'x' is no amount"),
        ({"limits": {"custom": {"gpus": "1"}}}, "spec.resources: 'gpus' is no resource"),
        ({"limits": {"gpu": "1", "gpuType": "a b"}}, "spec.resources: 'a b' is no resource"),
        (
            {"requests": {"gpu": "1"}, "limits": {"gpu": "2"}},
            "spec.resources, request of nvidia.com/gpu: 1 differs from its limit of 2",
        ),
        (
            {"requests": {"cpu": "1500m"}, "limits": {"cpu": "1"}},
            "spec.resources, request of cpu: 1500m is more than its limit of 1",
        ),
        (
            {"claims": [{"name": "a", "request": "x"}, {"name": "a", "request": "y"}]},
            "Deployment g-decode, spec.template.spec.containers[0].resources",
        ),
    ],
)
def test_resources_that_cannot_be_are_an_invalid_spec(resources, message):
    answer = ask(component({"resources": resources}))
    assert answer.condition["reason"] == "InvalidSpec"
    assert answer.message.startswith(message)


@pytest.mark.parametrize("place", ["requests", "limits"])
def test_an_amount_of_the_main_container_that_cannot_be_read_is_an_invalid_spec(place):
    answer = ask(component(main_container(resources={place: {"cpu": "lots"}})))
    field = f"spec.extraPodSpec.mainContainer.resources.{place}.cpu"
    assert answer.message == f"{field}: 'lots' is no quantity; write one such as 2, 500m or 20Gi"
