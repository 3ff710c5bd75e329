"""The training loop: schedule, one step, the running average and the reports.

The numbers are those of the reported run (see the README).
"""

import copy
import math
import time
from collections.abc import Callable

import numpy as np
import torch
from losses import Losses, distillation_losses
from network import FoldedPoseNet, Student
from scenes import SceneRenderer
from targets import DenseAnswer, dense_targets, without_people
from torch import Tensor

from weights_cache.common.errors import ZooError

# Side of the student's picture and how often it is drawn; a batch has its size at 257 pixels.
SIDES = {257: 0.56, 193: 0.08, 225: 0.08, 321: 0.16, 385: 0.12}
BATCH_SIDE = 257
# Tensor cores like batches of multiples of eight; batch norm needs two.
BATCH_MULTIPLE, LEAST_BATCH = 8, 2

PEAK_RATE, LAST_RATE = 2.5e-3, 1e-6
WARM_UP = 0.02
# From this share of the training on the teacher sees mirror images as well: better targets, at
# nearly twice the teacher's time.
MIRROR_FROM = 0.3
BETAS = (0.9, 0.99)
WEIGHT_DECAY = 0.02
GRADIENT_LIMIT = 5.0
# The running average forgets slowly; in the first steps it follows the student more closely.
AVERAGE_DECAY = 0.9995
AVERAGE_WARM_UP = 20

REPORT_SECONDS = 30.0

# Share of the training done, in [0, 1), given the number of steps done.
Progress = Callable[[int], float]


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


def scenes_per_step(batch: int, side: int) -> int:
    """Return how many scenes of this side cost as much as ``batch`` scenes of 257 pixels."""
    multiples = round(batch * (BATCH_SIDE / side) ** 2 / BATCH_MULTIPLE)
    return max(LEAST_BATCH, multiples * BATCH_MULTIPLE)


class Trainer:
    """A student on its way, with its optimiser and running average.

    Args:
        student: The network to train, on the training device.
        teacher: The frozen teacher.
        renderer: Where scenes come from.
    """

    def __init__(self, student: Student, teacher: FoldedPoseNet, renderer: SceneRenderer):
        self.student = student.to(memory_format=torch.channels_last).train()
        self.average = copy.deepcopy(self.student).requires_grad_(False)
        self.teacher = teacher
        self.renderer = renderer
        self.device = renderer.device
        self.steps = 0
        on_gpu = self.device.type == "cuda"
        self.optimiser = torch.optim.AdamW(_parameter_groups(student), betas=BETAS, fused=on_gpu)

    def step(self, count: int, side: int, rate: float, *, with_mirror_image: bool) -> Losses:
        """Train on ``count`` new scenes of ``side`` pixels; return the losses before the step."""
        views = self.renderer.render_views(count, side)
        target = dense_targets(
            self.teacher, views.large, views.small, with_mirror_image=with_mirror_image
        )
        losses = self._losses(views.degraded, without_people(target, views.person_free))
        self._descend(losses.total, rate)
        self._update_average()
        self.steps += 1
        return Losses(*(part.detach() for part in losses))

    def _losses(self, pictures: Tensor, target: DenseAnswer) -> Losses:
        pictures = pictures.contiguous(memory_format=torch.channels_last)
        with torch.autocast(self.device.type, torch.bfloat16):
            outputs = self.student(pictures)
        return distillation_losses(outputs, target)

    def _descend(self, loss: Tensor, rate: float) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.student.parameters(), GRADIENT_LIMIT)
        self.optimiser.step()

    @torch.no_grad()
    def _update_average(self) -> None:
        decay = min(AVERAGE_DECAY, (1 + self.steps) / (AVERAGE_WARM_UP + self.steps))
        pairs = zip(self.average.parameters(), self.student.parameters(), strict=True)
        for mean, value in pairs:
            mean.lerp_(value, 1 - decay)
        for kept, current in zip(self.average.buffers(), self.student.buffers(), strict=True):
            kept.copy_(current)


def _parameter_groups(student: Student) -> list[dict]:
    """Let the weight decay pull on kernels only, not on biases and batch norm."""
    kernels = [p for p in student.parameters() if p.ndim == 4]
    others = [p for p in student.parameters() if p.ndim != 4]
    return [
        {"params": kernels, "weight_decay": WEIGHT_DECAY},
        {"params": others, "weight_decay": 0.0},
    ]


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
        means = [float(torch.stack(part).mean()) for part in zip(*self._pending, strict=True)]
        if not all(map(math.isfinite, means)):
            raise ZooError(f"the loss is {means[0]} at step {steps}; lower --learning-rate")
        self._last, self._pending = time.monotonic(), []
        parts = " ".join(
            f"{name} {mean:.4f}" for name, mean in zip(Losses._fields, means, strict=True)
        )
        speed = self._scenes / (self._last - self._begin)
        print(f"step {steps} rate {rate:.2e} loss {parts} scenes/s {speed:.1f}", flush=True)


def train(
    trainer: Trainer,
    progress: Progress,
    batch: int,
    peak_rate: float,
    rng: np.random.Generator,
    save: Callable[[Student], None],
) -> None:
    """Train until the schedule ends, reporting and saving the running average now and then.

    Args:
        trainer: What is trained.
        progress: The schedule.
        batch: Scenes per step at 257 pixels.
        peak_rate: The highest learning rate.
        rng: Chooses the size of each batch.
        save: Stores the averaged student.

    Raises:
        ZooError: The loss is no longer a finite number.
    """
    report = Report()
    done = progress(0)
    while done < 1:
        rate = learning_rate(done, peak_rate)
        side = int(rng.choice(list(SIDES), p=list(SIDES.values())))
        count = scenes_per_step(batch, side)
        losses = trainer.step(count, side, rate, with_mirror_image=done >= MIRROR_FROM)
        report.add(losses, count)
        done = progress(trainer.steps)
        if report.is_due() or done >= 1:
            report.print(trainer.steps, rate)
            save(trainer.average)
