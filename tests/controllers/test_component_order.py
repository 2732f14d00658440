"""Lists whose order Metacontroller decides: init containers and variables."""

import pytest

from tests.asked import ask, component


def owned(kind, api_version, owner=None, namespace="default"):
    references = [{"kind": "Release", "name": owner, "uid": "x", "controller": True}] if owner else []
    metadata = {"name": "g-decode", "namespace": namespace, "ownerReferences": references}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata}


def init(*names):
    return {"extraPodSpec": {"initContainers": [{"name": name, "image": "i"} for name in names]}}


@pytest.mark.parametrize(
    ("there", "wanted", "kept", "renamed"),
    [
        pytest.param("a", "ab", None, None, id="a new one behind"),
        pytest.param("ab", "b", None, None, id="one gone"),
        pytest.param("", "ab", None, None, id="all new"),
        pytest.param("a", "ba", "a, b, not b, a", "a", id="a new one in front"),
        pytest.param("ab", "ba", "a, b, not b, a", "b, a", id="changed places"),
        pytest.param("abc", "axbc", "a, b, c, x, not a, x, b, c", "b, c", id="a new one between"),
    ],
)
def test_init_containers_that_would_run_in_another_order_are_named(there, wanted, kept, renamed):
    observed = ask(component(init(*there))).observed()
    message = ask(component(init(*wanted)), observed=observed).message
    if kept is None:
        assert "init containers" not in message
        return
    assert message.endswith(
        f"Deployment g-decode: its init containers run in the order {kept}, since those that are there keep their "
        f"places: give {renamed} another name"
    )


def test_references_between_variables_do_not_depend_on_the_order_of_the_list():
    envs = [{"name": "NEW", "value": "1"}, {"name": "OLD", "value": "$(NEW)2"}]
    assert ask(component({"envs": envs})).env["OLD"] == "12"
    side = {"name": "s", "image": "i", "env": envs}
    pod = ask(component({"extraPodSpec": {"containers": [side], "initContainers": [side | {"name": "t"}]}})).pod
    assert pod["containers"][1]["env"][1] == pod["initContainers"][0]["env"][1] == {"name": "OLD", "value": "12"}


SECRET = {"name": "PASSWORD", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}


@pytest.mark.parametrize(
    ("there", "said"),
    [
        pytest.param([{"name": "URL", "value": "old"}], True, id="one that refers to a new secret is there already"),
        pytest.param([{"name": "URL", "value": "old"}, SECRET], True, id="the secret stands behind it already"),
        pytest.param([SECRET], False, id="the secret is there first"),
        pytest.param([], False, id="both are new"),
    ],
)
def test_a_variable_that_would_stand_before_the_secret_it_refers_to_is_named(there, said):
    observed = ask(component({"envs": there})).observed()
    envs = [SECRET, {"name": "URL", "value": "db://$(PASSWORD)"}]
    message = ask(component({"envs": envs}), observed=observed).message
    note = (
        "Deployment g-decode: URL of container main refers to PASSWORD, which stands behind it, since variables that "
        "are there keep their places: kubectl delete -n default deployment g-decode, and it is made anew in the "
        "right order"
    )
    assert message.endswith(note) == said
    assert ("refers to" in message) == said


@pytest.mark.parametrize("owned", [True, False])
def test_in_a_component_of_a_graph_a_merge_may_have_put_a_secret_behind_what_refers_to_it(owned):
    owner = {"kind": "DynamoGraphDeployment", "name": "g", "uid": "u", "controller": True}
    envs = [{"name": "URL", "value": "db://$(PASSWORD)"}, SECRET]
    env = ask(component({"envs": envs}, ownerReferences=[owner] if owned else [])).main["env"][-2:]
    text = {"name": "URL", "value": "db://$$(PASSWORD)"}  # whoever writes it so, means text
    assert env == ([SECRET, envs[0]] if owned else [text, SECRET])
