"""What the chart has copies of is what lies at its source. (Needs no Helm.)"""

import importlib.util
from pathlib import Path

import yaml

from hooks import __version__
from hooks.settings import Settings

PATH = Path(__file__).parents[2] / "helm" / "assemble.py"


def assemble():
    spec = importlib.util.spec_from_file_location("assemble", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_nothing_in_the_chart_is_stale():
    assert assemble().stale() == [], "`make chart` writes them anew"


def test_what_is_stale_is_found(tmp_path, monkeypatch):
    module = assemble()
    monkeypatch.setattr(module, "CHART", tmp_path)
    assert "values.schema.json" in module.stale()
    for path, text in module.assembled().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert module.stale() == []
    (tmp_path / "files" / "crds" / "gone.yaml").write_text("")
    (tmp_path / "files" / "controllers" / "model.yaml").write_text("")
    assert module.stale() == ["files/controllers/model.yaml", "files/crds/gone.yaml"]


def test_the_chart_is_of_the_version_that_it_installs():
    chart = yaml.safe_load((PATH.parent / "dynamo-hooks" / "Chart.yaml").read_text())
    assert (chart["version"], chart["appVersion"]) == (__version__, __version__)
    assert Settings().profiling.output_copier_image == f"dynamo-hooks:{__version__}"
    assert f"IMAGE ?= dynamo-hooks:{__version__}\n" in (PATH.parents[1] / "Makefile").read_text()
