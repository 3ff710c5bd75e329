"""Tables with a column of images: CSV and Parquet."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from typing import Any

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from weights_cache.interruptions import pass_interruption
from weights_cache.shown_urls import shown_url
from zoo.images.finding import ending_of
from zoo.images.urls import scheme_of
from zoo.jobs.column_metadata import check_column
from zoo.jobs.items import Item
from zoo.jobs.locations import is_remote, local_path, opened
from zoo.jobs.parquet import load_arrow

TABLE_ENDINGS = (".csv", ".tsv", ".parquet")

#: Names of the column that is taken if none is given.
USUAL_COLUMNS = ("path", "file", "filename", "image", "url", "source")

_ROWS_AT_ONCE = 10_000

#: The most characters of a line of a CSV file, and of a path or URL (as in Python's csv).
_LONGEST_LINE, _LONGEST_VALUE = 2**24, 2**17

#: The most bytes of the paths of a row group of a Parquet file, of which a page is decoded at once.
_LARGEST_GROUP = 2**28


def table_items(location: str, column: str | None) -> Iterator[Item]:
    """Yield the images that a column names; paths count from the folder of the table.

    Args:
        location: path or URL of a CSV or Parquet file. A CSV file has a line of names.
        column: name of the column; None for the only one, or one of the usual names.

    Raises:
        ZooError: the table cannot be read, or has no such column.
    """
    base = _folder_of(location)
    for number, value in enumerate(_values(location, column)):
        if not isinstance(value, str) or not value.strip():
            raise ZooError(
                f"row {number + 1} of {_quoted(location)} has no path or URL, but {value!r:.80}: "
                "remove the row, or give another column"
            )
        absolute = scheme_of(value) or os.path.isabs(value)
        source = value if absolute else base + value
        if not number and not absolute:
            _check_first(location, value, source)
        yield Item(source)


def _values(location: str, column: str | None) -> Iterator[Any]:
    if ending_of(location) == ".parquet":
        return _parquet_values(location, column)
    return _csv_values(location, column, "\t" if ending_of(location) == ".tsv" else ",")


def _csv_values(location: str, column: str | None, delimiter: str) -> Iterator[str]:
    with opened(location) as file:
        text = io.TextIOWrapper(file, "utf-8-sig", newline="")
        lines = csv.reader(_bounded_lines(text), delimiter=delimiter)
        try:
            names = next(lines, [])
            index = names.index(chosen_column(location, names, column))
            for line in filter(None, lines):
                yield line[index] if index < len(line) else ""
        except (csv.Error, UnicodeDecodeError) as error:
            raise ZooError(
                f"line {lines.line_num + 1} of {_quoted(location)} is not CSV in UTF-8 ({error}): "
                "save the table as such"
            ) from error


def _bounded_lines(text: io.TextIOWrapper) -> Iterator[str]:
    """Yield lines; one that is too long is not read to its end."""
    while line := text.readline(_LONGEST_LINE):
        if len(line) == _LONGEST_LINE:
            raise csv.Error(f"it has more than {_LONGEST_LINE:,} characters")
        yield line


def _parquet_values(location: str, column: str | None) -> Iterator[Any]:
    pa = load_arrow("reading Parquet files")
    with opened(location) as file:
        try:
            metadata = pa.parquet.read_metadata(file)
            schema = metadata.schema.to_arrow_schema()
            name = chosen_column(location, schema.names, column)
            check_column(name, metadata, file)
            _check_groups(location, metadata, name)
            # As a dictionary, values that are equal take the memory of one.
            shared = [] if pa.types.is_nested(schema.field(name).type) else [name]
            table = pa.parquet.ParquetFile(file, metadata=metadata, read_dictionary=shared)
            for batch in table.iter_batches(_ROWS_AT_ONCE, columns=[name]):
                for value in batch.column(0):
                    yield _checked_value(location, value.as_py())
        except (OSError, ValueError, pa.ArrowException) as error:
            pass_interruption(error)
            raise ZooError(
                f"{_quoted(location)} cannot be read as Parquet ({error!s:.200}): write the table "
                "again"
            ) from error


def _check_groups(location: str, metadata: Any, name: str) -> None:
    """Raise if the paths of a row group take too much memory, as the file declares."""
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        for column in map(group.column, range(group.num_columns)):
            size = column.total_uncompressed_size
            most = min(_LARGEST_GROUP, (column.num_values + 1) * _LONGEST_VALUE)
            if column.path_in_schema == name and size > most:
                raise ZooError(
                    f"{column.num_values:,} paths of {_quoted(location)} take {size:,} bytes, the "
                    f"limit is {most:,}: give another column, or write smaller row groups"
                )


def _checked_value(location: str, value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_VALUE:
        raise ZooError(
            f"a value of {_quoted(location)} has {len(value):,} characters, the limit of paths and "
            f"URLs is {_LONGEST_VALUE:,}: give another column, or save the images as files"
        )
    return value


def chosen_column(location: str, names: Sequence[str], column: str | None) -> str:
    """Return the column with the images.

    Raises:
        ZooError: no column has that name; or no name was given, and several may be meant.

    >>> chosen_column("a.csv", ["id", "path"], None)
    'path'
    """
    columns = ", ".join(map(repr, names)) or "none"
    if column is not None:
        if column in names:
            return column
        raise ZooError(
            f"{_quoted(location)} has no column {column!r}{did_you_mean(column, names)}; "
            f"columns: {columns:.300}"
        )
    usual = [name for name in names if name.strip().lower() in USUAL_COLUMNS]
    found = list(names) if len(names) == 1 else usual
    if len(found) == 1:
        return found[0]
    raise ZooError(
        f"{_quoted(location)} has {'several columns that' if found else 'no column that'} may hold "
        f"the images (columns: {columns:.300}): name it with column= (--column)"
    )


def _folder_of(location: str) -> str:
    if is_remote(location):
        return location.rpartition("/")[0] + "/"
    return os.path.join(os.path.dirname(local_path(location)), "")


def _check_first(location: str, value: str, source: str) -> None:
    """Raise if the paths of a table count from the current folder, and not from the table's."""
    if not is_remote(location) and not os.path.exists(source) and os.path.exists(value):
        raise ZooError(
            f"{value!r:.200} in {_quoted(location)} is a file in the current folder, but not in "
            "the folder of the table, from where paths count: move the table, or write absolute "
            "paths"
        )


def _quoted(location: str) -> str:
    return f"{shown_url(location)!r:.300}"
