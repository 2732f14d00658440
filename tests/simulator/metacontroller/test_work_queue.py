from hooks.simulator.clock import Clock
from hooks.simulator.metacontroller.work_queue import WorkQueue


def queue(clock, work):
    return WorkQueue(clock, work, latency=0.0)


def test_a_key_that_is_added_while_it_is_worked_on_is_worked_on_once_more_afterwards():
    clock, told = Clock(), []

    def work(key):
        told.append("begins")
        if told == ["begins"]:
            made.add(key)
            clock.run_for(5)  # an answer is awaited, and the world goes on
        told.append("ends")

    made = queue(clock, work)
    made.add("a")
    clock.run_for(10)
    assert told == ["begins", "ends", "begins", "ends"]


def test_others_are_worked_on_while_one_waits():
    clock, told = Clock(), []

    def work(key):
        if key == "slow":
            made.add("quick")
            clock.run_for(5)
        told.append(key)

    made = queue(clock, work)
    made.add("slow")
    clock.run_for(1)
    assert told == ["quick", "slow"]


def test_of_several_wishes_the_earliest_counts_and_one_that_matters_keeps_a_cluster_from_rest():
    clock, told = Clock(), []
    made = queue(clock, lambda _: told.append((clock.now() - start).total_seconds()))
    start = clock.now()
    made.add_after("a", 10, background=True)
    assert clock.idle
    made.add_after("a", 20)
    assert not clock.idle
    clock.run_for(60)
    assert told == [10]
    assert clock.idle
