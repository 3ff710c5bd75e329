"""Augmentations that move pixels: flips, crops, rotations, translations, zooms, erased parts."""

from typing import TYPE_CHECKING, Literal

import numpy as np

from core.data import affine
from core.data.affine import FILL_MODES, INTERPOLATIONS, FillMode, Interpolation
from core.data.random_transform import Factor, RandomTransform, floats, in_dtype, range_of
from core.engine.specs import check_choice, integer

if TYPE_CHECKING:
    from numpy.random import Generator

_FLIPS = {"horizontal": (2,), "vertical": (1,), "horizontal_and_vertical": (2, 1)}


class RandomFlip(RandomTransform):
    """Flips each image with probability 1/2, along each axis of its own.

    Args:
        mode: "horizontal" (left and right), "vertical" or "horizontal_and_vertical".
        seed: see `RandomTransform`.

    >>> flip = RandomFlip("horizontal", seed=2)
    >>> flip(np.arange(12, dtype=np.uint8).reshape(4, 1, 3, 1))[:, 0, :, 0].tolist()
    [[2, 1, 0], [3, 4, 5], [8, 7, 6], [9, 10, 11]]
    """

    def __init__(
        self,
        mode: Literal[
            "horizontal", "vertical", "horizontal_and_vertical"
        ] = "horizontal_and_vertical",
        seed: int | None = None,
    ):
        check_choice(mode, "mode", tuple(_FLIPS))
        self.mode = mode
        super().__init__(seed)

    def transform(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new images for a batch."""
        images = images.copy()
        for axis in _FLIPS[self.mode]:
            chosen = generator.random(len(images)) < 0.5
            images[chosen] = np.flip(images[chosen], axis)
        return images


class RandomCrop(RandomTransform):
    """Cuts a part of each image, at a position of its own.

    Of images that are too small the middle of the aspect ratio of the part is resized, as in Keras.

    Args:
        height: of the part, in pixels.
        width: of the part, in pixels.
        seed: see `RandomTransform`.

    >>> RandomCrop(4, 5, seed=1)(np.zeros((2, 8, 8, 3), np.uint8)).shape
    (2, 4, 5, 3)
    """

    def __init__(self, height: int, width: int, seed: int | None = None):
        self.height, self.width = integer(height, "height", 1), integer(width, "width", 1)
        super().__init__(seed)

    def transform(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new images for a batch."""
        batch, height, width = images.shape[:3]
        if height < self.height or width < self.width:
            return self._resized(images)
        rows = generator.integers(height - self.height + 1, size=batch).tolist()
        columns = generator.integers(width - self.width + 1, size=batch).tolist()
        new = np.empty((batch, self.height, self.width, images.shape[3]), images.dtype)
        for image, row, column, part in zip(images, rows, columns, new, strict=True):
            part[...] = image[row : row + self.height, column : column + self.width]
        return new

    def _resized(self, images: np.ndarray) -> np.ndarray:
        batch, height, width = images.shape[:3]
        part = (
            max(min(height, width * self.height // self.width), 1),
            max(min(width, height * self.width // self.height), 1),
        )
        first = (height - part[0]) // 2, (width - part[1]) // 2
        size = self.height, self.width
        middle = images[:, first[0] : first[0] + part[0], first[1] : first[1] + part[1]]
        matrices = affine.resizing(part, size, (0, 0), batch)
        return in_dtype(
            affine.affine_transform(middle, matrices, "nearest", size=size), images.dtype
        )


class _Affine(RandomTransform):
    """Affine maps with random parameters."""

    def __init__(
        self,
        fill_mode: FillMode,
        interpolation: Interpolation,
        seed: int | None,
        fill_value: float,
    ):
        check_choice(fill_mode, "fill_mode", FILL_MODES)
        check_choice(interpolation, "interpolation", INTERPOLATIONS)
        self.fill_mode, self.interpolation, self.fill_value = fill_mode, interpolation, fill_value
        super().__init__(seed)

    def matrices(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Draw a map for each image, see `core.data.affine`."""
        raise NotImplementedError

    def transform(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new images for a batch."""
        matrices = self.matrices(images, generator)
        options = self.fill_mode, self.interpolation, self.fill_value
        return in_dtype(affine.affine_transform(images, matrices, *options), images.dtype)


class RandomRotation(_Affine):
    """Rotates each image about its middle by an angle of its own.

    Args:
        factor: ends of the range of angles as fractions of a full turn, counterclockwise; a number
            f is for (-f, f).
        fill_mode: what is around an image: "reflect" its mirror images, "wrap" the image again,
            "nearest" its last pixels, "constant" the fill value.
        interpolation: "bilinear" or "nearest".
        seed: see `RandomTransform`.
        fill_value: value for "constant".

    >>> turned = RandomRotation((0.25, 0.25))(np.array([[[1.0], [2.0]], [[3.0], [4.0]]]))
    >>> turned[..., 0].round(3).tolist()
    [[2.0, 4.0], [1.0, 3.0]]
    """

    def __init__(
        self,
        factor: Factor,
        fill_mode: FillMode = "reflect",
        interpolation: Interpolation = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
    ):
        self.factor = factor
        self._range = range_of(factor, "factor", -1, 1, low=-1)
        super().__init__(fill_mode, interpolation, seed, fill_value)

    def matrices(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Draw a map for each image."""
        angles = generator.uniform(*self._range, len(images)) * 2 * np.pi
        return affine.rotations(angles, *images.shape[1:3])


class RandomTranslation(_Affine):
    """Moves each image by distances of its own.

    Args:
        height_factor: ends of the range of distances down, as fractions of the height; negative is
            up; a number f is for (-f, f).
        width_factor: ends of the range of distances to the right, as fractions of the width.
        fill_mode: see `RandomRotation`.
        interpolation: see `RandomRotation`.
        seed: see `RandomTransform`.
        fill_value: value for "constant".
    """

    def __init__(
        self,
        height_factor: Factor,
        width_factor: Factor,
        fill_mode: FillMode = "reflect",
        interpolation: Interpolation = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
    ):
        self.height_factor, self.width_factor = height_factor, width_factor
        self._down = range_of(height_factor, "height_factor", -1, 1, low=-1)
        self._right = range_of(width_factor, "width_factor", -1, 1, low=-1)
        super().__init__(fill_mode, interpolation, seed, fill_value)

    def matrices(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Draw a map for each image."""
        batch, height, width = images.shape[:3]
        down = generator.uniform(*self._down, batch) * height
        return affine.translations(down, generator.uniform(*self._right, batch) * width)


class RandomZoom(_Affine):
    """Shrinks or enlarges each image about its middle by factors of its own.

    Args:
        height_factor: ends of the range of changes of the height: 0.2 shows 20 % more of the image,
            -0.2 shows 20 % less; a number f is for (-f, f).
        width_factor: the same for the width; None for changes like those of the height.
        fill_mode: see `RandomRotation`.
        interpolation: see `RandomRotation`.
        seed: see `RandomTransform`.
        fill_value: value for "constant".
    """

    def __init__(
        self,
        height_factor: Factor,
        width_factor: Factor | None = None,
        fill_mode: FillMode = "reflect",
        interpolation: Interpolation = "bilinear",
        seed: int | None = None,
        fill_value: float = 0.0,
    ):
        self.height_factor, self.width_factor = height_factor, width_factor
        self._down = range_of(height_factor, "height_factor", -1, 1, low=-1)
        self._across = None
        if width_factor is not None:
            self._across = range_of(width_factor, "width_factor", -1, 1, low=-1)
        super().__init__(fill_mode, interpolation, seed, fill_value)

    def matrices(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Draw a map for each image."""
        batch, height, width = images.shape[:3]
        down = across = np.ones(batch) + generator.uniform(*self._down, batch)
        if self._across is not None:
            across = np.ones(batch) + generator.uniform(*self._across, batch)
        return affine.scalings(down, across, height, width)


class RandomErasing(RandomTransform):
    """Fills a rectangle of an image, of a position and a size of its own.

    From "Random Erasing Data Augmentation" (Zhong et al., 2017), with Keras's arguments.

    Args:
        factor: ends of the range from which the probability of a rectangle is drawn; a number f is
            for (0, f).
        scale: ends of the range of shares, whose roots are the shares of height and of width.
        fill_value: a value, three values, or None for normal noise times white.
        value_range: the values of black and white, to which filled values are clipped.
        seed: see `RandomTransform`.
    """

    def __init__(
        self,
        factor: Factor = 1.0,
        scale: Factor = (0.02, 0.33),
        fill_value: float | tuple[float, float, float] | None = None,
        value_range: tuple[float, float] = (0, 255),
        seed: int | None = None,
    ):
        self.factor, self.scale = factor, scale
        self.fill_value, self.value_range = fill_value, value_range
        self._factors = range_of(factor, "factor", 0, 1, low=0)
        self._scales = range_of(scale, "scale", 0, 1, low=0)
        super().__init__(seed)

    def transform(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new images for a batch."""
        batch, height, width = images.shape[:3]
        shares = np.sqrt(generator.uniform(*self._scales, (2, batch)))
        probabilities = generator.uniform(*self._factors, batch)
        chosen = np.less(generator.random(batch), probabilities).reshape(-1, 1, 1)
        inside = rectangles(shares[0], shares[1], height, width, generator) & chosen
        filled = floats(images).copy()
        filled[inside] = self._fill(filled[inside], generator)
        return in_dtype(filled, images.dtype)

    def _fill(self, pixels: np.ndarray, generator: "Generator") -> np.ndarray:
        low, high = self.value_range
        if self.fill_value is None:
            return np.clip(generator.normal(size=pixels.shape) * high, low, high)
        return np.clip(np.broadcast_to(self.fill_value, pixels.shape), low, high)


def rectangles(
    down: np.ndarray, across: np.ndarray, height: int, width: int, generator: "Generator"
) -> np.ndarray:
    """Draw a position for a rectangle in each image.

    Args:
        down: [batch], shares of the height.
        across: [batch], shares of the width.
        height: of the images, in pixels.
        width: of the images, in pixels.
        generator: source of the random numbers.

    Returns:
        Whether a pixel lies in the rectangle, bool [batch, height, width].
    """
    rows = _between(down, height, generator)
    columns = _between(across, width, generator)
    return rows[:, :, None] & columns[:, None, :]


def _between(shares: np.ndarray, length: int, generator: "Generator") -> np.ndarray:
    taken = shares * length
    first = (generator.random(len(shares)) * (length - taken))[:, None]
    at = np.arange(length)
    return (at >= first) & (at < first + taken[:, None])
