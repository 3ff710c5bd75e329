"""The callback that saves a model while it is trained."""

import math
import os
from typing import Literal

from core.callbacks.base import Logs
from core.callbacks.monitors import Mode, MonitorCallback
from core.errors import CoreError

#: Endings of files of weights.
WEIGHT_ENDINGS = (".weights.h5", ".npz")


class ModelCheckpoint(MonitorCallback):
    """Save the model after epochs or batches.

    A file is replaced when the new one is complete. Weights whose loss is NaN or infinite are not
    saved, so that they never replace good ones.

    Args:
        filepath: path of the file, whose missing folders are made. It may have fields such as
            ``"{epoch:02d}-{val_loss:.2f}.keras"``: the epoch from 1, the batch from 1 and results.
        monitor: name of the result that says which epoch is best.
        verbose: 1 prints what is saved.
        save_best_only: save only what is better than all before; if the result is missing,
            save always.
        save_weights_only: save the weights without the layers: ``filepath`` then ends in
            ``.weights.h5``, as in Keras, or in ``.npz``.
        mode: ``"min"``, ``"max"`` or ``"auto"``, by the name of the result.
        save_freq: ``"epoch"``, or a number of batches.
        initial_value_threshold: a result to be better than from the beginning.

    Raises:
        CoreError: there is no such mode, ``save_freq`` is neither, a field has an invalid format,
            the name does not say what is best, or ends otherwise than files of weights.

    >>> import core
    >>> core.callbacks.ModelCheckpoint("best.keras", save_freq=0)
    Traceback (most recent call last):
    core.errors.CoreError: save_freq=0 must be 'epoch' or a number of batches, 1 or more
    """

    def __init__(
        self,
        filepath: str | os.PathLike[str],
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: Mode = "auto",
        save_freq: Literal["epoch"] | int = "epoch",
        initial_value_threshold: float | None = None,
    ):
        super().__init__(monitor, mode, best=initial_value_threshold)
        if save_freq != "epoch" and not (isinstance(save_freq, int) and save_freq > 0):
            raise CoreError(
                f"save_freq={save_freq!r} must be 'epoch' or a number of batches, 1 or more"
            )
        self.filepath, self.verbose, self.save_freq = os.fspath(filepath), verbose, save_freq
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        self._epoch = self._batches = 0
        path = self._path(0, 0, {})  # an invalid format is an error now
        if save_weights_only and not path.endswith(WEIGHT_ENDINGS):
            raise CoreError(
                f"filepath={self.filepath!r} must end in .weights.h5 or .npz for weights alone: "
                f"rename it, or leave save_weights_only out"
            )

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Check the mode; the best result stays, as in Keras."""
        if self.save_best_only:
            super().on_train_begin(logs)
        self._batches = 0

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Keep the number of the epoch."""
        self._epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Save the model after the given number of batches."""
        if self.save_freq == "epoch":
            return
        self._batches += 1
        if self._batches >= self.save_freq:
            self._batches = 0
            self._save_if_better(self._epoch, batch, logs or {})

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Save the model."""
        if self.save_freq == "epoch":
            self._save_if_better(epoch, None, logs or {})

    def _save_if_better(self, epoch: int, batch: int | None, logs: Logs) -> None:
        if not math.isfinite(logs.get("loss", 0.0)):
            self._warn_once(
                f"the loss of epoch {epoch + 1} is {logs['loss']}: the model is not saved"
            )
            return
        better = self._judged(logs) if self.save_best_only else "saving model"
        if better:
            path = self._path(epoch, batch, logs)
            if self.verbose:
                print(f"Epoch {epoch + 1}: {better} to {path}")
            self._save(path)
        elif self.verbose:
            print(f"Epoch {epoch + 1}: {self.monitor} did not improve from {_short(self.best)}")

    def _judged(self, logs: Logs) -> str:
        """Return why to save, or nothing."""
        current = self._current(logs)
        if current is None:
            return "saving model"
        if not self._is_better(current, self.best):
            return ""
        before, self.best = _short(self.best), current
        return f"{self.monitor} improved from {before} to {_short(current)}, saving model"

    def _save(self, path: str) -> None:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        if os.path.isdir(path):
            raise CoreError(f"{path!r} is a folder: give ModelCheckpoint the path of a file")
        if self.save_weights_only:
            self.model.save_weights(path)
        else:
            self.model.save(path)

    def _path(self, epoch: int, batch: int | None, logs: Logs) -> str:
        """Return the path of a file; results that are missing are NaN in it."""
        counts = {"epoch": epoch + 1, "batch": (batch or 0) + 1}
        try:
            return self.filepath.format_map(_Fields({**logs, **counts}))
        except (ValueError, IndexError, AttributeError, TypeError) as error:
            raise CoreError(
                f"filepath={self.filepath!r} has an invalid field ({error}): fields are "
                f"{{epoch:02d}}, {{batch}} and results such as {{val_loss:.2f}}"
            ) from error


class _Fields(dict[str, float]):
    def __missing__(self, name: str) -> float:
        return math.nan


def _short(value: float | None) -> str:
    return "None" if value is None else f"{value:.5f}"
