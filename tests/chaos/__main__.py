"""`make chaos`: life cycles with everything killed or delayed at random must end as they do undisturbed."""

import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

import click

from tests.chaos.runs import judge, shrink


@click.command()
@click.option("--seed", default=0, show_default=True, help="Decides life cycles and disturbances.")
@click.option("--count", default=200, show_default=True, help="How many life cycles.")
@click.option("--only", type=int, metavar="N", help="Run the life cycle of that number alone, and tell what happens.")
@click.option("--processes", default=2, show_default=True, help="How many run at the same time.")
def main(seed, count, only, processes):
    """Run life cycles disturbed, against the same ones undisturbed; exit 1 where one ends or goes otherwise."""
    started = time.monotonic()
    if only is not None:
        verdict = judge(seed, only)
        _show(seed, verdict)
        if verdict.faults:
            click.echo("With as few disturbances as still go wrong:")
            _show(seed, shrink(seed, verdict))
        sys.exit(bool(verdict.faults))
    verdicts = list(_all(seed, count, processes))
    faulty = [verdict for verdict in verdicts if verdict.faults]
    happened = Counter(kind for verdict in verdicts for kind in verdict.happened)
    for kind, times in sorted(happened.items()):
        click.echo(f"{times:6} {kind}")
    seconds = time.monotonic() - started
    click.echo(f"{count} life cycles, {happened.total()} disturbances, {seconds:.0f} s: {len(faulty)} went wrong")
    sys.exit(bool(faulty))


def _all(seed, count, processes):
    with ProcessPoolExecutor(processes) as pool:
        running = [pool.submit(partial(_judged, seed), number) for number in range(count)]
        for done, future in enumerate(as_completed(running), 1):
            verdict = future.result()
            if verdict.faults:
                _show(seed, verdict)
            if done % 10 == 0 or done == count:
                click.echo(f"{done} of {count}", err=True)
            yield verdict


def _judged(seed, number):
    verdict = judge(seed, number)
    return shrink(seed, verdict) if verdict.faults else verdict


def _show(seed, verdict):
    kept = f"{len(verdict.disturbances)} disturbances"
    click.echo(f"--- life cycle {verdict.number} with {kept} (again: --seed {seed} --only {verdict.number})")
    for at, words in verdict.told:
        click.echo(f"{at:%H:%M:%S.%f} {words}")
    for fault in verdict.faults:
        click.echo(f"! {fault}")


if __name__ == "__main__":
    main()
