"""The rows of a chunk as a Parquet file."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, get_args, get_origin, is_typeddict

import numpy as np

from weights_cache.common.dependencies import needed_for
from weights_cache.interruptions import pass_interruption
from zoo.export.tables import Row
from zoo.jobs.results_folder import StoredPart, damaged
from zoo.jobs.schema import IMAGE_COLUMNS, hints_of, to_arrow_value
from zoo.tasks.task_verbs import result_type

if TYPE_CHECKING:
    import pyarrow

_PLAIN = {str: "string", float: "float64", int: "int64"}


def load_arrow(purpose: str) -> Any:
    """Import pyarrow with its readers and writers of Parquet.

    Raises:
        ZooError: the package is missing.
    """
    with needed_for(purpose):
        import pyarrow.parquet
    return pyarrow


def write_rows(file: BinaryIO, verb: str, rows: Sequence[Row]) -> None:
    """Write the rows of images with the results of a function."""
    pa = load_arrow("writing Parquet files")
    values = [{**row, "result": to_arrow_value(row["result"])} for row in rows]
    pa.parquet.write_table(pa.Table.from_pylist(values, arrow_schema(verb)), file)


def read_table(part: StoredPart) -> pyarrow.Table:
    """Return a file of rows as a table.

    Raises:
        ZooError: it is damaged.
    """
    pa = load_arrow("reading Parquet files")
    try:
        table = pa.parquet.ParquetFile(io.BytesIO(part.data)).read()
        table.validate(full=True)  # texts may not be UTF-8
        return table
    except (OSError, ValueError, pa.ArrowException) as error:
        pass_interruption(error)
        raise damaged(part.path, error) from error


def read_tables(verb: str, parts: Iterable[StoredPart]) -> pyarrow.Table:
    """Return several files of rows of a function as one table."""
    pa = load_arrow("to_arrow")
    several = [*parts]
    tables = [read_table(part) for part in several]
    try:
        return pa.concat_tables(tables) if tables else arrow_schema(verb).empty_table()
    except pa.ArrowException as error:
        raise damaged(several[0].path, f"others have other columns: {error}") from error


def arrow_schema(verb: str) -> Any:
    """Return the schema of the Parquet files of a function: see ``zoo/docs/batch.md``.

    Raises:
        ZooError: pyarrow is missing.
    """
    pa = load_arrow("Parquet")
    kind, is_list = result_type(verb)
    result = _arrow_type(pa, kind)
    fields = [pa.field(name, pa.type_for_alias(t), null) for name, t, null in IMAGE_COLUMNS]
    fields.append(pa.field("result", _list_of(pa, result) if is_list else result, nullable=False))
    return pa.schema(fields, metadata={"zoo.function": verb})


def _arrow_type(pa: Any, kind: Any) -> Any:
    if is_typeddict(kind):
        hints = hints_of(kind)
        required = kind.__required_keys__
        return pa.struct(
            [pa.field(k, _arrow_type(pa, t), k not in required) for k, t in hints.items()]
        )
    inner = get_args(kind)
    if get_origin(kind) is list:
        return _list_of(pa, _arrow_type(pa, inner[0]))
    if get_origin(kind) is dict:
        return pa.map_(pa.string(), pa.field("value", _arrow_type(pa, inner[1]), nullable=False))
    if kind is np.ndarray:
        fields = [pa.field("png", pa.binary(), nullable=False), pa.field("scale", pa.int32())]
        return pa.struct(fields)
    return pa.type_for_alias(_PLAIN[kind])


def _list_of(pa: Any, inner: Any) -> Any:
    return pa.list_(pa.field("item", inner, nullable=False))
