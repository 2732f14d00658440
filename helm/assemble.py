"""Makes the parts of the chart that have their source elsewhere: `make chart`.

Helm reads only what lies in the chart's own folder. So the CRDs, controllers and ClusterRoles of the top-level folders
are copied into it, and the schema of its values is made of that of the settings.
"""

import json
import sys
from pathlib import Path
from typing import Any

from hooks.settings import Settings

ROOT = Path(__file__).parent.parent
CHART = ROOT / "helm" / "dynamo-hooks"
_RESTRICTION = ROOT / "metacontroller" / "components" / "namespace-restriction" / "installation.yaml"

_TEXT = {"type": "string"}
_SWITCH = {"type": "boolean"}
_TEXTS = {"type": "array", "items": _TEXT}
_OBJECT = {"type": "object"}
_STRING_MAP = {"type": "object", "additionalProperties": _TEXT}
_COUNT = {"type": "integer", "minimum": 1}


def _closed(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


_REVISION = {"type": ["string", "integer"]}
"""`--set auth.tokenRevision=2` is a number."""
_OPTIONAL_API = {"enum": ["auto", True, False]}
_MONITOR = _closed(enabled=_SWITCH, labels=_STRING_MAP)
_CHART_VALUES = {
    "global": _OBJECT,  # Helm puts it into the values of a chart that is part of another one
    "image": _closed(
        repository={"type": "string", "minLength": 1},
        tag=_TEXT,
        digest={"type": "string", "pattern": "^(sha256:[0-9a-f]{64})?$"},
        pullPolicy={"enum": ["Always", "IfNotPresent", "Never"]},
    ),
    "imagePullSecretNames": _TEXTS,
    "replicas": _COUNT,
    "resources": _OBJECT,
    "nodeSelector": _STRING_MAP,
    "tolerations": {"type": "array", "items": _OBJECT},
    "affinity": _OBJECT,
    "podAnnotations": _STRING_MAP,
    "priorityClassName": _TEXT,
    "autoscaling": _closed(enabled=_SWITCH, maxReplicas=_COUNT, targetCPUUtilizationPercentage=_COUNT),
    "podDisruptionBudget": _closed(enabled=_SWITCH),
    "auth": _closed(enabled=_SWITCH, existingSecret=_TEXT, tokenRevision=_REVISION),
    "tls": _closed(secretName=_TEXT, caKey=_TEXT, revision=_REVISION),
    "metacontroller": _closed(namespace={"type": "string", "minLength": 1}),
    "networkPolicy": _closed(enabled=_SWITCH),
    "crds": _closed(install=_SWITCH),
    "imagePullSecrets": _closed(enabled=_SWITCH, secretSelector=_closed(matchLabels=_STRING_MAP, matchExpressions={})),
    "optionalAPIs": _closed(leaderWorkerSet=_OPTIONAL_API, istio=_OPTIONAL_API),
    "metrics": _closed(
        namespaceSelector=_STRING_MAP,
        serviceMonitor=_MONITOR,
        podMonitors=_MONITOR,
        rules=_MONITOR,
        dashboard=_MONITOR,
    ),
}


def copies() -> dict[Path, str]:
    """The files that are copied into the chart, and what is in them."""
    controllers = [path for path in (ROOT / "metacontroller").glob("*.yaml") if path.name != "kustomization.yaml"]
    sources = {
        "controllers": [*controllers, _RESTRICTION],
        "cluster_roles": list((ROOT / "metacontroller" / "cluster_roles").glob("*.yaml")),
        "crds": list((ROOT / "crds").glob("*.yaml")),
    }
    return {
        CHART / "files" / folder / path.name: path.read_text(encoding="utf-8")
        for folder, paths in sources.items()
        for path in paths
    }


def values_schema() -> str:
    """The JSON Schema of the chart's values: the settings under their own names, and what the chart adds."""
    settings = Settings.model_json_schema(by_alias=True)
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Values of dynamo-hooks",
        "type": "object",
        "additionalProperties": False,
        "properties": {**settings["properties"], **_CHART_VALUES},
        "$defs": settings["$defs"],
    }
    return json.dumps(schema, indent=1) + "\n"


def assembled() -> dict[Path, str]:
    """All files that are made here, and what has to be in them."""
    return {**copies(), CHART / "values.schema.json": values_schema()}


def stale() -> list[str]:
    """The files of the chart that differ from their sources, or have none, relative to the chart."""
    wanted = assembled()
    there = set((CHART / "files").glob("*/*.yaml")) | {CHART / "values.schema.json"}
    differing = [path for path in wanted if not path.exists() or path.read_text(encoding="utf-8") != wanted[path]]
    return sorted(str(path.relative_to(CHART)) for path in {*differing, *(there - wanted.keys())})


def main() -> None:
    """Write them, and remove copies whose source is gone."""
    for name in stale():
        (CHART / name).unlink(missing_ok=True)
    for path, text in assembled().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    print(f"{len(assembled())} files of {CHART.relative_to(ROOT)} are up to date", file=sys.stderr)


if __name__ == "__main__":
    main()
