"""The base of callbacks, and the parts of a model that they see."""

import os
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

#: Results by name, such as ``{"loss": 0.5, "val_loss": 0.6}``.
Logs = dict[str, float]

#: Facts on a run: "verbose", "epochs" and "steps", which is None where their number is unknown.
Params = Mapping[str, int | str | None]


class RatedOptimizer(Protocol):
    """The part of an optimizer that callbacks see."""

    learning_rate: float


class TrainingModel(Protocol):
    """The part of a model that callbacks see."""

    stop_training: bool

    @property
    def optimizer(self) -> RatedOptimizer:
        """Return the optimizer."""

    @property
    def metrics_names(self) -> Sequence[str]:
        """Return the names of what training reports."""

    def get_weights(self) -> list[np.ndarray]:
        """Return copies of all weights."""

    def set_weights(self, weights: list[np.ndarray]) -> None:
        """Give all weights new values."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file."""

    def save_weights(self, path: str | os.PathLike[str]) -> None:
        """Write the weights to a file."""


class Callback:
    """Base of callbacks: `fit`, `evaluate` and `predict` call its methods while they run.

    A class of yours defines those that it needs. Epochs and batches are counted from 0; results
    are floats by name. ``self.model`` is the model: ``self.model.stop_training = True`` ends the
    training after this batch. ``self.params`` has ``"verbose"``, ``"epochs"`` and ``"steps"``.

    >>> import core
    >>> class Shout(core.callbacks.Callback):
    ...     def on_epoch_end(self, epoch, logs=None):
    ...         print(f"EPOCH {epoch}: {logs['loss']}")
    >>> core.callbacks.CallbackList([Shout()]).on_epoch_end(0, {"loss": 0.5})
    EPOCH 0: 0.5
    """

    # Of the class, so that a subclass need not call __init__.
    model: TrainingModel
    params: Params = {}

    def set_model(self, model: TrainingModel) -> None:
        """Take the model, before anything begins."""
        self.model = model

    def set_params(self, params: Params) -> None:
        """Take the facts on the run, before anything begins."""
        self.params = params

    def on_train_begin(self, logs: Logs | None = None) -> None:
        """Begin `fit`."""

    def on_train_end(self, logs: Logs | None = None) -> None:
        """End `fit`; logs are those of the last epoch."""

    def on_epoch_begin(self, epoch: int, logs: Logs | None = None) -> None:
        """Begin an epoch."""

    def on_epoch_end(self, epoch: int, logs: Logs | None = None) -> None:
        """End an epoch; results of the validation have the prefix ``val_``."""

    def on_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Begin a batch of training, under its older name."""

    def on_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """End a batch of training, under its older name."""

    def on_train_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Begin a batch of training."""
        self.on_batch_begin(batch, logs)

    def on_train_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """End a batch of training; logs are means since the epoch began."""
        self.on_batch_end(batch, logs)

    def on_test_begin(self, logs: Logs | None = None) -> None:
        """Begin `evaluate`, or the validation of an epoch."""

    def on_test_end(self, logs: Logs | None = None) -> None:
        """End `evaluate`, or the validation of an epoch."""

    def on_test_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Begin a batch of `evaluate` or validation."""

    def on_test_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """End a batch of `evaluate` or validation."""

    def on_predict_begin(self, logs: Logs | None = None) -> None:
        """Begin `predict`."""

    def on_predict_end(self, logs: Logs | None = None) -> None:
        """End `predict`."""

    def on_predict_batch_begin(self, batch: int, logs: Logs | None = None) -> None:
        """Begin a batch of `predict`."""

    def on_predict_batch_end(self, batch: int, logs: Logs | None = None) -> None:
        """End a batch of `predict`."""


#: Names of the methods that are called while a model runs.
HOOKS = tuple(name for name in vars(Callback) if name.startswith("on_"))
