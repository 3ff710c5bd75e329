"""The rows of a chunk as a file: Parquet, JSON lines or CSV."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from weights_cache.common.dependencies import needed_for
from zoo.export.json_text import plain_value
from zoo.export.tables import Row, columns_of_type, csv_text, table_rows
from zoo.images.pixels import ImageError
from zoo.jobs.parquet import read_table, write_rows
from zoo.jobs.results_folder import StoredPart, damaged
from zoo.jobs.schema import IMAGE_COLUMNS, result_of
from zoo.tasks.task_verbs import result_type

#: Names of columns of flat tables that differ: labels have an index, too.
_FLAT_NAMES = {"index": "image"}


class PartFormat(NamedTuple):
    """The functions that write rows and read them again."""

    write: Callable[[BinaryIO, str, Sequence[Row]], None]
    read: Callable[[StoredPart, str], Iterator[Row]] | None  # None: not all can be read again
    package: str | None = None  # that both need


def _read_parquet(part: StoredPart, verb: str) -> Iterator[Row]:
    for stored in read_table(part).to_pylist():
        row = {name: value for name, value in stored.items() if value is not None}
        yield _with_result(part.path, verb, row, stored.get("result"))


def _write_json_lines(file: BinaryIO, verb: str, rows: Sequence[Row]) -> None:
    for row in rows:
        text = json.dumps(row, allow_nan=False, default=plain_value)
        file.write(text.encode() + b"\n")


def _read_json_lines(part: StoredPart, verb: str) -> Iterator[Row]:
    try:
        for line in io.BytesIO(part.data):
            row = json.loads(line)
            yield _with_result(part.path, verb, row, row["result"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise damaged(part.path, error) from error


def _with_result(path: Path, verb: str, row: Row, stored: Any) -> Row:
    """Return a row with the result that is stored for it."""
    try:
        return {**row, "result": result_of(verb, stored)}
    except (ImageError, ValueError, KeyError, TypeError) as error:
        raise damaged(path, f"the result of image {row.get('index')!r:.80}: {error}") from error


def _write_csv(file: BinaryIO, verb: str, rows: Sequence[Row]) -> None:
    columns = flat_columns(verb)
    file.write(csv_text([*flat_rows(rows)], columns).encode())


def flat_columns(verb: str) -> list[str]:
    """The columns of CSV files of a function, in their order."""
    of_image = [_FLAT_NAMES.get(name, name) for name, *_ in IMAGE_COLUMNS]
    return of_image + columns_of_type(result_type(verb)[0])


def flat_rows(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield a row for each keypoint, label or region; one for an image where nothing was found."""
    for row in rows:
        of_image = {_FLAT_NAMES.get(k, k): value for k, value in row.items() if k != "result"}
        yield from ({**of_image, **found} for found in table_rows(row["result"], "batch") or [{}])


PARTS: Mapping[str, PartFormat] = {
    "parquet": PartFormat(write_rows, _read_parquet, "pyarrow"),
    "jsonl": PartFormat(_write_json_lines, _read_json_lines),
    "csv": PartFormat(_write_csv, None),
}


def check_package(format: str) -> None:
    """Raise if the package is missing that a format needs; it is not imported.

    Raises:
        ZooError: it is.
    """
    package = PARTS[format].package
    if package is None or find_spec(package) is not None:
        return
    free = " and ".join(repr(name) for name, each in PARTS.items() if each.package is None)
    with needed_for(f"format={format!r}, unlike {free},"):
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
