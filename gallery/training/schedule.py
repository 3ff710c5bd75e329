"""How long a training takes, at which learning rate, and what is reported on the way.

The numbers are those of the reported runs.
"""

import math
import time
from collections.abc import Callable

import torch
from torch import Tensor

from training.layers import Size
from weights_cache.common.errors import ZooError

# Tensor cores like batches of multiples of eight; batch norm needs two.
BATCH_MULTIPLE, LEAST_BATCH = 8, 2

LAST_RATE = 1e-6
WARM_UP = 0.02

REPORT_SECONDS = 30.0

# Share of the training done, in [0, 1), given the number of steps done.
Progress = Callable[[int], float]
# The total of the losses of a step, and its parts, by name; scalars.
Losses = dict[str, Tensor]


def progress_by_steps(steps: int) -> Progress:
    """Return a schedule of a fixed number of steps."""
    return lambda done: done / steps


def progress_by_clock(seconds: float) -> Progress:
    """Return a schedule that ends this many seconds from now."""
    begin = time.monotonic()
    return lambda done: (time.monotonic() - begin) / seconds


def learning_rate(progress: float, peak: float) -> float:
    """Return the rate at a share of the training: linear warm-up, then half a cosine to zero."""
    if progress < WARM_UP:
        return peak * progress / WARM_UP + LAST_RATE
    after_warm_up = (progress - WARM_UP) / (1 - WARM_UP)
    return peak * 0.5 * (1 + math.cos(math.pi * after_warm_up)) + LAST_RATE


def scenes_per_step(batch: int, size: Size, usual: Size) -> int:
    """Return how many scenes of one size cost as much as ``batch`` scenes of the usual size."""
    share = math.prod(usual) / math.prod(size)
    return max(LEAST_BATCH, round(batch * share / BATCH_MULTIPLE) * BATCH_MULTIPLE)


class Report:
    """Mean losses since the last line, and the line."""

    def __init__(self):
        self._begin = time.monotonic()
        self._scenes = 0
        self._last = -math.inf
        self._pending: list[Losses] = []

    def add(self, losses: Losses, scenes: int) -> None:
        """Take note of a step."""
        self._pending.append(losses)
        self._scenes += scenes

    def is_due(self) -> bool:
        """Tell whether it is time for a line: after the first step and every half minute."""
        return time.monotonic() - self._last > REPORT_SECONDS

    def print(self, steps: int, rate: float) -> None:
        """Print a line.

        Raises:
            ZooError: The loss is no longer a finite number.
        """
        means = {
            name: float(torch.stack([losses[name] for losses in self._pending]).mean())
            for name in self._pending[0]
        }
        if not all(map(math.isfinite, means.values())):
            raise ZooError(f"the loss is {means['total']} at step {steps}; lower --learning-rate")
        self._last, self._pending = time.monotonic(), []
        parts = " ".join(f"{name} {mean:.4f}" for name, mean in means.items())
        speed = self._scenes / (self._last - self._begin)
        print(f"step {steps} rate {rate:.2e} loss {parts} scenes/s {speed:.1f}", flush=True)


def train(
    step: Callable[[float, float], tuple[Losses, int]],
    progress: Progress,
    peak_rate: float,
    save: Callable[[], None],
) -> None:
    """Train until the schedule ends, reporting and saving now and then.

    Args:
        step: Makes one step, given the share of the training that is done and the learning rate;
            returns its losses and the number of scenes.
        progress: The schedule.
        peak_rate: The highest learning rate.
        save: Stores what is learnt.

    Raises:
        ZooError: The loss is no longer a finite number.
    """
    report = Report()
    steps, done = 0, progress(0)
    while done < 1:
        rate = learning_rate(done, peak_rate)
        report.add(*step(done, rate))
        steps += 1
        done = progress(steps)
        if report.is_due() or done >= 1:
            report.print(steps, rate)
            save()
