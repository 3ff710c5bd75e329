"""The callback that writes results for TensorBoard."""

import os
from importlib import import_module
from typing import Literal, Protocol

import numpy as np

from core.callbacks.base import Callback, Logs
from core.errors import CoreError


class EventWriter(Protocol):
    """The methods that the writers of tensorboardX and of tensorboard share."""

    def add_scalar(self, tag: str, value: float, step: int, /) -> None:
        """Write a number."""

    def flush(self) -> None:
        """Write to the disk what waits."""

    def close(self) -> None:
        """End the file."""


class TensorBoard(Callback):
    """Write results of epochs, and of batches, to a folder that TensorBoard shows.

    Results are written as ``epoch_loss`` to the folder ``train``, those of the validation to
    ``validation``, as Keras does. ``pip install tensorboardX`` is enough to write them, and so is
    the package tensorboard, which shows them: ``tensorboard --logdir logs``. Neither needs
    TensorFlow.

    Args:
        log_dir: path of the folder.
        histogram_freq: after how many epochs to write histograms of the weights; 0 for never.
            Only tensorboardX writes them.
        update_freq: ``"epoch"``; ``"batch"``, or a number of batches after which their results
            are written, too, as ``batch_loss``.

    Raises:
        CoreError: ``update_freq`` is something else; when training begins, neither package is
            installed.

    >>> import core
    >>> core.callbacks.TensorBoard("logs", update_freq="step")
    Traceback (most recent call last):
    core.errors.CoreError: update_freq='step' must be 'epoch', 'batch' or a number of batches
    """

    def __init__(
        self,
        log_dir: str | os.PathLike[str] = "logs",
        histogram_freq: int = 0,
        update_freq: Literal["epoch", "batch"] | int = "epoch",
    ):
        freq = {"epoch": 0, "batch": 1}.get(str(update_freq), update_freq)
        if not isinstance(freq, int) or freq < 0:
            raise CoreError(
                f"update_freq={update_freq!r} must be 'epoch', 'batch' or a number of batches"
            )
        self.log_dir, self.histogram_freq, self.update_freq = log_dir, histogram_freq, update_freq
        self._batch_freq, self._batches = freq, 0
        self._writers: dict[str, EventWriter] = {}

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Find the package that writes."""
        self._writer("train")

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Write results of a batch; batches are counted over all epochs."""
        if self._batch_freq and self._batches % self._batch_freq == 0:
            self._write("train", "batch", logs or {}, self._batches)
        self._batches += 1

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Write the results."""
        found = logs or {}
        trained = {n: v for n, v in found.items() if not n.startswith("val_")}
        validated = {n.removeprefix("val_"): v for n, v in found.items() if n not in trained}
        self._write("train", "epoch", trained, epoch)
        if validated:
            self._write("validation", "epoch", validated, epoch)
        if self.histogram_freq and epoch % self.histogram_freq == 0:
            self._write_histograms(epoch)
        for writer in self._writers.values():
            writer.flush()

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Close the files."""
        for writer in self._writers.values():
            writer.close()
        self._writers = {}

    def _write(self, folder: str, prefix: str, logs: Logs, step: int) -> None:
        writer = self._writer(folder)
        for name, value in logs.items():
            writer.add_scalar(f"{prefix}_{name}", value, step)

    def _write_histograms(self, epoch: int) -> None:
        add = getattr(self._writer("train"), "add_histogram", None)
        if add is None:
            raise CoreError(
                "histogram_freq needs the package tensorboardX: pip install tensorboardX, or give 0"
            )
        for number, weight in enumerate(self.model.get_weights()):
            add(f"weights/{number}", np.asarray(weight), epoch)

    def _writer(self, folder: str) -> EventWriter:
        if folder not in self._writers:
            self._writers[folder] = _new_writer(os.path.join(self.log_dir, folder))
        return self._writers[folder]


def _new_writer(folder: str) -> EventWriter:
    for module, name in (("tensorboardX", "SummaryWriter"), ("tensorboard.summary", "Writer")):
        try:
            made: EventWriter = getattr(import_module(module), name)(folder)
            return made
        except ImportError:
            continue
    raise CoreError(
        "the callback TensorBoard needs the package tensorboardX or tensorboard: "
        "pip install tensorboardX"
    )
