"""Parts of images: `crop`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.images.reading import read_image
from zoo.pipeline.verb_signatures import ImageSource
from zoo.results.vocabulary import Box, Detection, Face, Gesture, Hand, Instance, Pose, one_item

#: Results that have a box.
Boxed = Detection | Face | Gesture | Hand | Instance | Pose

_LARGEST = 2**27  # pixels of a filled part: some boxes of guessed joints are huge


def crop(
    image: ImageSource,
    box: Box | Boxed,
    *,
    margin: float = 0.0,
    fill: Sequence[int] | None = None,
) -> np.ndarray:
    """Return the pixels within a box, which may reach out of the image.

    Boxes of faces, hands and people often do: an index below 0 would then be counted from the
    other end, and the part be empty or wrong.

    >>> import numpy as np
    >>> image = np.zeros((60, 80, 3), np.uint8)
    >>> box = {"x": -10.0, "y": 20.0, "width": 30.0, "height": 10.0}
    >>> crop(image, box).shape, crop(image, box, fill=(0, 0, 0)).shape
    ((10, 20, 3), (10, 30, 3))

    Args:
        image: the image, in any form that `zoo.read_image` takes.
        box: a result with a box, such as a face, or the box itself, in pixels of the image.
        margin: what is added on each side, as a share of the box's width and height: 0.25 makes
            each of them half as long again; above -0.5.
        fill: the colour (red, green, blue), 0..255, of what lies outside of the image; the part has
            the size of the box then. By default it ends at the edges of the image.

    Returns:
        uint8 [height, width, 3], RGB, a copy of all pixels that the box touches.

    Raises:
        ZooError: there is no box, it lies outside of the image, or a number is not finite.
        ImageError: the image cannot be read.
    """
    pixels = read_image(image)
    left, top, right, bottom = _edges(box, margin)
    height, width = pixels.shape[:2]
    inner = pixels[max(0, top) : max(0, bottom), max(0, left) : max(0, right)]
    if fill is not None:
        return _filled(inner, (left, top, right, bottom), fill)
    if not inner.size:
        raise ZooError(
            f"the box x {left}..{right}, y {top}..{bottom} lies outside of the image of {width} x "
            f"{height} pixels: leave it out, or give fill=(0, 0, 0)"
        )
    return inner.copy()


def _edges(box: Box | Boxed, margin: float) -> tuple[int, int, int, int]:
    """The left, top, right and bottom of whole pixels that a box with its margin touches."""
    if isinstance(margin, bool) or not isinstance(margin, Real) or not -0.5 < margin < math.inf:
        raise ZooError(f"margin={margin!r:.80} must be a number above -0.5: a share of the box")
    item = one_item(box, "crop")
    found = item.get("box", item)
    try:
        x, y, width, height = (float(found[key]) for key in ("x", "y", "width", "height"))
    except (TypeError, KeyError, ValueError) as error:
        raise ZooError(
            "crop needs a result with a box, or a box of 'x', 'y', 'width' and 'height', and this "
            f"is a dict with the keys {sorted(map(str, item))}"
        ) from error
    across, down = margin * width, margin * height
    exact = (x - across, y - down, x + width + across, y + height + down)
    if not all(map(math.isfinite, exact)) or width < 0 or height < 0:
        raise ZooError(
            f"the box {dict(found)!r:.120} must be of finite numbers and sizes from 0 on"
        )
    left, top = math.floor(exact[0]), math.floor(exact[1])
    return left, top, max(left + 1, math.ceil(exact[2])), max(top + 1, math.ceil(exact[3]))


def _filled(inner: np.ndarray, edges: tuple[int, int, int, int], fill: Sequence[int]) -> np.ndarray:
    """Return the part of an image in the size of the box."""
    left, top, right, bottom = edges
    if (right - left) * (bottom - top) > _LARGEST:
        raise ZooError(
            f"the box has {right - left} x {bottom - top} pixels, at most {_LARGEST:,} are filled: "
            "leave fill out"
        )
    colour = np.asarray(fill)
    if colour.shape != (3,) or colour.min() < 0 or colour.max() > 255:
        raise ZooError(f"fill={fill!r:.80} must be (red, green, blue), 0..255 each")
    part = np.empty((bottom - top, right - left, 3), np.uint8)
    part[:] = colour
    y, x = max(0, -top), max(0, -left)
    part[y : y + inner.shape[0], x : x + inner.shape[1]] = inner
    return part
