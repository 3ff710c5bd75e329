"""Tables of CSV files, and lines of text files."""

import csv
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal, NamedTuple

import numpy as np

from core.data.dataset import Dataset
from core.data.elements import Nested
from core.engine.specs import check_choice
from core.errors import CoreError

#: A file by its path, or open for reading text.
TextFile = str | os.PathLike[str] | IO[str]

DType = Literal["float32", "int32", "bool", "string"]

_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def from_csv(
    file: TextFile,
    label: str | Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    dtypes: Mapping[str, DType] | None = None,
    *,
    delimiter: str = ",",
    header: bool = True,
    as_vector: bool = False,
) -> Dataset[Nested]:
    r"""Return the rows of a CSV file, which is read at once into an array per column.

    Elements are dicts of values by column; with ``label`` pairs of such a dict and the label.
    Columns without a dtype are int32 if all their cells are integers that fit, float32 if all are
    numbers or empty (NaN), else strings.

    Args:
        file: a path, or a file open for reading text.
        label: column of the labels; for several columns labels are dicts, too.
        columns: the columns that are used, besides labels; None for all.
        dtypes: dtypes by column; a cell that does not fit is an error.
        delimiter: character between cells.
        header: the first row has the names; else columns are named "0", "1" and so on.
        as_vector: join the columns, which must be numbers, into one float32 array per row.

    Raises:
        CoreError: a column is unknown, a row is too short or too long, or a cell does not fit.

    >>> from io import StringIO
    >>> file = StringIO("length,width,kind\n5.1,3.5,0\n4.9,3,1\n")
    >>> from_csv(file, label="kind", as_vector=True).batch(2).to_list()
    [(array([[5.1, 3.5],
           [4.9, 3. ]], dtype=float32), array([0, 1], dtype=int32))]
    """
    with _opened(file) as (stream, name):
        table = _read(stream, name, delimiter, header)
    labels = [label] if isinstance(label, str) else list(label or ())
    dtypes = dict(dtypes or {})
    for column in (*labels, *(columns or ()), *dtypes):
        if column not in table.cells:
            raise CoreError(
                f"{name} has no column {column!r}; it has {', '.join(table.cells):.300}"
            )
    chosen = [c for c in columns or table.cells if c not in labels]
    arrays = {c: table.array(c, dtypes.get(c)) for c in (*chosen, *labels)}
    features: Nested = {c: arrays[c] for c in chosen}
    if as_vector:
        features = _joined({c: arrays[c] for c in chosen}, name)
    if not labels:
        return Dataset.from_arrays(features)
    found: Nested = {c: arrays[c] for c in labels}
    return Dataset.from_arrays((features, arrays[label] if isinstance(label, str) else found))


def text_lines(file: TextFile) -> Dataset[str]:
    r"""Return the lines of a text file without their ends; the file is read in each pass.

    >>> from io import StringIO
    >>> text_lines(StringIO("one\ntwo\n")).to_list()
    ['one', 'two']
    """

    def lines() -> Iterator[str]:
        with _opened(file) as (stream, _):
            for line in stream:
                yield line.rstrip("\r\n")

    return Dataset.from_generator(lines)


class _Table(NamedTuple):
    """Cells by column, and the number of each row's line in the file."""

    name: str
    cells: dict[str, list[str]]
    lines: list[int]

    def array(self, column: str, dtype: DType | None) -> np.ndarray:
        """Return the values of a column."""
        cells = self.cells[column]
        if dtype is not None:
            check_choice(dtype, f"dtypes[{column!r}]", tuple(_PARSERS))
            return self._parsed(column, dtype)
        for guess in ("int32", "float32"):
            try:
                return np.array([_PARSERS[guess](cell) for cell in cells], guess)
            except ValueError:
                continue
        return np.array(cells)

    def _parsed(self, column: str, dtype: DType) -> np.ndarray:
        values = []
        for line, cell in zip(self.lines, self.cells[column], strict=True):
            try:
                values.append(_PARSERS[dtype](cell))
            except ValueError:
                raise CoreError(
                    f"{self.name}, line {line}: {cell!r:.80} in column {column!r} is no {dtype}"
                ) from None
        return np.array(values, None if dtype == "string" else dtype)


def _read(stream: IO[str], name: str, delimiter: str, header: bool) -> _Table:
    reader = csv.reader(stream, delimiter=delimiter)
    rows, lines = [], []
    for cells in reader:
        if cells:  # not an empty line
            rows.append(cells)
            lines.append(reader.line_num)
    if not rows:
        raise CoreError(f"{name} has no row")
    names = [cell.strip() for cell in rows[0]] if header else [*map(str, range(len(rows[0])))]
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise CoreError(f"{name} has several columns {min(twice)!r:.80}: names must differ")
    for line, cells in zip(lines, rows, strict=True):
        if len(cells) != len(names):
            raise CoreError(f"{name}, line {line}: {len(cells)} cells for {len(names)} columns")
    rows, lines = rows[header:], lines[header:]
    columns = zip(*rows, strict=True) if rows else ([] for _ in names)
    return _Table(name, dict(zip(names, map(list, columns), strict=True)), lines)


def _joined(arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    for column, array in arrays.items():
        if array.dtype.kind not in "fib":
            raise CoreError(
                f"as_vector needs numbers: column {column!r} of {name} has texts, such as "
                f"{str(array[0])!r:.80}; leave it out of columns, or make it the label"
            )
    if not arrays:
        raise CoreError(f"as_vector needs a column of {name} beside the labels")
    return np.stack(list(arrays.values()), axis=1).astype(np.float32)


def _integer(cell: str) -> int:
    number = int(cell)
    if not -(2**31) <= number < 2**31:
        raise ValueError
    return number


def _number(cell: str) -> float:
    return float(cell) if cell.strip() else float("nan")


def _truth(cell: str) -> bool:
    try:
        return _TRUTHS[cell.strip().lower()]
    except KeyError:
        raise ValueError from None


_PARSERS: dict[str, Callable[[str], int | float | bool | str]] = {
    "float32": _number,
    "int32": _integer,
    "bool": _truth,
    "string": str,
}


@contextmanager
def _opened(file: TextFile) -> Iterator[tuple[IO[str], str]]:
    """Open a file by its path, or start an open one anew; with its name in errors."""
    if not isinstance(file, (str, os.PathLike)):
        if file.seekable():
            file.seek(0)
        name = str(getattr(file, "name", "the file"))
        with _reporting_damage(name):
            yield file, name
        return
    if not Path(file).is_file():
        raise CoreError(f"there is no file {os.fspath(file)!r}: check the name and the folder")
    with open(file, newline="", encoding="utf-8-sig") as stream, _reporting_damage(os.fspath(file)):
        yield stream, os.fspath(file)


@contextmanager
def _reporting_damage(name: str) -> Iterator[None]:
    """Turn errors about bytes that are no text, or texts that are no cells, into a CoreError."""
    try:
        yield
    except (UnicodeDecodeError, csv.Error) as error:
        form = "table" if isinstance(error, csv.Error) else "text"
        message = f"{name} is no {form} in UTF-8 ({error!s:.200}): save it as such"
        raise CoreError(message) from error
