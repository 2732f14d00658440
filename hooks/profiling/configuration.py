"""The configuration that the profiler gets, and how it stands in its arguments.

Source: the profiler's documentation of `--profile-config`. Its keys have two spellings, of which newer profilers prefer
the one in camel case; what a user wrote in either is replaced in that one.
"""

import posixpath
from typing import Any

import yaml

from hooks.api.graph_deployment_request import GraphDeploymentRequestSpec
from hooks.errors import Fault, shown
from hooks.manifest import without_nulls
from hooks.protocol import Object, part

OUTPUT_FOLDER = "/data"
"""Where the volume for the profiler's output is mounted."""
BASE_FOLDER = "/config"
BASE_FILE = "disagg.yaml"
"""Where the profiler finds the graph to start from, if the request names one."""

FIELD = "spec.profilingConfig.config"
LONGEST_ARGUMENT = 128 * 1024 - 1
"""Bytes of one argument (Linux: MAX_ARG_STRLEN, less the zero at its end)."""

_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)  # libyaml's is many times as fast

_FOLDER_KEYS = ("outputDir", "output_dir")
_IMAGE_KEYS = ("dgdImage", "dgd_image")


def configuration(spec: GraphDeploymentRequestSpec, namespace: str) -> tuple[Object, list[Fault]]:
    """The user's configuration with what the request itself decides, and what is wrong with it.

    Args:
        spec: the request's spec.
        namespace: the request's namespace, the only one in which the profiler has rights.
    """
    given: Object = without_nulls(spec.profiling_config.config or {})
    faults = [
        Fault(f"{FIELD}.{key}", f"has the value {shown(given[key])}", "write an object (key: value)")
        for key in ("deployment", "engine")
        if not isinstance(given.get(key, {}), dict)
    ]
    deployment, engine = part(given, "deployment"), part(given, "engine")
    elsewhere = deployment.get("namespace", namespace)
    if elsewhere != namespace:
        problem = f"has the value {shown(elsewhere)}, but the profiler may work in {namespace} only"
        cure = "leave it out; the graph that results can go elsewhere by spec.deploymentOverrides.namespace"
        faults.append(Fault(f"{FIELD}.deployment.namespace", problem, cure))
    deployment |= {"model": spec.model, "namespace": namespace}
    overrides = spec.deployment_overrides
    if overrides and overrides.workers_image:
        deployment |= dict.fromkeys(_spelt(deployment, _IMAGE_KEYS), overrides.workers_image)
    engine["backend"] = spec.backend
    if spec.profiling_config.config_map_ref:
        engine["config"] = f"{BASE_FOLDER}/{BASE_FILE}"
    config = given | {"deployment": deployment, "engine": engine}
    for key in _spelt(config, _FOLDER_KEYS):
        config.setdefault(key, OUTPUT_FOLDER)
    return config, faults + _folder_faults(config)


def size_faults(text: str) -> list[Fault]:
    """Whether the configuration is too long as YAML."""
    size = len(text.encode())
    if size <= LONGEST_ARGUMENT:
        return []
    problem = f"has {size} bytes as YAML, {LONGEST_ARGUMENT} fit in an argument of the profiler's"
    return [Fault(FIELD, problem, "make it shorter")]


def output_folder(config: Object) -> str:
    """Where the profiler writes."""
    return str(config[_spelt(config, _FOLDER_KEYS)[0]])


def uses_ai_configurator(config: Object) -> bool:
    """Whether the profiler estimates, rather than measures."""
    sweep = part(config, "sweep")
    return sweep.get("useAiConfigurator", sweep.get("use_ai_configurator")) is True


def as_yaml(config: Object) -> str:
    """The configuration as text; the order of its keys is fixed, so that the same one is always the same bytes.

    Beyond ASCII everything is escaped: PyYAML writes U+0085 as it is where it may, and reads it as a space.
    """
    return str(yaml.dump(config, Dumper=_Dumper, sort_keys=True, width=2**20))


def as_argument(text: str) -> str:
    """A text as an argument of a container, in which Kubernetes replaces `$(NAME)` and makes `$` of `$$`."""
    return text.replace("$", "$$")


def _spelt(found: Object, keys: tuple[str, str]) -> list[str]:
    """The spellings of a key that are there; the plain one where there is none."""
    return [key for key in keys if key in found] or [keys[-1]]


def _folder_faults(config: Object) -> list[Fault]:
    folders: dict[str, Any] = {key: config[key] for key in _spelt(config, _FOLDER_KEYS)}
    faults = []
    for key, folder in folders.items():
        inside = isinstance(folder, str) and f"{posixpath.normpath(folder)}/".startswith(f"{OUTPUT_FOLDER}/")
        if not inside:
            problem = f"has the value {shown(folder)}, but results are taken from {OUTPUT_FOLDER} only"
            faults.append(Fault(f"{FIELD}.{key}", problem, f"leave it out, or write a folder below {OUTPUT_FOLDER}"))
    if len(set(map(str, folders.values()))) > 1:
        faults.append(Fault(f"{FIELD}.{_FOLDER_KEYS[1]}", f"differs from {_FOLDER_KEYS[0]}", "leave one of them out"))
    return faults
