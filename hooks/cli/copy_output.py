"""`dynamo-hooks copy-output`: what the profiler of a request wrote, into a ConfigMap."""

import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType

import click

from hooks.api_server import ACCOUNT_FOLDER, ApiServer
from hooks.copy_output import Copy, CopyFailed, copy_output


def _in_cluster() -> str:
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST", ""), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise click.UsageError("this is not a pod (KUBERNETES_SERVICE_HOST is not set); give --server")
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


@click.command("copy-output")
@click.option("--request", required=True, help="Name of the DynamoGraphDeploymentRequest.")
@click.option("--uid", required=True, help="Its uid.")
@click.option("--target-namespace", required=True, help="Namespace that its graph goes to.")
@click.option("--namespace", required=True, envvar="POD_NAMESPACE", show_envvar=True, help="Namespace of the pod.")
@click.option("--pod", required=True, envvar="POD_NAME", show_envvar=True, help="Name of the pod.")
@click.option(
    "--folder", type=click.Path(path_type=Path), default=Path("/data"), show_default=True, help="Where the output is."
)
@click.option("--server", metavar="URL", help="API server, where this is no pod that knows it.")
@click.option(
    "--account",
    type=click.Path(path_type=Path),
    default=ACCOUNT_FOLDER,
    show_default=True,
    help="Folder with the files token and ca.crt.",
)
def command(  # noqa: PLR0913, PLR0917 - click hands each option over by its name
    request: str,
    uid: str,
    target_namespace: str,
    namespace: str,
    pod: str,
    folder: Path,
    server: str | None,
    account: Path,
) -> None:
    """Wait for the profiler in this pod to end, and copy what it wrote into a ConfigMap.

    This runs beside the profiler of a DynamoGraphDeploymentRequest. A profiler that failed is no failure of this
    command: then the ConfigMap says why.

    \b
    Examples:
      dynamo-hooks copy-output --request chat --uid 4711 --target-namespace prod
      dynamo-hooks copy-output --request chat --uid 4711 --target-namespace prod \\
          --namespace inference --pod profile-chat-x2x9v --folder ./data --server http://localhost:8001
    """
    # The first process of a container has no default handlers: without this, a stop takes the whole grace period.
    signal.signal(signal.SIGTERM, _stop)
    copy = Copy(request, uid, namespace, target_namespace, pod, folder)
    api_server = ApiServer(server or _in_cluster(), account / "token", account / "ca.crt")
    try:
        copy_output(copy, api_server, time, lambda line: click.echo(line, err=True))
    except CopyFailed as failed:
        raise click.ClickException(str(failed)) from failed


def _stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - a signal handler's signature
    sys.exit(128 + number)
