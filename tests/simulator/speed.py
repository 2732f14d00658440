"""How long the embedded cluster takes, in processor time: `python -m tests.simulator.speed`."""

import time

import click

from hooks.simulator.cluster import Cluster
from tests.simulator.test_growth import graph


def seconds(graphs, services):
    """Processor time until so many graphs of so many services are ready."""
    cluster = Cluster(seed=1, lag=0.2)
    start = time.process_time()
    cluster.apply(*[graph(f"g{number}", services) for number in range(graphs)])
    cluster.settle()
    return time.process_time() - start


def main():
    seconds(1, 1)  # what is read once
    click.echo(f"1 graph of 25 services: {seconds(1, 25):.1f} s, wanted is less than 3")
    few, many = seconds(10, 4), seconds(100, 4)
    click.echo(f"100 graphs of 4 services: {many:.1f} s, wanted is less than 60")
    click.echo(
        f"a graph among 100 takes {many / few / 10:.2f} times what it takes among 10, wanted is no more than 1.5"
    )


if __name__ == "__main__":
    main()
