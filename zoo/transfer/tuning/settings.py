"""Settings of fine-tuning, and the images that are held out meanwhile."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.transfer.folds import stratified_folds
from zoo.transfer.learning import stratified_by
from zoo.transfer.targets import Kind, Target


class TuningSettings(NamedTuple):
    """Settings of fine-tuning; the defaults suit folds of the training images of ants and bees.

    Attributes:
        epochs: how often each image is seen, in one of its views; 1 or more.
        learning_rate: above 0; it is reached after a tenth of the steps, and falls to 0 along half
            a cosine.
        layers: how many of the last convolutions train at least; 1 or more.
        views: how many views of each image there are besides itself, 0 or more; 0 trains on the
            images as they are. See `zoo.transfer.tuning.training_views`.
        mirror: whether half of the views are flipped, which is wrong where left and right are
            classes.
        patience: after how many epochs without a smaller loss on the images for validation
            training ends; 1 or more.
        penalty: of the head that training starts from, see `zoo.transfer.heads.Head`; each view of
            an image has its share of it.
        seed: integer, 0 or more; decides views, batches, and the images for validation.
    """

    epochs: int = 10
    learning_rate: float = 1e-3
    layers: int = 4
    views: int = 8
    mirror: bool = True
    patience: int = 3
    penalty: float = 0.03
    seed: int = 0


def held_out_images(
    validation: float | Sequence[int] | np.ndarray | None,
    kind: Kind,
    targets: Sequence[Target],
    seed: int,
    groups: np.ndarray | None = None,
) -> np.ndarray:
    """Return the indices of the images for validation.

    Args:
        validation: share of the images, or their indices; None for none.
        kind: of the targets.
        targets: of all images.
        seed: draws a share.
        groups: integers, equal for images of which a share has all or none, as near-duplicates.

    Raises:
        ZooError: a share or an index is out of range.
    """
    if validation is None:
        return np.empty(0, np.intp)
    count = len(targets)
    if isinstance(validation, (int, float)):
        if isinstance(validation, bool) or not 0 < validation <= 0.5:
            raise ZooError(f"validation={validation!r} must be above 0 and at most 0.5, or indices")
        by = stratified_by(kind, targets)
        return np.flatnonzero(stratified_folds(by, round(1 / validation), seed, groups) == 0)
    found = np.asarray(validation)
    if found.dtype.kind not in "iu" or found.ndim != 1 or not len(found):
        raise ZooError(f"validation={validation!r:.80} must be a share of the images, or indices")
    if found.min() < 0 or found.max() >= count or len(np.unique(found)) == count:
        raise ZooError(
            f"the indices for validation, {found.min()} to {found.max()}, must be some of 0 to "
            f"{count - 1}, and leave images to train on"
        )
    return np.unique(found)


def checked_settings(settings: TuningSettings) -> TuningSettings:
    """Return settings.

    Raises:
        ZooError: one is out of range.
    """
    for name in ("epochs", "layers", "views", "patience", "seed"):
        value, least = getattr(settings, name), 0 if name in ("views", "seed") else 1
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ZooError(f"{name}={value!r:.80} must be an integer of at least {least}")
    rate = settings.learning_rate
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 < rate < math.inf:
        raise ZooError(f"learning_rate={rate!r:.80} must be a number above 0")
    return settings
