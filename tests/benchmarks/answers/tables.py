"""Tables of figures: in Markdown, in JSON, and in a page of the documents."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from tests.benchmarks.answers.intervals import Figure

Row = Mapping[str, object]


class Share(NamedTuple):
    """How many of how many."""

    count: int
    of: int

    def __str__(self) -> str:
        return f"{self.count} of {self.of}"


class Table(NamedTuple):
    """Rows with the same columns, under a title."""

    title: str
    rows: Sequence[Row]


def markdown(table: Table) -> str:
    """The rows, without the title."""
    head = list(table.rows[0]) if table.rows else []
    lines = [head, ["---"] * len(head), *(map(_text, row.values()) for row in table.rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _text(value: object) -> str:
    return "-" if value is None else str(value)


def plain(table: Table) -> list[dict[str, object]]:
    """The rows for JSON: intervals and shares by the names of their parts, None for NaN."""
    return [{column: _parts(value) for column, value in row.items()} for row in table.rows]


def _parts(value: object) -> object:
    if isinstance(value, (Figure, Share)):
        return {name: _parts(part) for name, part in value._asdict().items()}
    return None if isinstance(value, float) and math.isnan(value) else value


def written(tables: Iterable[Table], page: str) -> str:
    """A page with the tables in place of those that follow the headings of their titles.

    Raises:
        LookupError: the page has no such heading.
    """
    for table in tables:
        before, found, after = page.partition(f"### {table.title}\n\n")
        if not found:
            raise LookupError(f"the page has no heading '### {table.title}': add it")
        page = before + found + markdown(table) + re.sub(r"\A(?:\|.*\n)*", "", after)
    return page
