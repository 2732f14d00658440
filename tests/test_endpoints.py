import threading
import time

import pytest

from hooks.adapters import Task, Worker
from hooks.endpoints import AT_A_TIME, LARGEST_BODY, Workers, listed_names
from tests import workers
from tests.workers import drips, hangs, host, redirects, running

ADAPTER, URI = "acme/lora one", "s3://bucket/lora"


def task(*found, unload=False, loaded=False):
    asked = tuple(Worker(worker.address, worker.host, ready=True, loaded=loaded) for worker in found)
    return Task(ADAPTER, URI, asked, unload=unload)


def outcome(perform, worker, **options):
    return perform(task(worker, **options)).by_address[worker.address]


@pytest.fixture
def perform():
    return Workers(call_seconds=1, task_seconds=3)


def test_an_adapter_is_loaded_once_and_not_again(perform):
    with running(workers.Worker(host(2))) as (worker,):
        assert outcome(perform, worker).result == "loaded"
        again = outcome(perform, worker)
        assert (again.result, again.has_adapter, again.settled) == ("listed", True, True)
        posts = [call for call in worker.calls if call[0] == "POST"]
        assert posts == [("POST", "/v1/loras", {"lora_name": ADAPTER, "source": {"uri": URI}})]


@pytest.mark.parametrize("status", [404, 405])
def test_a_worker_without_a_list_is_asked_once(perform, status):
    with running(workers.Worker(host(2), GET=(status, {}))) as (worker,):
        assert outcome(perform, worker).result == "loaded"
        assert outcome(perform, worker, loaded=True).result == "listed"
        assert [method for method, *_ in worker.calls] == ["GET", "POST", "GET"]


@pytest.mark.parametrize("loaded", [True, False])
@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((500, {"detail": "x"}), "answers 500 when asked for its adapters"),
        ((200, b"not JSON"), "lists its adapters in a way that is not understood"),
        ((200, 7), "lists its adapters in a way that is not understood"),
        (hangs(1.5), "gives no answer within 1 s"),
        (drips(30), "gives no answer within 1 s"),
        (redirects(f"http://{host(3)}:9090/v1/loras"), "answers 307 when asked for its adapters"),
    ],
    ids=["500", "no JSON", "no list", "slow", "dripping", "redirect"],
)
def test_a_list_that_fails_changes_nothing(perform, answer, message, loaded):
    with running(workers.Worker(host(2), GET=answer)) as (worker,):
        found = outcome(perform, worker, loaded=loaded)
        assert (found.has_adapter, found.message, found.settled) == (loaded, message, False)
        assert [method for method, *_ in worker.calls] == ["GET"]


@pytest.mark.parametrize(
    ("answer", "result", "message"),
    [
        ((409, {"detail": "already   there"}), "failed", 'answers 409: {"detail": "already there"}'),
        ((500, b""), "failed", "answers 500"),
        ((500, b"x" * 500), "failed", f"answers 500: {'x' * 199}…"),
        (hangs(1.5), "loading", "is still loading"),
        (redirects(f"http://{host(3)}:9090/"), "failed", "answers 307: redirects are not followed"),
    ],
    ids=["409", "500", "long", "slow", "redirect"],
)
def test_a_load_that_fails_says_why_in_the_same_words_each_time(perform, answer, result, message):
    with running(workers.Worker(host(2), POST=answer)) as (worker,):
        first, second = outcome(perform, worker), outcome(perform, worker)
        assert (first.has_adapter, first.result, first.message) == (False, result, message)
        assert first == second


def test_a_success_counts_whatever_its_body_does(perform):
    with running(workers.Worker(host(2), POST=drips(30))) as (worker,):
        assert outcome(perform, worker).result == "loaded"


def test_a_worker_that_is_down_is_said_so_in_the_same_words_each_time(perform):
    down = Task(ADAPTER, URI, (Worker(f"http://{host(99)}:9090", "p", ready=True),))
    first, second = perform(down), perform(down)
    assert first == second
    assert first.by_address[f"http://{host(99)}:9090"].message == "cannot be reached: Connection refused"


def test_a_body_over_the_bound_is_cut(perform):
    sent = []

    def endless(environ, start_response):
        start_response("200 OK", [])
        for _ in range(1000):
            sent.append(1)
            yield b" " * (1 << 16)

    with running(workers.Worker(host(2), GET=endless)) as (worker,):
        found = outcome(perform, worker)
        assert found.message == "lists its adapters in a way that is not understood"
    assert len(sent) << 16 < 8 * LARGEST_BODY


