"""How a simulation is shown: line by line, or as a live table on a terminal; and what is said in the end."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

import click
from rich.console import Console
from rich.live import Live
from rich.table import Table

from hooks.simulator.printing import table
from hooks.simulator.references import assumed_objects
from hooks.simulator.script import duration_text
from hooks.simulator.simulation import Simulation, Step
from hooks.simulator.states import state_of
from hooks.unknown_fields import unknown_fields

_FRAME = 0.06
"""Seconds that each picture of the live table stays, so that an eye can follow."""
_MOMENT = 0.5
"""Virtual seconds whose steps are shown together: controllers pass through many states in no time."""
_STATE = 160
"""Characters of a state that a line shows."""
_SHOW = 2.5
"""Seconds that all pictures together may take."""


class View(AbstractContextManager["View"]):
    """Gathers the steps of one moment, of which each object's last one counts. This one shows nothing."""

    def __init__(self) -> None:
        self._moment: dict[tuple[str, str, str], Step] = {}
        self._since = 0.0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Show the last moment."""
        self.show(list(self._moment.values()))

    def step(self, step: Step) -> None:
        """Take one step, and show those before it where its moment is a new one."""
        if step.at - self._since > _MOMENT and self._moment:
            self.show(list(self._moment.values()))
            self._moment.clear()
        if not self._moment:
            self._since = step.at
        key = step.kind, step.namespace, step.name
        self._moment.pop(key, None)
        self._moment[key] = step

    def show(self, steps: list[Step]) -> None:
        """Show what a moment brought."""


class Lines(View):
    """One line for each step."""

    def show(self, steps: list[Step]) -> None:
        """Print them."""
        for step in steps:
            click.echo(_line(step))


class LiveTable(View):
    """A table of all objects as they are now, below the lines about custom resources."""

    def __init__(self, console: Console) -> None:
        super().__init__()
        self._live = Live(console=console, auto_refresh=False, vertical_overflow="ellipsis")
        self._steps: dict[tuple[str, str, str], Step] = {}
        self._spent = 0.0

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the last picture standing."""
        super().__exit__(kind, error, trace)
        self._live.stop()

    def show(self, steps: list[Step]) -> None:
        """Draw them, and wait, so that an eye can follow."""
        for step in steps:
            key = step.kind, step.namespace, step.name
            self._steps.pop(key, None)
            if step.state:
                self._steps[key] = step
            if step.kind.startswith("Dynamo"):
                self._live.console.print(_line(step), markup=False, highlight=False, soft_wrap=True)
        after = duration_text(steps[-1].at) if steps else "nothing"
        drawn = Table("kind", "name", "state", "since", title=f"after {after}", title_justify="left")
        several = len({step.namespace for step in self._steps.values() if step.namespace}) > 1
        for step in sorted(self._steps.values(), key=lambda step: (step.kind != "DynamoGraphDeployment", step.kind)):
            drawn.add_row(
                step.kind, f"{step.namespace}/{step.name}" if several else step.name, step.state, duration_text(step.at)
            )
        self._live.update(drawn, refresh=True)
        if self._spent < _SHOW:
            time.sleep(_FRAME)
            self._spent += _FRAME


def view_for(output: str) -> View:
    """The view that fits: a live table on a terminal, lines elsewhere, nothing where a program reads the output."""
    if output != "table":
        return View()
    return LiveTable(Console()) if sys.stdout.isatty() else Lines()


def _line(step: Step) -> str:
    place = f"{step.namespace}/{step.name}" if step.namespace else step.name
    state = step.state if len(step.state) <= _STATE else step.state[: _STATE - 1] + "…"
    return f"{duration_text(step.at):>9}  {step.kind} {place}: {state or 'gone'}"


def report(simulation: Simulation) -> None:
    """Print what `kubectl get` and `kubectl get events` would show, and what is to be known besides."""
    cluster = simulation.cluster
    for lines in _tables(simulation):
        click.echo()
        for line in lines:
            click.echo(line)
    events = list(cluster.events)
    if events:
        click.echo("\nEvents:")
        for event in events:
            often = f" (x{event.count})" if event.count > 1 else ""
            at = duration_text((event.last - cluster.started).total_seconds())
            place = f" {event.namespace}/" if simulation.several_namespaces and event.namespace else "/"
            about = f"{event.kind}{place}{event.name}"
            click.echo(f"{at:>9}  {event.type} {event.reason} {about}: {event.message}{often}")
    for item in simulation.unready():
        metadata = item["metadata"]
        click.echo(f"\n{item['kind']} {metadata['namespace']}/{metadata['name']} is not ready: {state_of(item)}")
    for note in _notes(simulation):
        click.echo(f"\nnote: {note}")


_ORDER = (
    "DynamoGraphDeploymentRequest",
    "DynamoGraphDeployment",
    "DynamoComponentDeployment",
    "DynamoModel",
    "Deployment",
    "LeaderWorkerSet",
    "Job",
    "Pod",
    "Service",
)
"""Kinds in the order in which they are printed; others follow."""


def _tables(simulation: Simulation) -> Iterator[list[str]]:
    cluster = simulation.cluster
    places = {name: place for place, name in enumerate(_ORDER)}
    for resource in sorted(cluster.store.kinds(), key=lambda one: places.get(one.kind.kind, len(places))):
        kind = resource.kind
        items = [item for item in cluster.store.list(kind) if simulation.shows(kind, item)]
        if items:
            every = resource.namespaced and simulation.several_namespaces
            drawn = table(kind.kind, items, cluster.clock.now(), resource.columns, namespaces=every)
            yield [f"$ kubectl get {kind.plural}{' --all-namespaces' if every else ''}", *drawn.lines()]


def _notes(simulation: Simulation) -> Iterator[str]:
    restriction = simulation.settings.namespace_restriction
    if restriction.enabled and not restriction.installation:
        yield "this installation looks after nothing: the setting namespaceRestriction.installation gives it no name"
    for item in simulation.ignored():
        place = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        where = f"the namespaces {', '.join(restriction.namespaces)}" if restriction.namespaces else "no namespace"
        yield f"{item['kind']} {place} is left alone: namespaceRestriction.namespaces names {where}"
    for action in simulation.unreached():
        restless = f"not all was at rest by then; give it a time, as in {action.described}@10m"
        yield f"{action.described} was not reached: {restless if action.at is None else 'the end came before'}"
    missing = simulation.missing_claims()
    if missing:
        yield f"waits for PersistentVolumeClaims {', '.join(missing)}; --assume-claims takes them as there"
    assumed = assumed_objects(simulation.cluster.store)
    if assumed:
        yield f"taken as there: {', '.join(assumed)}"
    if simulation.profiling():
        yield "profiling goes on; what comes of it --profile-output FILE says, or --profile-fail TEXT"
    yield from dropped(simulation)


def dropped(simulation: Simulation) -> Iterator[str]:
    """What the API server dropped: of our resources with what was meant instead."""
    told = set()
    for manifest in simulation.plan.manifests:
        for field in unknown_fields(manifest):
            told.add(f'unknown field "{field.path}"')
            yield f"{manifest['kind']} {manifest['metadata']['name']}: {field}"
    for warning in dict.fromkeys(simulation.cluster.store.warnings):
        if warning not in told:
            yield f"{warning} was dropped; kubectl refuses it, unless told --validate=false"
