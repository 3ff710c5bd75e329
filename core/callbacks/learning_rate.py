"""Callbacks that set the learning rate, or end the training."""

import inspect
import math
from collections.abc import Callable
from typing import Any

from core.callbacks.base import Callback, Logs
from core.errors import CoreError


class LearningRateScheduler(Callback):
    """Set the learning rate at the beginning of each epoch.

    Results of epochs get the learning rate as ``learning_rate``.

    Args:
        schedule: function of the epoch, from 0, and the current learning rate, or of the epoch
            alone; returns the learning rate of the epoch.
        verbose: 1 prints the rate.

    Raises:
        CoreError: the schedule is no function; when an epoch begins, its result is no number, is
            not finite or is negative.

    >>> import core
    >>> halving = core.callbacks.LearningRateScheduler(lambda epoch, rate: rate / 2)
    >>> halving.schedule(0, 0.5)
    0.25
    """

    def __init__(
        self,
        schedule: Callable[[int, float], float] | Callable[[int], float],
        verbose: int = 0,
    ):
        if not callable(schedule):
            raise CoreError(f"schedule={schedule!r:.80} must be a function of epoch and rate")
        self.schedule: Callable[..., float] = schedule
        self.verbose = verbose
        self._takes_rate = _takes_two(schedule)

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Set the learning rate."""
        optimizer = self.model.optimizer
        arguments = (epoch, float(optimizer.learning_rate)) if self._takes_rate else (epoch,)
        optimizer.learning_rate = rate = _checked_rate(self.schedule(*arguments), epoch)
        if self.verbose:
            print(f"Epoch {epoch + 1}: LearningRateScheduler setting learning rate to {rate}")

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """Report the learning rate."""
        if logs is not None:
            logs["learning_rate"] = float(self.model.optimizer.learning_rate)


class TerminateOnNaN(Callback):
    """End the training when the loss of a batch is NaN or infinite.

    Args:
        raise_error: raise an error instead, before other callbacks or the epoch end.

    Raises:
        CoreError: with ``raise_error``, when the loss is not finite.

    >>> import core
    >>> core.callbacks.TerminateOnNaN(raise_error=True).on_batch_end(3, {"loss": float("nan")})
    Traceback (most recent call last):
    core.errors.CoreError: the loss of batch 3 is nan: lower the learning rate or check the inputs
    """

    def __init__(self, raise_error: bool = False):
        self.raise_error = raise_error

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """Look at the loss."""
        loss = (logs or {}).get("loss", 0.0)
        if math.isfinite(loss):
            return
        if self.raise_error:
            raise CoreError(
                f"the loss of batch {batch} is {loss}: lower the learning rate or check the inputs"
            )
        print(f"Batch {batch}: Invalid loss, terminating training")
        self.model.stop_training = True


def _takes_two(function: Callable[..., Any]) -> bool:
    try:
        inspect.signature(function).bind(0, 0.0)
    except TypeError:
        return False
    except ValueError:  # a function without a signature
        return True
    return True


def _checked_rate(rate: Any, epoch: int) -> float:
    try:
        value = float(rate)
    except (TypeError, ValueError):
        value = math.nan
    if not 0 <= value < math.inf:
        raise CoreError(
            f"the schedule returned {rate!r:.80} for epoch {epoch}, expected a finite learning "
            f"rate, 0 or more"
        )
    return value
