"""`dynamo-hooks simulate`: what a manifest does over time, in a cluster inside this process."""

import gc
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click

from hooks.api.common import GROUP_VERSION
from hooks.cli.options import effective_settings, settings_option, strict_option
from hooks.cli.render import print_objects, read_documents, read_text
from hooks.cli.simulate_view import dropped, report, view_for
from hooks.documents import manifest_objects, problem_of, repeated
from hooks.kinds import GRAPH_DEPLOYMENT_REQUEST
from hooks.manifest_faults import KINDS, judged, title
from hooks.protocol import Object
from hooks.rendering import DEFAULT_NAMESPACE
from hooks.settings import Settings
from hooks.simulator.admission import refusals
from hooks.simulator.cluster import Cluster, ClusterProblem
from hooks.simulator.errors import ApiError
from hooks.simulator.optional_apis import OPTIONAL_APIS
from hooks.simulator.script import (
    Action,
    Condition,
    Unreadable,
    read_condition,
    read_deletion,
    read_duration,
    read_failure,
    read_scaling,
)
from hooks.simulator.simulation import Plan, Simulation
from hooks.simulator.workloads import PodFault, Profile
from hooks.unknown_fields import unknown_fields

Read = TypeVar("Read")


class _Words(click.ParamType[Any]):
    """An option's words, read by one of the functions of `hooks.simulator.script`."""

    def __init__(self, name: str, read: Callable[[str], Any]) -> None:
        self.name = name
        self._read = read

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Read them, or say what is wrong with them."""
        try:
            return self._read(value) if isinstance(value, str) else value
        except Unreadable as error:
            self.fail(str(error), param, ctx)


class _Command(click.Command):
    """Ends with status 2 where it cannot begin, whatever the reason: 1 says that something did not become ready."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run it."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            error.show()
            return ctx.exit(2)


@click.command("simulate", cls=_Command)
@click.option(
    "-f",
    "--filename",
    "filenames",
    metavar="FILE|-",
    multiple=True,
    required=True,
    type=click.Path(allow_dash=True),
    help="Manifest (YAML or JSON, several documents); may be given several times.",
)
@click.option(
    "-n",
    "--namespace",
    help="Namespace of objects that name none, `default` where it is not given; and of the names in options, that "
    "of the manifests where it is not given.",
)
@click.option(
    "--for",
    "duration",
    metavar="DURATION",
    type=_Words("duration", read_duration),
    help="Simulate so long (90s, 5m, 1h30m) instead of until nothing happens any more.",
)
@click.option(
    "--until",
    metavar="CONDITION",
    type=_Words("condition", read_condition),
    help="Stop when [KIND/NAME:]CONDITION[=STATUS] holds, such as Ready, dgd/chat:Ready=False, dgd/chat:state=failed.",
)
@click.option(
    "--fail",
    "failures",
    metavar="KIND/NAME=REASON[@TIME]",
    multiple=True,
    type=_Words("failure", read_failure),
    help=f"Let a workload's pods fail, from the beginning or from TIME on. Reasons: {', '.join(PodFault)}.",
)
@click.option(
    "--delete",
    "deletions",
    metavar="KIND/NAME[@TIME]",
    multiple=True,
    type=_Words("deletion", read_deletion),
    help="Delete an object, at TIME or once nothing happens any more.",
)
@click.option(
    "--scale",
    "scalings",
    metavar="KIND/NAME[/SERVICE]=N[@TIME]",
    multiple=True,
    type=_Words("scaling", read_scaling),
    help="Scale a graph's service, a workload, or what an autoscaler wants, at TIME or once nothing happens any more.",
)
@click.option(
    "--profile-output",
    metavar="FILE|-",
    type=click.Path(allow_dash=True),
    help="What the profiler of a request writes (config_with_planner.yaml), after two hours.",
)
@click.option("--profile-fail", metavar="TEXT", help="Let the profiler of a request fail, with these last words.")
@click.option("--assume-claims", is_flag=True, help="Take PersistentVolumeClaims that are missing as there.")
@click.option(
    "--without",
    "missing_apis",
    multiple=True,
    type=click.Choice(sorted(OPTIONAL_APIS)),
    help="Simulate a cluster without that optional API.",
)
@click.option("--seed", type=int, help="Shuffle what happens at the same instant, and let caches lag behind.")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["table", "yaml", "json"]),
    default="table",
    help="What to print in the end: what kubectl would show, or all objects.",
)
@strict_option
@settings_option
def command(  # noqa: PLR0913 - one for each option
    *,
    filenames: tuple[str, ...],
    namespace: str | None,
    duration: float | None,
    until: Condition | None,
    failures: tuple[Action, ...],
    deletions: tuple[Action, ...],
    scalings: tuple[Action, ...],
    profile_output: str | None,
    profile_fail: str | None,
    assume_claims: bool,
    missing_apis: tuple[str, ...],
    seed: int | None,
    output: str,
    strict: bool,
    settings_file: Path | None,
) -> None:
    """Show what a manifest does over time, without a cluster.

    The manifest is applied to a small cluster inside this process: an API server, Metacontroller with these hooks, and
    stand-ins for what makes workloads run. Time is virtual: an hour takes a moment. It shows each change of state, then
    what kubectl would show in the end, with events.

    The exit status is 0 where everything became ready (or what --until waits for came), 1 where it did not, or with
    --strict where something in the manifest counts for nothing (an unknown field, an object that stands twice), and 2
    where the API server refuses the manifest, a file cannot be read, or the command line is wrong.

    \b
    Examples:
      dynamo-hooks simulate -f graph.yaml
      dynamo-hooks simulate -f graph.yaml --fail deploy/chat-worker=ImagePullBackOff --for 15m
      dynamo-hooks simulate -f graph.yaml --scale dgd/chat/Worker=3@10m --delete dgd/chat@30m
      dynamo-hooks simulate -f request.yaml --profile-output config_with_planner.yaml
      dynamo-hooks simulate -f graph.yaml --assume-claims --until dgd/chat:Ready -o yaml
    """
    # Nearly everything is kept to the end: looking for what could go costs a third of the time.
    gc.set_threshold(50_000)
    settings = effective_settings(settings_file)
    cluster = Cluster(
        settings, seed=seed, lag=0.0 if seed is None else 0.5, optional_apis=set(OPTIONAL_APIS) - set(missing_apis)
    )
    profile = _profile(profile_output, profile_fail)
    if profile is not None:
        cluster.world.profiled(profile)
    plan = Plan(
        manifests=_objects(filenames, namespace, cluster, settings),
        namespace=namespace,
        actions=(*failures, *scalings, *deletions),
        until=until,
        duration=duration,
        assume_claims=assume_claims,
    )
    if profile is not None and not any(item["kind"] == GRAPH_DEPLOYMENT_REQUEST.kind for item in plan.manifests):
        raise click.UsageError(f"what a profiler comes to counts for nothing: no request is in {', '.join(filenames)}")
    with view_for(output) as view:
        simulation = Simulation(cluster, plan, settings, view.step)
        well = _run(simulation)
    if output == "table":
        report(simulation)
    else:
        kinds = [resource.kind for resource in cluster.store.kinds()]
        print_objects((item for kind in kinds for item in cluster.store.list(kind)), output)
        for note in dropped(simulation):
            click.echo(f"warning: {note}", err=True)
    if plan.until is not None and not well:
        click.echo(f"error: {simulation.waited_in_vain()}", err=True)
    sys.exit(0 if well and not (strict and _ignored(simulation)) else 1)


