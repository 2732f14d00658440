"""When a CompositeController's hooks are called: after failures, in each period, once what they wait for comes."""

import yaml

from tests.simulator.metacontroller.toys import COMPOSITE, WIDGET, answer, cluster, config_map, messages, widget


def test_a_failing_hook_changes_nothing_and_is_asked_again_ever_later():
    down = []
    running = cluster(lambda _: (500, b"no") if down else answer(config_map()))
    running.apply(widget())
    running.settle()
    down.append(True)
    running.edit("Widget", "w", lambda item: item["spec"].update(a=1))
    running.run_for(60)
    assert running.find("ConfigMap", "c") is not None
    assert messages(running) == ["Sync error: /widgets/sync answered 500: no"]
    assert 12 < running.hooks.calls["/widgets/sync"] < 20
    down.clear()
    running.settle()
    assert running.get("Widget", "w")["status"]["observedGeneration"] == 2


def test_hooks_that_are_away_are_waited_for():
    running = cluster(lambda _: answer(config_map()))
    running.hooks.fail(seconds=30)
    running.apply(widget())
    running.run_for(20)
    assert running.find("ConfigMap", "c") is None
    running.settle()
    assert running.find("ConfigMap", "c") is not None


def test_too_many_requests_are_no_error():
    running = cluster(lambda _: answer(config_map()))
    running.hooks.fail(seconds=5, status=429, retry_after=10)
    running.apply(widget())
    running.run_for(9)
    assert running.find("ConfigMap", "c") is None
    running.run_for(2)
    assert running.find("ConfigMap", "c") is not None
    assert not messages(running)


def test_a_hook_can_ask_to_be_called_again():
    running = cluster(lambda _: answer(resyncAfterSeconds=7), controller=without_resync())
    running.apply(widget())
    running.run_for(1)
    calls = running.hooks.calls["/widgets/sync"]
    running.run_for(22)
    assert running.hooks.calls["/widgets/sync"] == calls + 3


def without_resync():
    controller = yaml.safe_load(COMPOSITE)
    del controller["spec"]["resyncPeriodSeconds"]
    return controller


def test_what_a_hook_waits_for_is_waited_for_and_what_it_only_looks_round_for_is_not():
    begun = []

    def sync(_):
        begun.append(running.clock.now())
        waited = (running.clock.now() - begun[0]).total_seconds()
        return answer(*[config_map()] * (waited > 120), resyncAfterSeconds=10)

    running = cluster(sync)
    running.apply(widget())
    running.settle()
    assert running.find("ConfigMap", "c") is not None
    assert running.resync_all() == []


def test_a_parent_that_is_made_anew_is_waited_for_as_the_first_was():
    made = {}

    def sync(request):
        made.setdefault(request["parent"]["metadata"]["uid"], running.clock.now())
        waited = (running.clock.now() - made[request["parent"]["metadata"]["uid"]]).total_seconds()
        return answer(*[config_map()] * (waited > 5), resyncAfterSeconds=0 if waited > 5 else 6)

    running = cluster(sync)
    running.apply(widget())
    running.settle()
    running.run_for(3600)
    running.delete(WIDGET, "w")
    running.settle()
    running.apply(widget())
    running.settle()
    assert running.find("ConfigMap", "c") is not None


def test_every_parent_is_synced_once_in_a_period():
    running = cluster(lambda _: answer())
    running.apply(widget())
    running.settle()
    calls = running.hooks.calls["/widgets/sync"]
    running.run_for(900)
    assert running.hooks.calls["/widgets/sync"] == calls + 3


def test_a_parent_with_a_finalize_hook_stays_until_it_is_finalized():
    done = []

    def finalize(request):
        assert request["finalizing"]
        return answer(config_map("last"), finalized=bool(done))

    running = cluster(lambda _: answer(config_map()), finalize=finalize)
    running.apply(widget())
    running.settle()
    assert running.get("Widget", "w")["metadata"]["finalizers"] == ["metacontroller.io/compositecontroller-widgets"]
    running.delete("Widget", "w")
    running.settle()
    assert running.find("ConfigMap", "last") is not None, "children are managed while finalizing"
    assert running.find("Widget", "w") is not None
    done.append(True)
    running.resync_all()
    running.settle()
    assert running.find("Widget", "w") is None
    assert running.find("ConfigMap", "last") is None


def test_only_selected_parents_are_synced():
    controller = yaml.safe_load(COMPOSITE)
    controller["spec"]["parentResource"]["labelSelector"] = {"matchLabels": {"ours": "yes"}}
    running = cluster(lambda _: answer(config_map()), controller=controller)
    running.apply(widget())
    running.settle()
    assert running.hooks.calls == {}
    running.edit("Widget", "w", lambda item: item["metadata"].update(labels={"ours": "yes"}))
    running.settle()
    assert running.find("ConfigMap", "c") is not None


def test_a_restarted_metacontroller_finds_everything_as_it_should_be():
    running = cluster(lambda _: answer(config_map()))
    running.apply(widget())
    running.settle()
    before = len(running.writes)
    running.restart_metacontroller(away=10)
    running.settle()
    assert running.hooks.calls["/widgets/sync"] > 1
    assert len(running.writes) == before


def test_what_changes_while_metacontroller_is_away_is_seen_when_it_is_back():
    running = cluster(lambda _: answer(config_map()))
    running.restart_metacontroller(away=60)
    running.apply(widget())
    running.run_for(50)
    assert running.find("ConfigMap", "c") is None
    running.settle()
    assert running.find("ConfigMap", "c") is not None
