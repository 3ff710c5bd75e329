"""Runs of fine-tuning: epochs, losses of images for validation, and when to stop."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.progress_bars import with_bar
from zoo.transfer.heads import activated
from zoo.transfer.targets import Kind, Target, encoded
from zoo.transfer.tuning.settings import TuningSettings
from zoo.transfer.tuning.tail_training import TailTraining, batches

#: Multiple of the loss of constant answers above which training has diverged.
_WORST = 5.0

#: Share of the steps in which the learning rate warms up.
_WARMUP = 0.1

#: Losses and metrics after an epoch, by name.
Record = Mapping[str, float]


class Data(NamedTuple):
    """Maps at the cut [images, views, ...], and targets as numbers [images, outputs]."""

    maps: np.ndarray
    targets: np.ndarray


class TuningRun:
    """The epochs of a training; afterwards the weights are those of the best one.

    Attributes:
        history: losses and metrics of each epoch, by name.
        before: those of the images for validation before training; empty without such.
    """

    def __init__(
        self, training: TailTraining, some: Data, others: Data | None, settings: TuningSettings
    ):
        self._training, self._some, self._others = training, some, others
        self._settings = settings
        self._constant_loss = _loss_of_constants(training.head().kind, some.targets)
        self.history: dict[str, list[float]] = {}
        self.before: Record = {}
        self.epoch = self.best = 0
        self.stopped = "all epochs ran"

    def epochs(self) -> Iterator[Record]:
        """Train, and yield what is known after each epoch."""
        epochs, patience = self._settings.epochs, self._settings.patience
        rng = np.random.default_rng(self._settings.seed)
        self.before = self._validated()
        least = self.before.get("val_loss", math.inf)
        state = self._training.state() if self._others else None
        for self.epoch in with_bar(range(1, epochs + 1), "epoch", label="fine-tuning"):
            record = {"loss": self._trained(rng), **self._validated()}
            for name, value in record.items():
                self.history.setdefault(name, []).append(value)
            if self._others is None:
                self.best = self.epoch
            elif record["val_loss"] < least:
                self.best, state, least = self.epoch, self._training.state(), record["val_loss"]
            yield record
            if self.epoch - self.best >= patience and self.epoch < epochs:
                self.stopped = f"no smaller loss for {patience} epochs"
                break
        if state is not None:
            self._training.restore(state)
        else:  # the last step came after the last loss
            self._check(self._scores(self._some)["loss"])

    def _trained(self, rng: np.random.Generator) -> float:
        """Train for an epoch; return the mean loss of its steps."""
        maps, targets = self._some
        batch = self._training.batch
        indices = [*batches(len(maps), batch, rng)]
        done, steps = (self.epoch - 1) * len(indices), self._settings.epochs * len(indices)
        losses = []
        for number, chosen in enumerate(indices, done + 1):
            rate = self._settings.learning_rate * _share((number - 0.5) / steps)
            views = rng.integers(maps.shape[1], size=batch)
            loss = self._training.step(maps[chosen, views], targets[chosen], rate)
            losses.append(loss)
            if not math.isfinite(loss):
                break
        mean = float(np.mean(losses))
        self._check(mean)
        return mean

    def _check(self, loss: float) -> None:
        """Raise an error if training has failed."""
        if not loss <= _WORST * self._constant_loss:
            rate = self._settings.learning_rate
            raise ZooError(
                f"the loss is {loss:.3g} in epoch {self.epoch} of fine-tuning, so nothing was "
                f"changed: use a learning rate below {rate:g}, such as {rate / 10:g}"
            )

    def _validated(self) -> Record:
        """Return losses and metrics of the images for validation."""
        found = {} if self._others is None else self._scores(self._others)
        return {f"val_{name}": value for name, value in found.items()}

    def _scores(self, data: Data) -> dict[str, float]:
        """Return loss and accuracy of images as they are."""
        head = self._training.head()
        features = self._training.features(data.maps[:, 0])
        if not np.isfinite(features).all():
            return {"loss": math.nan, "accuracy": 0.0}
        return _scored(head.kind, head.scores(features).astype(np.float64), data.targets)


def _scored(kind: Kind, logits: np.ndarray, targets: np.ndarray) -> dict[str, float]:
    """Return loss and accuracy of logits, [n, outputs]."""
    if kind == "regression":
        return {"loss": float(np.square(logits - targets).mean())}
    likely = np.clip(activated(kind, logits), 1e-12, 1 - 1e-12)
    if kind == "classification":
        loss = -(targets * np.log(likely)).sum(axis=1).mean()
        right = likely.argmax(axis=1) == targets.argmax(axis=1)
    else:
        loss = -(targets * np.log(likely) + (1 - targets) * np.log(1 - likely)).mean()
        right = (likely >= 0.5) == (targets >= 0.5)
    return {"loss": float(loss), "accuracy": float(right.mean())}


def _loss_of_constants(kind: Kind, targets: np.ndarray) -> float:
    """Return the loss of equal scores for all images; of values that of their mean."""
    if kind == "regression":
        return float(targets.var(axis=0).mean()) or math.inf
    return math.log(targets.shape[1]) if kind == "classification" else math.log(2)


def _share(done: float) -> float:
    """Return the share of the learning rate for a step, by the share of the steps up to it.

    >>> [round(_share(done), 2) for done in (0.05, 0.1, 0.5, 1.0)]
    [0.5, 0.98, 0.5, 0.0]
    """
    return min(1.0, done / _WARMUP) * (0.5 + 0.5 * math.cos(math.pi * done))


def as_floats(kind: Kind, targets: Sequence[Target], labels: Sequence[str]) -> np.ndarray:
    """Return targets as float32 [n, outputs]."""
    found = encoded(kind, targets, labels)
    if kind == "classification":
        return np.eye(len(labels), dtype=np.float32)[found]
    return found.astype(np.float32)
