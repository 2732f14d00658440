from hooks.protocol import Kind
from hooks.simulator.api_server import start
from hooks.simulator.builtin import built_in
from hooks.simulator.cache import Cache
from hooks.simulator.clock import Clock

CONFIG_MAP = Kind("ConfigMap", "v1", "configmaps")


def config_map(name, **metadata):
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": "default", **metadata}}


def names(cache):
    return [item["metadata"]["name"] for item in cache.list(CONFIG_MAP)]


def test_a_cache_is_as_far_behind_as_its_lag():
    clock = Clock()
    store = start(clock, built_in())
    store.create(config_map("before"))
    cache = Cache(store, clock, lag=2)
    store.create(config_map("after"))
    clock.run_for(1)
    assert names(cache) == ["before"]
    clock.run_for(1)
    assert names(cache) == ["after", "before"]
    store.delete(CONFIG_MAP, "before", "default")
    assert cache.find(CONFIG_MAP, "before", "default") is not None
    clock.run_for(2)
    assert cache.find(CONFIG_MAP, "before", "default") is None


def test_events_of_one_object_never_overtake_each_other():
    lags = iter([9, 1, 5, 3, 1, 1])
    clock = Clock(seed=3)
    store = start(clock, built_in())
    clock.run_for(1)
    seen = []
    cache = Cache(store, clock, lag=lambda: next(lags))
    cache.watch(lambda event, _, item, old: seen.append((event, item["metadata"].get("labels"), old is None)))
    store.create(config_map("c"))
    store.update(config_map("c", labels={"a": "1"}))
    store.update(config_map("c", labels={"a": "2"}))
    store.delete(CONFIG_MAP, "c", "default")
    clock.run_for(10)
    assert seen == [
        ("ADDED", None, True),
        ("MODIFIED", {"a": "1"}, False),
        ("MODIFIED", {"a": "2"}, False),
        ("DELETED", {"a": "2"}, False),
    ]


def test_a_restart_forgets_and_lists_anew():
    clock = Clock()
    store = start(clock, built_in())
    store.create(config_map("c"))
    cache = Cache(store, clock, lag=1)
    store.create(config_map("d"))
    cache.restart()
    assert names(cache) == []
    clock.run_for(5)
    assert names(cache) == ["c", "d"]
