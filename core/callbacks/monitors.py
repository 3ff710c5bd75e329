"""Callbacks that act when a result improves, or does not."""

import math
import re
import warnings
from typing import Literal

import numpy as np

from core.callbacks.base import Callback, Logs
from core.errors import CoreError

Mode = Literal["auto", "min", "max"]

#: Parts of the names of results: whether the greatest or the least is best.
_GREATEST = re.compile(
    r"(^|_)(acc|accuracy|auc|f1|fbeta|precision|recall|sensitivity|specificity|iou|r2|score"
    r"|similarity)(_|$)"
)
_LEAST = re.compile(
    r"(^|_)(loss|error|mse|mae|mape|msle|rmse|crossentropy|divergence|hinge|poisson|logcosh"
    r"|log_cosh|perplexity)(_|$)"
)


class MonitorCallback(Callback):
    """Base of callbacks that compare a result with the best one so far.

    Args:
        monitor: name of the result.
        mode: ``"min"`` if the least is best, ``"max"`` if the greatest is, ``"auto"`` if its
            name says which: the greatest for accuracies, the least for losses and errors.
        min_delta: a smaller change is no improvement.
        best: the best one to begin with; None for the first one.

    Raises:
        CoreError: there is no such mode, or a number is not finite.

    >>> import core
    >>> core.callbacks.EarlyStopping("val_accuracy", mode="least")
    Traceback (most recent call last):
    core.errors.CoreError: mode must be 'auto', 'min' or 'max', got 'least'
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        mode: Mode = "auto",
        min_delta: float = 0.0,
        best: float | None = None,
    ):
        if mode not in ("auto", "min", "max"):
            raise CoreError(f"mode must be 'auto', 'min' or 'max', got {mode!r}")
        if not math.isfinite(min_delta):
            raise CoreError(f"min_delta={min_delta} must be finite")
        self.monitor, self.mode, self.min_delta = monitor, mode, abs(min_delta)
        self.best = best
        self._warned = False

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Let a missing result be reported again, and check that its name says what is best."""
        self._warned = False
        if self.monitor.removeprefix("val_") in getattr(self.model, "metrics_names", ()):
            self._is_max()

    def _current(self, logs: Logs | None) -> float | None:
        """Return the result, or warn once that it is missing."""
        value = (logs or {}).get(self.monitor)
        if value is None:
            names = ", ".join(logs or ()) or "nothing"
            self._warn_once(
                f"{type(self).__name__} monitors {self.monitor!r}, which is not available; "
                f"training reports {names}"
            )
        return value

    def _warn_once(self, message: str) -> None:
        if not self._warned:
            self._warned = True
            warnings.warn(message, stacklevel=5)

    def _is_better(self, value: float, than: float | None) -> bool:
        """Whether a result improves another one; NaN never does."""
        if math.isnan(value):
            return False
        if than is None:
            return True
        return value - self.min_delta > than if self._is_max() else value + self.min_delta < than

    def _is_max(self) -> bool:
        """Whether the greatest result is best."""
        if self.mode != "auto":
            return self.mode == "max"
        if _LEAST.search(self.monitor):
            return False
        if _GREATEST.search(self.monitor):
            return True
        raise CoreError(
            f"{type(self).__name__} cannot infer from the name {self.monitor!r} whether the "
            f"greatest or the least is best: give mode='max' or mode='min'"
        )


