"""One step of the training, and the sizes of its pictures.

The numbers are those of the reported run (see the README).
"""

from collections.abc import Callable

import numpy as np
from losses import Losses, distillation_losses
from network import FoldedPoseNet, Student
from scenes import SceneRenderer
from targets import dense_targets, without_people
from training import schedule
from training.learner import Learner
from training.schedule import Progress, scenes_per_step

# Side of the student's picture and how often it is drawn; a batch has its size at 257 pixels.
SIDES = {257: 0.56, 193: 0.08, 225: 0.08, 321: 0.16, 385: 0.12}
BATCH_SIDE = 257

PEAK_RATE = 2.5e-3
# From this share of the training on the teacher sees mirror images as well: better targets, at
# nearly twice the teacher's time.
MIRROR_FROM = 0.3


class Trainer:
    """A student on its way, taught by its teacher.

    Args:
        student: The network to train, on the training device.
        teacher: The frozen teacher.
        renderer: Where scenes come from.
    """

    def __init__(self, student: Student, teacher: FoldedPoseNet, renderer: SceneRenderer):
        self.learner = Learner(student)
        self.teacher = teacher
        self.renderer = renderer

    @property
    def average(self) -> Student:
        """The running average of the student."""
        return self.learner.average

    def step(self, count: int, side: int, rate: float, *, with_mirror_image: bool) -> Losses:
        """Train on ``count`` new scenes of ``side`` pixels; return the losses before the step."""
        views = self.renderer.render_views(count, side)
        target = dense_targets(
            self.teacher, views.large, views.small, with_mirror_image=with_mirror_image
        )
        outputs = self.learner.look(views.degraded)
        losses = distillation_losses(outputs, without_people(target, views.person_free))
        self.learner.descend(losses.total, rate)
        return Losses(*(part.detach() for part in losses))


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

    def step(done: float, rate: float) -> tuple[schedule.Losses, int]:
        side = int(rng.choice(list(SIDES), p=list(SIDES.values())))
        count = scenes_per_step(batch, (side, side), (BATCH_SIDE, BATCH_SIDE))
        losses = trainer.step(count, side, rate, with_mirror_image=done >= MIRROR_FROM)
        return losses._asdict(), count

    schedule.train(step, progress, peak_rate, lambda: save(trainer.average))
