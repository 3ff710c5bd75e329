"""Printing of results as CSV."""

from typing import Any

from zoo.export.tables import columns_of, csv_text, table_rows
from zoo.results.vocabulary import Result


class Table:
    """CSV, always with the names of the images; which columns there are is known at the end."""

    def __init__(self) -> None:
        self._rows: list[dict[str, Any]] = []

    def add(self, image: str, result: Result) -> None:
        """Keep the rows of a result."""
        self._rows += table_rows({image: result}, "to_csv")

    def close(self) -> None:
        """Print all rows."""
        if self._rows:
            print(csv_text(self._rows, columns_of(self._rows, {})), end="")
