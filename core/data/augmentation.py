"""Random changes of images for training, with the names and arguments of Keras's layers.

Classes are for `Dataset.map`, before or after ``batch``; functions such as `random_flip` take
images and the arguments of a class.

>>> import core, numpy as np
>>> from core.data.augmentation import Augmentation, RandomFlip, RandomRotation
>>> images, labels = np.zeros((8, 32, 32, 3), np.uint8), np.arange(8)
>>> augmentation = Augmentation([RandomFlip("horizontal", seed=1), RandomRotation(0.1, seed=2)])
>>> dataset = core.data.from_arrays(images, labels).batch(4).map(augmentation)
>>> [(x.shape, y.tolist()) for x, y in dataset]
[((4, 32, 32, 3), [0, 1, 2, 3]), ((4, 32, 32, 3), [4, 5, 6, 7])]
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from core.data.geometric import (
    RandomCrop,
    RandomErasing,
    RandomFlip,
    RandomRotation,
    RandomTranslation,
    RandomZoom,
)
from core.data.mixing import CutMix, MixUp
from core.data.random_transform import RandomTransform, as_function
from core.data.recoloring import (
    RandomBrightness,
    RandomColorJitter,
    RandomContrast,
    RandomHue,
    RandomSaturation,
)
from core.data.seeds import generator_of
from core.errors import CoreError
from core.keras.configured import NamedClasses

if TYPE_CHECKING:
    from numpy.random import Generator


class Augmentation(RandomTransform):
    """Several augmentations, one after the other.

    Args:
        augmentations: they draw from one generator, seeded by the seeds of all.
    """

    def __init__(self, augmentations: Sequence[RandomTransform]):
        for one in augmentations:
            if not isinstance(one, RandomTransform):
                raise CoreError(f"{one!r:.80} is not an augmentation, such as RandomFlip()")
        self.augmentations = list(augmentations)
        self.entropy = [number for one in augmentations for number in one.entropy] or [0]
        self._generator = generator_of(*self.entropy)

    def draw_batch(
        self, generator: "Generator", images: np.ndarray, others: list[np.ndarray], is_batch: bool
    ) -> list[np.ndarray]:
        """Return new images, and what belongs to them."""
        for one in self.augmentations:
            images, *others = one.draw_batch(generator, images, others, is_batch)
        return [images, *others]


_KINDS = NamedClasses(
    "augmentation",
    RandomTransform,
    {
        kind.__name__: kind
        for kind in (
            CutMix,
            MixUp,
            RandomBrightness,
            RandomColorJitter,
            RandomContrast,
            RandomCrop,
            RandomErasing,
            RandomFlip,
            RandomHue,
            RandomRotation,
            RandomSaturation,
            RandomTranslation,
            RandomZoom,
        )
    },
)

get = _KINDS.get

random_brightness = as_function(RandomBrightness, "random_brightness")
color_jitter = as_function(RandomColorJitter, "color_jitter")
random_contrast = as_function(RandomContrast, "random_contrast")
random_crop = as_function(RandomCrop, "random_crop")
random_erasing = as_function(RandomErasing, "random_erasing")
random_flip = as_function(RandomFlip, "random_flip")
random_hue = as_function(RandomHue, "random_hue")
random_rotation = as_function(RandomRotation, "random_rotation")
random_saturation = as_function(RandomSaturation, "random_saturation")
random_translation = as_function(RandomTranslation, "random_translation")
random_zoom = as_function(RandomZoom, "random_zoom")


def mixup(
    images: np.ndarray, labels: np.ndarray, alpha: float = 0.2, seed: int | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Return images that are faded into each other, and their labels; see `MixUp`."""
    return _pair(MixUp(alpha, seed), images, labels)


def cutmix(
    images: np.ndarray,
    labels: np.ndarray,
    factor: float | tuple[float, float] = 1.0,
    seed: int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return images with rectangles of each other, and their labels; see `CutMix`."""
    return _pair(CutMix(factor, seed), images, labels)


def _pair(
    mixing: RandomTransform, images: np.ndarray, labels: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    new = mixing(images, labels)
    return new[0], new[1]
