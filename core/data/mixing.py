"""Augmentations that mix the images of a batch with each other, and their labels likewise."""

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np

from core.data.geometric import rectangles
from core.data.random_transform import Factor, RandomTransform, floats, in_dtype, range_of
from core.errors import CoreError

if TYPE_CHECKING:
    from numpy.random import Generator


class _Mixing(RandomTransform):
    """Mixes each image of a batch with another one."""

    @abstractmethod
    def mixed(
        self, images: np.ndarray, others: np.ndarray, generator: "Generator"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return mixtures, and the share of the first images in them, [batch]."""

    def draw_batch(
        self, generator: "Generator", images: np.ndarray, others: list[np.ndarray], is_batch: bool
    ) -> list[np.ndarray]:
        """Return mixtures, and labels and weights mixed in the same shares."""
        name = type(self).__name__
        if not is_batch:
            raise CoreError(f"{name} mixes the images of a batch: place it after batch(n)")
        if not others:
            raise CoreError(f"{name} mixes labels, too: call it with images and labels")
        order = generator.permutation(len(images))
        values = floats(images)
        new, shares = self.mixed(values, values[order], generator)
        mixed = [_mixed_labels(np.asarray(o), order, shares, name) for o in others]
        return [in_dtype(new, images.dtype), *mixed]


class MixUp(_Mixing):
    """Fades each image of a batch into another one: share * a + (1 - share) * b.

    From "mixup: Beyond Empirical Risk Minimization" (Zhang et al., 2017). Labels are one-hot
    vectors or other numbers that can be mixed.

    Args:
        alpha: both parameters of the beta distribution of the shares, above 0; 1 draws all shares
            alike, smaller values draw shares near 0 and 1.
        seed: see `RandomTransform`.
    """

    def __init__(self, alpha: float = 0.2, seed: int | None = None):
        if not alpha > 0:
            raise CoreError(f"alpha={alpha!r} must be above 0")
        self.alpha = alpha
        super().__init__(seed)

    def mixed(
        self, images: np.ndarray, others: np.ndarray, generator: "Generator"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return mixtures, and the share of the first images in them."""
        shares = generator.beta(self.alpha, self.alpha, len(images))
        each = shares.astype(images.dtype).reshape(-1, 1, 1, 1)
        return each * images + (1 - each) * others, shares


class CutMix(_Mixing):
    """Replaces a rectangle of each image of a batch by that of another one.

    From "CutMix" (Yun et al., 2019). Shares of labels are those of pixels.

    Args:
        factor: ends of the range from which both parameters of the beta distribution of shares are
            drawn, from 0 to 1; a number f is for (0, f).
        seed: see `RandomTransform`.
    """

    def __init__(self, factor: Factor = 1.0, seed: int | None = None):
        self.factor = factor
        self._alphas = range_of(factor, "factor", 0, 1, low=0)
        super().__init__(seed)

    def mixed(
        self, images: np.ndarray, others: np.ndarray, generator: "Generator"
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return mixtures, and the share of the first images in them."""
        batch, height, width = images.shape[:3]
        alpha = generator.uniform(*self._alphas) + 1e-6
        sides = np.sqrt(1 - generator.beta(alpha, alpha, batch))
        inside = rectangles(sides, sides, height, width, generator)
        return np.where(inside[..., None], others, images), 1 - inside.mean(axis=(1, 2))


def _mixed_labels(
    labels: np.ndarray, order: np.ndarray, shares: np.ndarray, name: str
) -> np.ndarray:
    if labels.ndim == 1 and labels.dtype.kind in "iu":
        raise CoreError(
            f"{name} cannot mix indices of classes: make one-hot vectors of the labels, such as "
            f"np.eye(classes)[y]"
        )
    each = shares.reshape(-1, *(1,) * (labels.ndim - 1))
    mixed = each * labels + (1 - each) * labels[order]
    return mixed.astype(labels.dtype if labels.dtype.kind == "f" else np.float32)
