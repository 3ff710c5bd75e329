"""Loops over batches, and running means of losses."""

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite

from core.data.batches import Batch
from core.engine.tensors import Tensor
from core.errors import CoreError

#: Losses that wait to be read on backends that compute while the program goes on.
_MOST_WAITING = 16


class Loop:
    """The batches of an epoch, which goes on where the last one ended if its length is given.

    Args:
        batches: batches, anew for each iteration.
        steps: batches of an epoch, by default all.
    """

    def __init__(self, batches: Iterable[Batch], steps: int | None):
        if steps is not None and steps < 1:
            raise CoreError(f"the number of steps must be 1 or more, got {steps}")
        self._batches, self._given = batches, steps
        self._rest: Iterator[Batch] | None = None

    @property
    def steps(self) -> int | None:
        """The number of batches of an epoch, None if unknown."""
        return self._given or getattr(self._batches, "length", None)

    def __iter__(self) -> Iterator[Batch]:
        if self._given is None:
            yield from self._batches
            return
        for _ in range(self._given):
            yield self._next()

    def _next(self) -> Batch:
        for _ in range(2):
            if self._rest is None:
                self._rest = iter(self._batches)
            found = next(self._rest, None)
            if found is not None:
                return found
            self._rest = None
        raise CoreError(f"the data have no batch, {self._given} steps need some")


class Means:
    """Running means of losses, weighted by the numbers of samples."""

    def __init__(self) -> None:
        self.count = 0
        self._sums: list[float] = []
        self._waiting: list[tuple[list[Tensor], int, str | None]] = []

    def add(
        self, total: Tensor, values: Sequence[Tensor], samples: int, *, where: str | None
    ) -> None:
        """Add the losses of a batch.

        Args:
            total: the loss.
            values: the losses of several outputs.
            samples: the number of samples.
            where: the batch, for errors; None accepts losses that are not finite.

        Raises:
            CoreError: the loss, or one before it, is not finite.
        """
        self._waiting.append(([total, *values], samples, where))
        if total.backend == "cpu" or len(self._waiting) >= _MOST_WAITING:
            self.check()

    def check(self) -> None:
        """Read the losses that wait; raise CoreError if one is not finite."""
        waiting, self._waiting = self._waiting, []
        for tensors, samples, where in waiting:
            values = [float(each.item()) for each in tensors]
            if where is not None and not isfinite(values[0]):
                raise not_finite(f"the loss is {values[0]}", where)
            self.count += samples
            sums = self._sums or [0.0] * len(values)
            self._sums = [a + b * samples for a, b in zip(sums, values, strict=True)]

    def results(self, names: Sequence[str]) -> dict[str, float]:
        """Return the mean loss, and those of several outputs by their names."""
        self.check()
        means = [each / max(1, self.count) for each in self._sums]
        return dict(zip(("loss", *names), means, strict=False))


def not_finite(what: str, where: str) -> CoreError:
    """Return the error for a step whose loss is not finite."""
    return CoreError(
        f"{what} in {where}, which has changed no weight: lower the learning rate, or look for NaN "
        f"in the data"
    )
