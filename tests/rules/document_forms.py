"""The forms that the documents have: how long lines, list items and pages may be."""

import re
import textwrap

#: Columns at which prose is wrapped, and those that a row of a table may have at most.
WIDTH, LONGEST_LINE = 100, 200


def list_item(text: str) -> str:
    """An item of a list, wrapped; no name is divided."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def prose(text: str) -> list[str]:
    """The paragraphs and list items of a document, without code, tables, headings and comments."""
    without_code = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.DOTALL | re.MULTILINE)
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )|\n(?=\|)", without_code)
    return [part for part in parts if not part.lstrip().startswith(("|", "#", "<"))]