def test_no_credential_is_sent_and_no_proxy_asked(perform, monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text(f"machine {host(2)} login user password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("HTTP_PROXY", f"http://{host(98)}:1")
    with running(workers.Worker(host(2), GET=(200, []))) as (worker,):
        assert outcome(perform, worker).result == "loaded"
        for headers in worker.headers:
            assert not headers.keys() & {"HTTP_AUTHORIZATION", "HTTP_COOKIE", "HTTP_PROXY_AUTHORIZATION"}


def test_a_cookie_is_not_kept(perform):
    """Another pod may have the address next, and is not told what this one said."""

    def with_cookie(environ, start_response):
        start_response("200 OK", [("Set-Cookie", "session=secret; Path=/")])
        return [b"[]"]

    with running(workers.Worker(host(2), GET=with_cookie)) as (worker,):
        for _ in range(2):
            outcome(perform, worker)
        assert len(worker.headers) > 2
        assert not any("HTTP_COOKIE" in headers for headers in worker.headers)


def test_unloading_counts_as_done_where_there_was_nothing(perform):
    with running(workers.Worker(host(2)), workers.Worker(host(3))) as (has_it, has_not):
        has_it.loaded.add(ADAPTER)
        found = perform(task(has_it, has_not, unload=True))
        assert [found.by_address[worker.address].result for worker in (has_it, has_not)] == ["unloaded", "unloaded"]
        assert not any(outcome.has_adapter for outcome in found.by_address.values())
        assert has_it.loaded == set()
        assert has_it.calls == [("DELETE", f"/v1/loras/{ADAPTER}", None)]


def test_a_worker_that_does_not_unload_still_has_what_it_had(perform):
    with running(workers.Worker(host(2), DELETE=(500, {}))) as (worker,):
        assert outcome(perform, worker, unload=True, loaded=True).has_adapter
        assert not outcome(perform, worker, unload=True).has_adapter


def test_the_name_of_an_adapter_cannot_leave_its_place_in_the_path(perform):
    with running(workers.Worker(host(2))) as (worker,):
        perform(Task("../../admin?x=#", URI, (Worker(worker.address, "p", ready=True),), unload=True))
        assert [path for _, path, _ in worker.calls] == ["/v1/loras/../../admin?x=#"]


def test_at_most_ten_are_asked_at_a_time_and_all_within_bounds():
    at_once, most, lock = 0, [], threading.Lock()

    def slow_list(environ, start_response):
        nonlocal at_once
        with lock:
            at_once += 1
            most.append(at_once)
        time.sleep(0.1)
        with lock:
            at_once -= 1
        start_response("200 OK", [])
        return [b"[]"]

    found = [workers.Worker(host(number), GET=slow_list) for number in range(2, 22)]
    with running(*found):
        outcomes = Workers()(task(*found))
    assert {outcome.result for outcome in outcomes.by_address.values()} == {"loaded"}
    assert max(most) == AT_A_TIME


def test_what_does_not_finish_in_time_is_left_for_the_next_try():
    found = [workers.Worker(host(number), GET=hangs(1)) for number in range(2, 26)]
    with running(*found):
        outcomes = Workers(call_seconds=5, task_seconds=1.2)(task(*found))
    left = [outcome for outcome in outcomes.by_address.values() if not outcome.has_adapter]
    assert len(outcomes.by_address) == len(found)
    assert len(left) >= len(found) - AT_A_TIME
    assert {outcome.message for outcome in left} == {"could not be finished with in the 1.2 s that all of them have"}
    assert not any(outcome.settled for outcome in left)


def test_workers_that_hang_do_not_keep_the_same_others_waiting_for_ever():
    hanging = [workers.Worker(host(number), GET=hangs(1)) for number in range(2, 24)]
    healthy = workers.Worker(host(24))
    perform = Workers(call_seconds=0.2, task_seconds=0.3)
    with running(*hanging, healthy):
        for _ in range(100):  # each time, it comes among the first 10 of 23 in 4 cases of 10
            perform(task(*hanging, healthy))
            if healthy.loaded:
                return
    pytest.fail("the worker that is well was never asked")


@pytest.mark.parametrize(
    ("body", "names"),
    [
        (b'["a", "b"]', {"a", "b"}),
        (b'{"loras": {"a": 1}, "count": 1}', {"a"}),
        (b'{"loras": ["a"]}', {"a"}),
        (b'{"data": [{"id": "a"}, {"name": "b"}, {"lora_name": "c"}, 7]}', {"a", "b", "c"}),
        (b'{"loras": {}}', set()),
        (b"{}", None),
        (b"7", None),
        (b"", None),
        (b"[" * 100_000, None),
    ],
)
def test_lists_are_read_in_the_shapes_that_runtimes_write(body, names):
    assert listed_names(body) == names
