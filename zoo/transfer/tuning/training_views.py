"""Views of images to train with: random crops, colours and flips, and their maps in a network."""

import math
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from core import GraphModel
from core.data.augmentation import Augmentation, RandomBrightness, RandomContrast, RandomFlip
from core.data.iterators import prefetched
from core.data.random_transform import RandomTransform
from weights_cache.atomic_files import require_space, writing_to
from weights_cache.common.errors import ZooError
from weights_cache.common.progress_bars import with_bar
from weights_cache.common.sizes import size_text
from zoo.images.lists import at_index
from zoo.images.reading import read_image
from zoo.pipeline.model import Model
from zoo.pipeline.preprocess import prepare
from zoo.pipeline.verb_signatures import ImageSource

#: Largest bytes of maps in memory, and of a temporary file with further ones.
MOST_IN_MEMORY, MOST_IN_FILE = 2**28, 2**32

#: Dtype of stored maps: networks quantised to 8 bits are coarser.
_STORED = np.dtype(np.float16)

_SMALLEST_CROP = 0.6  # of the side of an image
_BRIGHTNESS, _CONTRAST = 0.1, 0.2
_AHEAD = 2  # images whose views are prepared while the network runs


class Views(NamedTuple):
    """The views of each image, besides the image itself.

    Attributes:
        per_image: how many there are; 0 for none.
        mirror: whether half of them are flipped, which is wrong where left and right are classes.
        seed: integer, 0 or more; with the index of an image it decides what its views are.
    """

    per_image: int = 8
    mirror: bool = True
    seed: int = 0

    @property
    def recoloring(self) -> Augmentation:
        """Augmentation of images of the network's size."""
        steps: list[RandomTransform] = [RandomBrightness(_BRIGHTNESS), RandomContrast(_CONTRAST)]
        return Augmentation([*steps, RandomFlip("horizontal")] if self.mirror else steps)


def views_of(image: np.ndarray, model: Model, views: Views, index: int) -> np.ndarray:
    """Return an image and views of it as input of a network, [1 + per_image, height, width, 3].

    A view is a part of 0.6 to 1 times the sides, of the shape that the network is given: a square
    where it sees the middle of an image. Brightness changes by up to a tenth of its range, contrast
    by up to a fifth.

    Args:
        image: uint8 [height, width, 3].
        model: says how images are prepared.
        views: the kind of views.
        index: number of the image, from which its random numbers are drawn.
    """
    how, size = model.entry.preprocess, model.input_size
    found = [prepare(image, how, size)[0]]
    if views.per_image:
        rng = np.random.default_rng([views.seed, index])
        as_pixels = how._replace(dtype="uint8")
        parts = [_part(image, rng, square=how.fit == "crop") for _ in range(views.per_image)]
        pixels = np.concatenate([prepare(part, as_pixels, size)[0] for part in parts])
        changed = np.asarray(views.recoloring.draw(rng, pixels))
        found += [prepare(each, how, size)[0] for each in changed]
    return np.concatenate(found)


def _part(image: np.ndarray, rng: np.random.Generator, *, square: bool) -> np.ndarray:
    """Return a random part of an image: a square, or of the image's own aspect ratio."""
    height, width = image.shape[:2]
    share = rng.uniform(_SMALLEST_CROP, 1.0)
    sides = (min(height, width),) * 2 if square else (height, width)
    down, across = (max(1, round(side * share)) for side in sides)
    top, left = rng.integers(height - down + 1), rng.integers(width - across + 1)
    return np.ascontiguousarray(image[top : top + down, left : left + across])


def maps_of(
    network: GraphModel,
    node: str,
    model: Model,
    images: Sequence[ImageSource],
    chosen: np.ndarray,
    views: Views,
) -> np.ndarray:
    """Return the values of a node for views of images, float16 [chosen, 1 + per_image, ...].

    Above 256 MiB they are in a temporary file, which goes with the array, or with the process.
    There are fewer views if they would take more than 4 GiB.

    Args:
        network: computes the node from the model's input.
        node: name of the node.
        model: says how images are prepared.
        images: anything that verbs take.
        chosen: indices of images, at least one.
        views: the kind of views.

    Raises:
        ImageError: an image cannot be read; the message has its index.
        ZooError: the maps of so many images are too large, or the values of one are too large.
        WeightsError: there is no room for a temporary file.
    """

    def look(index: int, count: int) -> np.ndarray:
        pixels = at_index(index, read_image, images[index])
        return views_of(pixels, model, views._replace(per_image=count), index)

    indices = [int(index) for index in chosen]
    first = _values(network, node, model, look(indices[0], 0))
    count = _fitting(views.per_image, len(indices), first.size * _STORED.itemsize)
    found = _allocated((len(indices), 1 + count, *first.shape[1:]))
    batches = prefetched(lambda: (look(index, count) for index in indices), _AHEAD)
    for row, batch in enumerate(with_bar(batches, "image", total=len(indices), label="views")):
        with np.errstate(over="ignore"):
            found[row] = _values(network, node, model, batch)
        if not np.isfinite(found[row]).all():
            raise ZooError(
                f"image at index {indices[row]}: values in {node!r} are beyond the range of 16-bit "
                "floats: fine-tune other layers, or train only a head"
            )
    return found


def _fitting(count: int, images: int, each: int) -> int:
    """Return how many views of images fit in a file.

    Raises:
        ZooError: not even the images themselves do.
    """
    most = MOST_IN_FILE // (images * each)
    if most == 0:
        raise ZooError(
            f"fine-tuning keeps maps of {size_text(each)} of each of {images} images, more than "
            f"{size_text(MOST_IN_FILE)} in all: give at most {MOST_IN_FILE // each} images, or "
            "train only a head"
        )
    return min(count, most - 1)


def _allocated(shape: tuple[int, ...]) -> np.ndarray:
    """Return an array in memory, or in a temporary file without a name if it is large."""
    needed = math.prod(shape) * _STORED.itemsize
    if needed <= MOST_IN_MEMORY:
        return np.empty(shape, _STORED)
    folder = Path(tempfile.gettempdir())
    advice = "set TMPDIR to a folder on another disk"
    require_space(folder, needed, advice)
    with writing_to(folder, needed, advice), tempfile.TemporaryFile(dir=folder) as file:
        if hasattr(os, "posix_fallocate"):  # else a full disk would end the process
            os.posix_fallocate(file.fileno(), 0, needed)
        return np.memmap(file, _STORED, "w+", shape=shape)


def _values(network: GraphModel, node: str, model: Model, batch: np.ndarray) -> np.ndarray:
    """Return the values of a node, at once where the network takes several images."""
    lengths = [endpoint.spec.shape for endpoint in network.graph.inputs.values()]
    together = model.entry.batch or all(shape is None or shape[0] is None for shape in lengths)
    parts = [batch] if together else [batch[i : i + 1] for i in range(len(batch))]
    found = [network.execute(part, [node], as_arrays=True)[node] for part in parts]
    return found[0] if len(found) == 1 else np.concatenate(found)
