"""Results that `zoo.batch` wrote: `read_results`."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypedDict, cast

from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from zoo.jobs.documents import checked_job
from zoo.jobs.parquet import read_tables
from zoo.jobs.parts import PARTS, flat_columns, flat_rows
from zoo.jobs.results_folder import ResultsFolder, StoredPart, damaged
from zoo.results.vocabulary import AnyResult

if TYPE_CHECKING:
    import pandas
    import pyarrow


class _Image(TypedDict):
    index: int  # in the list of the job
    source: str  # path or URL of the image, the archive or the video


class _ImageRow(_Image):
    width: int  # in pixels, upright
    height: int
    bytes: int  # of the encoded image; of a frame of a video those of its pixels
    sha256: str  # of these bytes
    result: AnyResult  # as the function returns it for one image


class ImageRow(_ImageRow, total=False):
    """An image of a job, and what was found in it."""

    member: str  # name in the archive
    frame: int  # number in the video, from 0


class _ErrorRow(_Image):
    error: str


class ErrorRow(_ErrorRow, total=False):
    """An image of a job that could not be read or looked at, and why."""

    member: str
    frame: int


class BatchResults:
    """The results of a job, made by `read_results`: an iterable of `ImageRow`, by index.

    The files are read as they are needed, one at a time.
    """

    def __init__(self, folder: ResultsFolder):
        self._folder = folder
        self._job = checked_job(folder.job_document(), folder.path / "job.json", PARTS)

    @property
    def function(self) -> str:
        """The function whose results they are, such as ``"estimate_multiple_poses"``."""
        verb: str = self._job["verb"]
        return verb

    @property
    def is_complete(self) -> bool:
        """Whether all chunks are done; else these are the results so far."""
        return len(self._numbers()) == self._job["chunks"]

    def __len__(self) -> int:
        """The number of images that have a result."""
        return sum(self._record(number)["rows"] for number in self._numbers())

    def __iter__(self) -> Iterator[ImageRow]:
        read = PARTS[self._job["format"]].read
        if read is None:
            raise ZooError(
                "CSV files hold no dicts: to_pandas() reads them; write format='jsonl' or "
                "'parquet' for dicts"
            )
        for number in self._numbers():
            yield from cast(Iterator[ImageRow], read(self._part(number), self.function))

    @property
    def errors(self) -> list[ErrorRow]:
        """The images without a result."""
        return [error for n in self._numbers() for error in self._record(n)["errors"]]

    def to_pandas(self, *, flat: bool = False) -> pandas.DataFrame:
        """The results as a DataFrame of pandas.

        Args:
            flat: a row for each keypoint, label or region, with the columns of `zoo.to_pandas`
                behind those of the image, whose index is called ``image``. Else a row for each
                image, with its result as dicts. Results in CSV files are always flat.

        Raises:
            ZooError: pandas is missing, or a file is damaged.
        """
        with needed_for("to_pandas"):
            import pandas
        if self._job["format"] == "csv":
            tables = [self._flat_table(number, pandas.read_csv) for number in self._numbers()]
            return pandas.concat(tables, ignore_index=True) if tables else pandas.DataFrame()
        rows: Any = list(self)
        if flat:
            return pandas.DataFrame(list(flat_rows(rows)), columns=flat_columns(self.function))
        return pandas.DataFrame(rows)

    def _flat_table(
        self, number: int, read_csv: Callable[[io.BytesIO], pandas.DataFrame]
    ) -> pandas.DataFrame:
        """The table of a chunk whose format is CSV."""
        part = self._part(number)
        try:
            return read_csv(io.BytesIO(part.data))
        except ValueError as error:  # as all errors of its parsers are
            raise damaged(part.path, error) from error

    def to_arrow(self) -> pyarrow.Table:
        """The results as a table of Arrow, whose columns ``zoo/docs/batch.md`` lists.

        Raises:
            ZooError: pyarrow is missing, they are no Parquet files, or one is damaged.
        """
        if self._job["format"] != "parquet":
            raise ZooError(
                f"to_arrow reads Parquet, and these are {self._job['format']} files: write "
                "format='parquet'"
            )
        return read_tables(self.function, map(self._part, self._numbers()))

    def _numbers(self) -> list[int]:
        return sorted(self._folder.done())

    def _record(self, number: int) -> dict[str, Any]:
        return self._folder.record(number, self._job.get("identity"))

    def _part(self, number: int) -> StoredPart:
        return self._folder.stored_part(number, self._job["format"], self._job.get("identity"))

    def __repr__(self) -> str:
        return f"<results of {self.function} for {len(self)} of {self._job['images']} images>"


def read_results(path: str | os.PathLike[str]) -> BatchResults:
    """Return the results that `zoo.batch` wrote to a folder, also before it has ended.

    Args:
        path: the folder that was its ``out``.

    Returns:
        An iterable of dicts, one for each image: see `zoo.ImageRow`; ``to_pandas()`` and
        ``to_arrow()`` give tables, ``errors`` the images without a result.

    Raises:
        ZooError: it is no such folder.

    >>> read_results("nowhere")
    Traceback (most recent call last):
    zoo.ZooError: there is no job.json in ...
    """
    return BatchResults(ResultsFolder(path))
