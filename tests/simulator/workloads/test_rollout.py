from hypothesis import given
from hypothesis import strategies as st

from hooks.simulator.workloads.rollout import Rollout, bounds, next_new, next_old

shares = st.integers(0, 5) | st.integers(0, 100).map(lambda percent: f"{percent}%")
strategies = st.builds(
    lambda surge, unavailable: {
        "type": "RollingUpdate",
        "rollingUpdate": {"maxSurge": surge, "maxUnavailable": unavailable},
    },
    shares,
    shares,
) | st.just({"type": "Recreate"})


@st.composite
def steps(draw):
    replicas = draw(st.integers(0, 8))
    new, old = draw(st.integers(0, 8)), draw(st.integers(0, 8))
    return Rollout(replicas, new, old, draw(st.integers(0, new)), draw(st.integers(0, old)))


@given(step=steps(), strategy=strategies)
def test_a_step_keeps_within_the_bounds(step, strategy):
    """Never more than the surge allows, and no available pod is taken that is needed."""
    new, old = next_new(step, strategy), next_old(step, strategy)
    surge, unavailable = bounds(strategy, step.replicas)
    assert 0 <= old <= step.old
    if strategy["type"] == "Recreate":
        return
    assert new <= max(step.new, step.replicas)
    if new > step.new:
        assert new + step.old <= step.replicas + surge
    left = step.new_available + min(step.old_available, old)
    needed = min(step.replicas - unavailable, step.new_available + step.old_available)
    if step.new <= step.replicas:
        assert left >= needed


@given(replicas=st.integers(1, 8), strategy=strategies)
def test_a_roll_out_of_pods_that_work_comes_to_its_end(replicas, strategy):
    new, old = 0, replicas
    for _ in range(50):
        step = Rollout(replicas, new, old, new, old)
        new, old = next_new(step, strategy), next_old(step, strategy)
        if (new, old) == (replicas, 0):
            return
    raise AssertionError(f"stuck at {new} new and {old} old")


def test_the_defaults_are_a_quarter_each():
    assert bounds({}, 4) == (1, 1)
    assert bounds({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}, 4) == (0, 1)
    assert bounds({"rollingUpdate": {"maxSurge": 0, "maxUnavailable": "20%"}}, 4) == (0, 1)
    assert bounds({}, 1) == (1, 0)
