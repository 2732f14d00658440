from pathlib import Path

from hooks.cli.reference import reference
from hooks.configuration import variables

PATH = Path(__file__).parents[2] / "docs" / "settings.md"


def test_the_reference_of_settings_is_not_stale():
    assert PATH.read_text() == reference(), "`dynamo-hooks config --reference > docs/settings.md` writes it anew"


def test_every_setting_is_in_the_reference_with_its_variable():
    text = reference()
    sections = {".".join(variable.path[:-1]) for variable in variables().values()}
    for name, variable in variables().items():
        if ".".join(variable.path) not in sections:
            assert f"| `{variable.path[-1]}` | " in text
            assert f"| `{name}` |" in text


def test_what_a_setting_is_for_is_said_where_the_model_says_it():
    row = "| `natsAddress` | text, or nothing. NATS, which components reach each other by: `nats://nats.dynamo:4222`. |"
    assert row in reference()
