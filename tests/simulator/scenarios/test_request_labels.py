def request():
    return {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoGraphDeploymentRequest",
        "metadata": {"name": "sla", "namespace": "default"},
        "spec": {
            "model": "Qwen/Qwen3-0.6B",
            "backend": "vllm",
            "profilingConfig": {"profilerImage": "registry.example/profiler:1", "config": {"sla": {"isl": 3000}}},
        },
    }


def test_a_request_is_labelled_though_its_status_is_written_at_the_same_moment(situation):
    """The status makes the first update of the labels a conflict, which Metacontroller passes over in silence."""
    situation.cluster.apply(request())
    situation.cluster.run_for(5)
    labels = situation.cluster.get("DynamoGraphDeploymentRequest", "sla")["metadata"]["labels"]
    assert labels["dgdr.nvidia.com/target-namespace"] == "default"
