"""What workers that hang cost everybody else: `make bench`.

A real service, 20 real workers on the loopback, 5 of which hang, and a model that is synced all the while. Meanwhile
other hook calls are timed, against the same calls when nobody waits. The best of three counts: a busy machine only
makes it worse.
"""

import statistics
import threading
import time

import click
import orjson
import requests

from hooks.kinds import COMPONENT_DEPLOYMENT
from tests.bench import DYNAMO_HOOKS, Requests, running
from tests.golden_cases import keyed
from tests.steady import graph, steady_request
from tests.workers import Worker, hangs, host
from tests.workers import running as running_workers

CALLS = 200
LIMIT = 1.5
HANGS = 60
TASK_LIMIT = 60
"""Seconds that Metacontroller waits for the answer."""
BASE_HASH = "fb68f5a6"


def model_request(workers):
    """A sync of a LoRA model whose base model all of these workers serve."""
    model = {
        "apiVersion": "nvidia.com/v1alpha1",
        "kind": "DynamoModel",
        "metadata": {"name": "adapter", "namespace": "default", "uid": "m", "generation": 1},
        "spec": {
            "modelName": "acme/lora",
            "baseModelName": "Qwen/Qwen3-0.6B",
            "modelType": "lora",
            "source": {"uri": "s3://bucket/lora"},
        },
    }
    endpoints = [
        {"addresses": [worker.host], "conditions": {"ready": True}, "targetRef": {"kind": "Pod", "name": worker.host}}
        for worker in workers
    ]
    labels = {"nvidia.com/dynamo-base-model-hash": BASE_HASH}
    found = {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {"name": "slice", "namespace": "default", "labels": labels},
        "endpoints": endpoints,
    }
    return orjson.dumps({"parent": model, "related": keyed([found])})


def component_request():
    """A sync of a component that is rolled out."""
    large, _ = steady_request(graph(5))
    component = next(iter(large["children"][COMPONENT_DEPLOYMENT.key].values()))
    return orjson.dumps(steady_request(component)[0])


def median_of_calls(url, body):
    """Seconds of a call, the median of many."""
    client = Requests(url)
    path = f"/{COMPONENT_DEPLOYMENT.plural}/sync"
    return statistics.median([client.post(path, body)[1] for _ in range(CALLS)])


def one_try(url, body, workers):
    """Ratio of the medians, and the seconds that the model's sync took."""
    usual = median_of_calls(url, body)
    taken = []

    def sync():
        started = time.perf_counter()
        answer = requests.post(f"{url}/dynamomodels/sync", data=model_request(workers), timeout=2 * TASK_LIMIT)
        taken.append(time.perf_counter() - started)
        assert answer.json()["status"]["readyEndpoints"] == len([worker for worker in workers if not worker.answers])

    waiting = threading.Thread(target=sync)
    waiting.start()
    time.sleep(1)
    meanwhile = median_of_calls(url, body)
    assert waiting.is_alive(), "the model's sync was over before the calls were: nothing was measured"
    waiting.join()
    return meanwhile / usual, taken[0]


@click.command()
@click.option("--tries", default=3, show_default=True)
def main(tries):
    """Print the ratio of the best try; exit status 1 where it is over the limit."""
    hosts = [host(number) for number in range(2, 22)]
    made = [Worker(host, **({"GET": hangs(HANGS)} if number % 4 == 0 else {})) for number, host in enumerate(hosts)]
    body = component_request()
    with running_workers(*made) as workers, running(DYNAMO_HOOKS, "serve") as (url, *_):
        results = [one_try(url, body, workers) for _ in range(tries)]
    posts = [sum(method == "POST" for method, *_ in worker.calls) for worker in made if not worker.answers]
    ratio, seconds = min(results)[0], max(duration for _, duration in results)
    click.echo(f"Calls while 5 of a model's 20 workers hang, median against the usual one: {ratio:.2f} (limit {LIMIT})")
    click.echo(f"Sync of that model: at most {seconds:.1f} s (limit {TASK_LIMIT} s); loads per worker: {set(posts)}")
    if ratio > LIMIT or seconds > TASK_LIMIT or set(posts) != {1}:
        raise click.ClickException("over a limit")


if __name__ == "__main__":
    main()
