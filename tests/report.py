"""docs/benchmark.md: each measurement writes its own section."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "benchmark.md"


def with_section(page, heading, text):
    """A page (Markdown) with a section under this heading: in the place of the one that it has, or at its end."""
    section = f"{heading}\n\n{text.strip()}\n"
    sections = [each.rstrip() + "\n" for each in re.split(r"^(?=#+ )", page, flags=re.MULTILINE) if each.strip()]
    places = [index for index, each in enumerate(sections) if each.partition("\n")[0] == heading]
    if places:
        sections[places[0]] = section
    else:
        sections.append(section)
    return "\n".join(sections)


def write_section(heading, text):
    """Write a section of docs/benchmark.md."""
    PAGE.write_text(with_section(PAGE.read_text(), heading, text))
