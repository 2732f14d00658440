import pytest

from tests.report import with_section

PAGE = "# Costs\n\nwhat\n\n## Memory\n\n| a |\n\n## Load\n\nnone\n"


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("# Costs", "# Costs\n\nnew\n\n## Memory\n\n| a |\n\n## Load\n\nnone\n"),
        ("## Memory", "# Costs\n\nwhat\n\n## Memory\n\nnew\n\n## Load\n\nnone\n"),
        ("## Load", "# Costs\n\nwhat\n\n## Memory\n\n| a |\n\n## Load\n\nnew\n"),
        ("## Disk", "# Costs\n\nwhat\n\n## Memory\n\n| a |\n\n## Load\n\nnone\n\n## Disk\n\nnew\n"),
    ],
)
def test_a_section_is_written_in_its_place_and_the_others_stay(heading, expected):
    assert with_section(PAGE, heading, "\nnew\n") == expected
    assert with_section(expected, heading, "new") == expected


def test_a_page_that_is_empty_gets_its_first_section():
    assert with_section("", "# Costs", "new") == "# Costs\n\nnew\n"
