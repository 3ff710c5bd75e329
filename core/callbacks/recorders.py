"""Callbacks that record the results of epochs: in lists, a table, an image."""

import csv
import math
import os
from io import StringIO
from pathlib import Path
from types import ModuleType

from core.callbacks.base import Callback, Logs
from core.errors import CoreError
from core.process.line_files import LineFile


class History(Callback):
    """Keep the results of each epoch; `fit` returns it.

    Attributes:
        history: for each name the results of the epochs.
        epoch: numbers of the epochs, from 0.

    >>> import core
    >>> kept = core.callbacks.History()
    >>> kept.on_train_begin()
    >>> kept.on_epoch_end(0, {"loss": 0.5, "val_loss": 0.6})
    >>> kept.on_epoch_end(1, {"loss": 0.25, "val_loss": 0.5})
    >>> kept.history
    {'loss': [0.5, 0.25], 'val_loss': [0.6, 0.5]}
    """

    def __init__(self) -> None:
        self.history: dict[str, list[float]] = {}
        self.epoch: list[int] = []

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begin anew to count epochs; results are appended, as in Keras."""
        self.epoch = []

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Append the results."""
        self.epoch.append(epoch)
        for name, value in (logs or {}).items():
            self.history.setdefault(name, []).append(value)


class CSVLogger(Callback):
    r"""Write the results of each epoch as a row of a CSV file.

    The columns are those of the first epoch, ``epoch`` and names in alphabetical order, and those
    with ``val_`` if it has no validation. A result that is missing is ``NA``.

    Args:
        filename: path of the file, in a folder that exists.
        separator: letter between values.
        append: go on in a file that exists, without a row that a killed process did not finish;
            else the first row replaces the file.

    Raises:
        CoreError: the separator is not one letter; or, when training begins, the file to go on in
            is no table.

    >>> import core, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "log.csv")
    >>> table = core.callbacks.CSVLogger(path)
    >>> table.on_train_begin()
    >>> table.on_epoch_end(0, {"loss": 0.5, "val_loss": 0.6})
    >>> path.read_text()
    'epoch,loss,val_loss\n0,0.5,0.6\n'
    >>> folder.cleanup()
    """

    def __init__(
        self, filename: str | os.PathLike[str], separator: str = ",", append: bool = False
    ):
        if len(separator) != 1:
            raise CoreError(f"separator={separator!r} must be one letter, such as ','")
        self.filename, self.separator, self.append = Path(filename), separator, append
        self._columns: list[str] = []

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Find the columns of a file that exists, whose rows stay until there is a first."""
        self._columns = []
        if self.append and self.filename.exists():
            self._columns_so_far()  # or else a half row would be cut off another file
        self._file = LineFile(self.filename, append=self.append)
        if self.append:
            self._columns = self._columns_so_far()

    def _columns_so_far(self) -> list[str]:
        try:
            with self.filename.open(newline="") as file:
                return next(csv.reader(file, delimiter=self.separator), [])
        except (UnicodeDecodeError, csv.Error) as error:
            raise CoreError(
                f"{str(self.filename)!r} is no table to go on in ({error!s:.200}): give another "
                "filename, or append=False"
            ) from error

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Append a row."""
        found = logs or {}
        rows: list[list[object]] = []
        if not self._columns:
            self._columns = _columns(found)
            rows.append([*self._columns])
        values: dict[str, object] = {**found, "epoch": epoch}
        rows.append([values.get(name, "NA") for name in self._columns])
        text = StringIO()
        csv.writer(text, delimiter=self.separator, lineterminator="\n").writerows(rows)
        self._file.write(text.getvalue())


class CurvesImage(Callback):
    """Write the curves of all results as a PNG after each epoch; never half of a file.

    Args:
        filename: path of the image, in a folder that exists.

    Raises:
        CoreError: Matplotlib, which draws the curves, is not installed.

    >>> import core, pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "curves.png")
    >>> curves = core.callbacks.CurvesImage(path)
    >>> curves.on_train_begin()
    >>> curves.on_epoch_end(0, {"loss": 0.5, "val_loss": 0.6})
    >>> path.read_bytes()[1:4]
    b'PNG'
    >>> folder.cleanup()
    """

    def __init__(self, filename: str | os.PathLike[str]):
        _plots().library.check_matplotlib()
        self.filename = Path(filename)
        self._curves: dict[str, list[float]] = {}
        self._epochs = 0

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begin the curves anew."""
        self._curves, self._epochs = {}, 0

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Write the image; where an epoch lacks a result, its curve has a gap."""
        found = logs or {}
        for name in {**self._curves, **found}:
            curve = self._curves.setdefault(name, [math.nan] * self._epochs)
            curve.append(found.get(name, math.nan))
        self._epochs += 1
        if self._curves:
            _plots().history(self._curves).save(self.filename, format="PNG")


def _plots() -> ModuleType:
    """Import `core.plots`, which training without images does not need."""
    from core import plots

    return plots


def _columns(logs: Logs) -> list[str]:
    names = sorted(logs)
    if not any(name.startswith("val_") for name in names):
        names += [f"val_{name}" for name in names]
    return ["epoch", *names]
