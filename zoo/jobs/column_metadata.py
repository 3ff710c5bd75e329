"""A check of what Parquet files say of their columns, without reading these.

The columns of `pyarrow.parquet.FileMetaData` are made without a net: an exception of C++ about
damaged ones ends the process. Arrow's reader makes them before it reads a page, and catches that.
"""

from __future__ import annotations

import io
from contextlib import suppress
from typing import TYPE_CHECKING, Any, BinaryIO

from zoo.jobs.parquet import load_arrow

if TYPE_CHECKING:
    import pyarrow


def check_column(name: str, metadata: pyarrow.parquet.FileMetaData, file: BinaryIO) -> None:
    """Raise an error of Arrow if what a file says of a column is damaged.

    Args:
        name: of the column.
        metadata: of the file.
        file: of which only the size is looked at.

    Raises:
        ArrowException, OSError: it is damaged.
    """
    unread: Any = _Unread(file.seek(0, io.SEEK_END))
    table = load_arrow("reading Parquet files").parquet.ParquetFile(unread, metadata=metadata)
    for group in range(metadata.num_row_groups):
        with suppress(_UnreadError):
            next(table.iter_batches(1, row_groups=[group], columns=[name]), None)


class _UnreadError(Exception):
    """Pages are asked for."""


class _Unread(io.RawIOBase):
    """A file whose bytes are not to be read."""

    def __init__(self, size: int):
        self._size, self._place = size, 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, place: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, or to the end."""
        self._place = self._size if whence == io.SEEK_END else place
        return self._place

    def tell(self) -> int:
        """Return the place."""
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        """Raise."""
        raise _UnreadError
