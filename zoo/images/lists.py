"""Functions over one image, a list (result: a list) or an iterator (result: an iterator)."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count
from typing import Any, TypeVar

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.images.errors import convert_errors
from zoo.images.pixels import ImageError
from zoo.images.reading import read_image

Result = TypeVar("Result")
Item = TypeVar("Item")

#: The most bytes of images in an incomplete batch; a batch has at least one image.
MOST_BYTES = 64 * 2**20


class ResultsOfImages(list[Result]):
    """The results of several images, in order: a list that tables and drawings refuse.

    Tables and drawings take the results of one image, or of several by name.
    """


def is_several(source: Any) -> bool:
    """Whether a source is a list, an iterator or a batch of images rather than one image."""
    if isinstance(source, (str, bytes, bytearray)):
        return False
    with convert_errors(type(source).__qualname__):
        if hasattr(source, "ndim"):  # an array or a tensor
            return bool(source.ndim == 4)
        if isinstance(source, (memoryview, os.PathLike)):
            return False
        if isinstance(source, Sequence):
            return True
        return hasattr(source, "__next__") and not hasattr(source, "read")


def for_each_image(
    source: Any,
    run_one: Callable[[Any], Result],
    kind: Callable[[Iterable[Result]], Any] = ResultsOfImages,
) -> Any:
    """Apply a function of one image to a source of images.

    Args:
        source: an image, or a sequence, iterator or batch [n, height, width, 3] of them.
        run_one: function from an image to its result.
        kind: class of the returned list.

    Returns:
        The result of one image; a list for a sequence or batch; an iterator for an iterator,
        which continues after an image that raised an error.
    """
    if not is_several(source):
        return run_one(source)

    def run_named(index: int, image: Any) -> Result:
        return at_index(index, run_one, image)

    if hasattr(source, "__next__"):
        return map(run_named, count(), source)
    return kind(map(run_named, count(), as_sequence(source)))


def for_each_batch(
    source: Any,
    run_batch: Callable[[Sequence[np.ndarray]], list[Result]],
    most: int,
    kind: Callable[[Iterable[Result]], Any] = ResultsOfImages,
) -> Any:
    """Apply a function of a batch of uint8 arrays to a source of images, like `for_each_image`.

    Args:
        source: an image, or a sequence, iterator or batch [n, height, width, 3] of them.
        run_batch: function from images, [height, width, 3] each, to their results.
        most: the most images of a list per batch. Images of an iterator, such as frames of a
            camera, are not batched.
        kind: class of the returned list.
    """
    if not is_several(source):
        return run_batch([read_image(source)])[0]
    if most == 1 or hasattr(source, "__next__"):
        return for_each_image(source, lambda image: run_batch([read_image(image)])[0], kind)
    groups = _batches(as_sequence(source), most)
    return kind(result for group in groups for result in run_batch(group))


def as_sequence(source: Any) -> Any:
    """Return a list or batch as a sequence of images."""
    if not hasattr(source, "ndim"):
        return source
    with convert_errors(type(source).__qualname__):
        return np.asarray(source)


def at_index(index: int, run_one: Callable[[Item], Result], image: Item) -> Result:
    """Return the result of a function for an image; an error names the index of the image."""
    try:
        return run_one(image)
    except ZooError as error:
        if isinstance(error, ImageError) or type(error) is ZooError:
            error.args = (f"image at index {index}: {error}",)
        raise


def _batches(images: Iterable[Any], most: int) -> Iterator[list[np.ndarray]]:
    """Yield groups of images that fit the limits of number and bytes."""
    group: list[np.ndarray] = []
    for index, image in enumerate(images):
        pixels = at_index(index, read_image, image)
        if group and (len(group) >= most or sum(p.nbytes for p in [*group, pixels]) > MOST_BYTES):
            yield group
            group = []
        group.append(pixels)
    if group:
        yield group
