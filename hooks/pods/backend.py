"""Which inference engine a worker runs."""

from hooks.api.component_deployment import Backend
from hooks.errors import Fault, InvalidSpec
from hooks.pods.command import CommandLine, Environment
from hooks.pods.engine import find_calls, hidden_calls


def backend_of(line: CommandLine, declared: Backend | None, env: Environment, *, multinode: bool) -> Backend | None:
    """The engine that a worker's command calls, else the one that `backendFramework` declares; None is fine.

    Components other than workers have none: do not ask for them.

    Raises:
        InvalidSpec: two engines are called, or another one than is declared; or, for a component that spans nodes,
            one may be called where it cannot be told what each node needs.
    """
    called = {call.backend: call for call in find_calls(line, env)}
    if len(called) > 1:
        names = " and ".join(f"python3 -m dynamo.{backend}" for backend in sorted(called))
        raise InvalidSpec([Fault(line.field(line.script), f"calls {names}", "call one engine in a component")])
    for backend, call in called.items():
        if declared is not None and declared != backend:
            problem = f"is {declared}, but {call.field.removeprefix('spec.')} calls python3 -m dynamo.{backend}"
            cure = f"write {backend}, or call python3 -m dynamo.{declared}"
            raise InvalidSpec([Fault("spec.backendFramework", problem, cure)])
        return backend
    if multinode and declared is None:
        hidden = hidden_calls(line, env)
        if hidden:
            raise InvalidSpec(hidden)
    return declared