class EarlyStopping(MonitorCallback):
    """Stop training when a result has stopped improving.

    Args:
        monitor: name of the result.
        min_delta: a smaller change is no improvement.
        patience: number of epochs without improvement after which training stops.
        verbose: 1 prints when training stops.
        mode: ``"min"``, ``"max"`` or ``"auto"``, by the name of the result.
        baseline: epochs count as without improvement until the result is better than that.
        restore_best_weights: at the end give the model its weights of the best epoch.
        start_from_epoch: epochs before this one, counted from 0, are not looked at.

    Raises:
        CoreError: there is no such mode, or the name does not say what is best.

    >>> import core
    >>> core.callbacks.EarlyStopping(monitor="val_loss", patience=3).patience
    3
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: int = 0,
        mode: Mode = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
        start_from_epoch: int = 0,
    ):
        super().__init__(monitor, mode, min_delta)
        self.patience, self.verbose, self.baseline = patience, verbose, baseline
        self.restore_best_weights = restore_best_weights
        self.start_from_epoch = start_from_epoch
        self._reset()

    def _reset(self) -> None:
        self.wait = self.stopped_epoch = self.best_epoch = 0
        self.best: float | None = None
        self.best_weights: list[np.ndarray] | None = None

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Forget an earlier training."""
        super().on_train_begin(logs)
        self._reset()

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Compare the result with the best one."""
        current = self._current(logs)
        if current is None or epoch < self.start_from_epoch:
            return
        if self.best_weights is None:
            self._keep(epoch)  # if no epoch is better than a baseline
        self.wait += 1
        if self._is_better(current, self.best):
            self.best = current
            self._keep(epoch)
            if self.baseline is None or self._is_better(current, self.baseline):
                self.wait = 0
        elif self.wait >= self.patience and epoch > 0:
            self.stopped_epoch = epoch
            self.model.stop_training = True

    def on_train_end(self, logs: Logs | None = None) -> None:
        """Restore the best weights."""
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch + 1}: early stopping")
        if self.best_weights is not None:
            if self.verbose:
                print(f"Restoring model weights from the best epoch: {self.best_epoch + 1}")
            self.model.set_weights(self.best_weights)

    def _keep(self, epoch: int) -> None:
        self.best_epoch = epoch
        if self.restore_best_weights:
            self.best_weights = self.model.get_weights()


class ReduceLROnPlateau(MonitorCallback):
    """Reduce the learning rate when a result has stopped improving.

    Results of epochs get the learning rate as ``learning_rate``.

    Args:
        monitor: name of the result.
        factor: the learning rate is multiplied by that, from 0 to below 1.
        patience: number of epochs without improvement after which the rate is reduced.
        verbose: 1 prints when it is reduced.
        mode: ``"min"``, ``"max"`` or ``"auto"``, by the name of the result.
        min_delta: a smaller change is no improvement.
        cooldown: number of epochs after a reduction that do not count.
        min_lr: the rate is not reduced below that.

    Raises:
        CoreError: the factor is out of its range, there is no such mode, or the name does not
            say what is best.

    >>> import core
    >>> core.callbacks.ReduceLROnPlateau(factor=2.0)
    Traceback (most recent call last):
    core.errors.CoreError: factor=2.0 must be from 0 to below 1: it reduces the learning rate
    """

    def __init__(
        self,
        monitor: str = "val_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: int = 0,
        mode: Mode = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0.0,
    ):
        super().__init__(monitor, mode, min_delta)
        if not 0 <= factor < 1:
            raise CoreError(
                f"factor={factor} must be from 0 to below 1: it reduces the learning rate"
            )
        self.factor, self.patience, self.verbose = factor, patience, verbose
        self.cooldown, self.min_lr = cooldown, min_lr
        self.wait = self.cooldown_counter = 0

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Forget an earlier training."""
        super().on_train_begin(logs)
        self.best, self.wait, self.cooldown_counter = None, 0, 0

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Compare the result with the best one."""
        if logs is not None:
            logs["learning_rate"] = float(self.model.optimizer.learning_rate)
        current = self._current(logs)
        if current is None:
            return
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.wait = 0
        if self._is_better(current, self.best):
            self.best, self.wait = current, 0
        elif self.cooldown_counter <= 0:
            self.wait += 1
            if self.wait >= self.patience:
                self._reduce(epoch)

    def _reduce(self, epoch: int) -> None:
        rate = float(self.model.optimizer.learning_rate)
        if rate > np.float32(self.min_lr):
            rate = max(rate * self.factor, self.min_lr)
            self.model.optimizer.learning_rate = rate
            self.cooldown_counter, self.wait = self.cooldown, 0
            if self.verbose:
                print(f"Epoch {epoch + 1}: ReduceLROnPlateau reducing learning rate to {rate}")