def _objects(
    filenames: Iterable[str], namespace: str | None, cluster: Cluster, settings: Settings
) -> tuple[Object, ...]:
    """The objects of the manifests. What the API server would refuse ends here, all of it, as `render` tells it."""
    documents = [document for filename in filenames for document in read_documents(filename)]
    if not any(manifest_objects(documents)):
        raise click.UsageError(f"no object is in {', '.join(filenames)}")
    objects, placed = [], []
    for place, document in manifest_objects(documents):
        problem = problem_of(document)
        if problem:
            raise click.UsageError(f"{place}: {problem}")
        objects.append(document)
        where = document["metadata"].get("namespace") or namespace or DEFAULT_NAMESPACE
        placed.append({**document, "metadata": {**document["metadata"], "namespace": where}})
    for first, _ in repeated(placed):
        click.echo(f"warning: {title(placed[first])} stands more than once; the last one counts", err=True)
    refused = [line for item in placed for line in _refused(item, cluster, settings)]
    for line in refused:
        click.echo(line, err=True)
    if refused:
        sys.exit(2)
    return tuple(objects)


def _ignored(simulation: Simulation) -> bool:
    """Whether something in the manifests counts for nothing."""
    return len(set(simulation.applied)) < len(simulation.applied) or any(dropped(simulation))


def _refused(item: Object, cluster: Cluster, settings: Settings) -> Iterator[str]:
    """What is to be said of an object of ours that the API server refuses."""
    if item["kind"] not in KINDS or item["apiVersion"] != GROUP_VERSION:
        return
    ways = cluster.store.resource(item["kind"], item["apiVersion"]).ways
    verdict = judged(item, settings, partial(refusals, ways=ways))
    if verdict.refused:
        yield from (f"warning: {title(item)}: {field}" for field in unknown_fields(item))
        yield from (f"error: {title(item)}: {fault}" for fault in verdict.faults)


def _profile(output: str | None, failure: str | None) -> Profile | None:
    """What profilers come to, where the command line says it."""
    if output is not None and failure is not None:
        raise click.UsageError("a profiler has an output or fails; give --profile-output or --profile-fail")
    if failure is not None:
        return Profile(exit_code=1, message=failure)
    return None if output is None else Profile(output=read_text(output))


def _in_lines(error: ApiError) -> str:
    """A refusal with a line for each of its faults, if it has several."""
    causes = list(dict.fromkeys(map(str, error.causes)))
    if len(causes) < 2:
        return error.message
    return "\n* ".join([error.message.partition(": [")[0] + ":", *causes])


def _run(simulation: Simulation) -> bool:
    try:
        return simulation.run()
    except ApiError as error:
        click.echo(f"Error from server ({error.reason}): {_in_lines(error)}", err=True)
        sys.exit(2)
    except Unreadable as error:
        raise click.UsageError(str(error)) from error
    except ClusterProblem as error:
        click.echo(f"error: {error}", err=True)
        return False
