import pytest

from hooks.simulator.clock import START, Clock, EndlessLoop


def happened(seed):
    clock, order = Clock(seed=seed), []
    for number in range(10):
        clock.call_later(1, lambda number=number: order.append(number))
    clock.run_for(1)
    return order


def test_events_of_one_instant_keep_their_order_without_a_seed():
    assert happened(None) == list(range(10))


def test_a_seed_shuffles_them_and_can_be_replayed():
    assert happened(1) == happened(1) != happened(2)
    assert sorted(happened(1)) == list(range(10))


def test_time_jumps_to_what_is_due_and_stops_when_the_condition_holds():
    clock, seen = Clock(), []
    clock.call_later(7200, lambda: seen.append(clock.now()))
    clock.call_later(1, lambda: clock.call_later(1, lambda: seen.append("later")))
    assert clock.run_for(10_000, lambda: len(seen) == 2)
    assert (clock.now() - START).total_seconds() == 7200
    assert not clock.run_for(60)
    assert (clock.now() - START).total_seconds() == 7260


def test_a_cancelled_event_does_not_happen():
    clock, seen = Clock(), []
    clock.call_later(1, lambda: seen.append(1)).cancel()
    assert clock.next_due() is None
    clock.run_for(10)
    assert seen == []


def test_events_that_beget_each_other_without_time_passing_are_a_loop():
    clock = Clock()

    def again():
        clock.call_later(0, again)

    again()
    with pytest.raises(EndlessLoop):
        clock.run_for(1)
