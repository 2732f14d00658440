import pytest

from hooks.configuration import SettingsError
from hooks.tokens import tokens_from


def test_no_token_is_needed_where_none_is_configured():
    assert not tokens_from({})


def test_tokens_come_from_the_variable_and_from_the_lines_of_the_file(tmp_path):
    file = tmp_path / "token"
    file.write_text("old\nnew==\n")
    tokens = tokens_from({"DYNAMO_HOOKS_TOKEN": "own", "DYNAMO_HOOKS_TOKEN_FILE": str(file)})
    assert [tokens.accept(f"Bearer {token}") for token in ("own", "old", "new==", "", "old\nnew==")] == [
        True,
        True,
        True,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "holds no token; write one, or leave the variable unset to go without"),
        (b" \n", "holds no token; write one, or leave the variable unset to go without"),
        (b"s3cret,other", "holds a token with characters other than "),
        ("s3cret\N{BULLET}".encode(), "holds a token with characters other than "),
        (b"\xff\xfe", "cannot be read: is not UTF-8"),
        (None, "cannot be read: No such file or directory"),
    ],
    ids=["empty", "blank", "a comma", "no ASCII", "no UTF-8", "no file"],
)
def test_a_token_that_is_announced_and_not_there_stops_the_start(tmp_path, content, reason):
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError) as raised:
        tokens_from({"DYNAMO_HOOKS_TOKEN_FILE": str(file)})
    (line,) = raised.value.lines
    assert line.startswith(f"DYNAMO_HOOKS_TOKEN_FILE={file}: {reason}")
    assert "s3cret" not in line


def test_an_empty_variable_is_no_way_to_go_without():
    with pytest.raises(SettingsError, match=r"^DYNAMO_HOOKS_TOKEN: holds no token"):
        tokens_from({"DYNAMO_HOOKS_TOKEN": ""})
