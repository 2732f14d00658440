from click.testing import CliRunner

from hooks.cli import main
from hooks.crds.published import published_definitions


def test_check_tells_a_stale_file_and_a_missing_one(tmp_path):
    run = CliRunner().invoke
    assert run(main, ["crds", "--output", str(tmp_path)]).exit_code == 0
    assert run(main, ["crds", "--output", str(tmp_path), "--check"]).exit_code == 0
    stale, missing, *_ = sorted(tmp_path.iterdir())
    stale.write_text("")
    missing.unlink()
    result = run(main, ["crds", "--output", str(tmp_path), "--check"])
    assert result.exit_code == 1
    assert stale.name in result.output
    assert missing.name in result.output
    assert "dynamo-hooks crds" in result.output
    assert stale.read_text() == ""


def test_a_missing_package_is_named_with_its_cure(monkeypatch):
    monkeypatch.setattr("hooks.crds.published.find_spec", lambda _: None)
    monkeypatch.setattr("hooks.cli.crds.file_contents", published_definitions.__wrapped__)
    result = CliRunner().invoke(main, ["crds"])
    assert result.exit_code == 1
    assert "pip install 'dynamo-hooks[simulate]'" in result.output


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path):
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(main, ["crds", "--output", str(tmp_path / "file" / "folder")])
    assert result.exit_code == 1
    assert "folder: cannot be written: Not a directory" in result.output
