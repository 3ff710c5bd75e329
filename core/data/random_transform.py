"""`RandomTransform`: the base of augmentations, and ranges of their random parameters."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec
from zlib import crc32

import numpy as np

from core.data.affine import computed_dtype
from core.data.seeds import Key, Seeded, checked_seed, generator_of
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.keras.configured import Configured

if TYPE_CHECKING:
    from numpy.random import Generator

Parameters = ParamSpec("Parameters")

#: Images, alone or with labels and weights of samples.
Augmented = np.ndarray | tuple[np.ndarray, ...]

#: A number, or the lower and upper end of a range.
Factor = float | tuple[float, float]


class RandomTransform(Configured, Seeded[Augmented]):
    """A function of images that draws parameters for each image.

    Images are arrays [batch, height, width, channels] or [height, width, channels] of any real
    dtype, which the result has, too; integers are rounded. ``transform(x, y)`` returns ``y``, and
    a third argument, beside the new images.

    In `Dataset.map` the results depend on the seed, the number of the pass and that of the element
    alone: they are the same in each run, and differ between epochs. Calls draw on and on.

    Args:
        seed: integer, 0 or more; None for a random one.
    """

    seed: int | None = None

    def __init__(self, seed: int | None = None):
        self.seed = seed
        # Classes differ, so that those with equal seeds do not draw the same.
        self.entropy = [checked_seed(seed), crc32(type(self).__name__.encode())]
        self._generator = generator_of(*self.entropy)

    def __call__(self, *element: np.ndarray) -> Augmented:
        """Return new images, beside other arguments if there are some."""
        return self.draw(self._generator, *element)

    def call_at(self, key: Key, index: int, *element: np.ndarray) -> Augmented:
        """Call for the element of an index in a pass of a dataset."""
        return self.draw(generator_of(*self.entropy, *key, index), *element)

    def draw(self, generator: "Generator", *element: np.ndarray) -> Augmented:
        """Call with random numbers of a generator."""
        if not element:
            raise CoreError(f"{type(self).__name__} needs images")
        images, *others = element
        array = images.numpy() if isinstance(images, Tensor) else np.asarray(images)
        if array.ndim not in (3, 4) or array.dtype.kind not in "fiu":
            raise CoreError(
                f"{type(self).__name__} needs images of numbers [batch, height, width, channels], "
                f"got {array.dtype} {array.shape}"
            )
        batch = array if array.ndim == 4 else array[None]
        batch, *others = self.draw_batch(generator, batch, others, array.ndim == 4)
        found = batch if array.ndim == 4 else batch[0]
        return (found, *others) if others else found

    def draw_batch(
        self, generator: "Generator", images: np.ndarray, others: list[np.ndarray], is_batch: bool
    ) -> list[np.ndarray]:
        """Return new images, and what belongs to them.

        Args:
            generator: source of the random numbers.
            images: [batch, height, width, channels].
            others: labels, weights of samples.
            is_batch: false for a single image.
        """
        return [self.transform(images, generator), *others]

    def transform(self, images: np.ndarray, generator: "Generator") -> np.ndarray:
        """Return new images for a batch, with random numbers of a generator."""
        raise CoreError(f"{type(self).__name__} must define transform(self, images, generator)")


def as_function(
    kind: Callable[Parameters, RandomTransform], name: str
) -> Callable[Concatenate[np.ndarray, Parameters], np.ndarray]:
    """Return a function of images and of the arguments of a class."""

    def function(
        images: np.ndarray, /, *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> np.ndarray:
        found = kind(*args, **kwargs)(images)
        assert isinstance(found, np.ndarray)
        return found

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Return images that `{getattr(kind, "__name__", "")}` has changed."""
    return function


def floats(images: np.ndarray) -> np.ndarray:
    """Return values of images as floats for computation."""
    return images.astype(computed_dtype(images), copy=False)


def in_dtype(values: np.ndarray, dtype: "np.dtype[Any]") -> np.ndarray:
    """Return values in the dtype of images; for integers rounded, inside of their range."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        values = np.rint(values)
        np.clip(values, limits.min, limits.max, out=values)
    return values.astype(dtype, copy=False)


def range_of(
    value: Factor, name: str, least: float, most: float, low: float
) -> tuple[float, float]:
    """Return the ends of a range from which a parameter is drawn.

    Args:
        value: the ends, or a number.
        name: of the argument, for errors.
        least: smallest valid end.
        most: largest valid end.
        low: for a number f the range is from low * f to f.

    Raises:
        CoreError: the value is no number or pair, or out of range.

    >>> range_of(0.2, "factor", -1, 1, low=-1), range_of((0.1, 0.3), "factor", -1, 1, low=-1)
    ((-0.2, 0.2), (0.1, 0.3))
    """
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    ends: object = (low * abs(value), abs(value)) if is_number else value  # type: ignore[arg-type]
    pair: list[float] = []
    if isinstance(ends, Iterable) and all(isinstance(v, (int, float)) for v in ends):
        pair = sorted(ends)
    if len(pair) != 2 or pair[0] < least or pair[1] > most:
        raise CoreError(
            f"{name}={value!r} must be a number or a pair of numbers from {least:g} to {most:g}"
        )
    return pair[0], pair[1]
