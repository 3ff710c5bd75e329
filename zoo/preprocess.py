"""From RGB pixels to the input of a network, and the way back for coordinates."""

from typing import NamedTuple

import numpy as np

from weights_cache.dependencies import needed_for
from zoo.entry import Preprocess


class Placement(NamedTuple):
    """Where a photo lies in the network's input.

    ``x_input = x_photo * scale + left``, on the photo as the network sees it: with ``mirrored``,
    the flip of the photo given.
    """

    scale: float
    left: int
    top: int
    width: int  # of the photo
    mirrored: bool

    def to_photo(self, x: float, y: float) -> tuple[float, float]:
        """Coordinates of the photo given, from those of the network's input, both in pixels."""
        x_photo = (x - self.left) / self.scale
        y_photo = (y - self.top) / self.scale
        return (self.width - x_photo if self.mirrored else x_photo), y_photo


def prepare(
    photo: np.ndarray, how: Preprocess, size: tuple[int, int], *, mirror: bool = False
) -> tuple[np.ndarray, Placement]:
    """Resize, pad and scale a photo.

    Args:
        photo: uint8 [height, width, 3], RGB.
        how: the entry's facts.
        size: height and width of the network's input.
        mirror: the photo is a mirror image: flip it first.

    Returns:
        float32 [1, height, width, 3], and where the photo lies in it.
    """
    seen = photo[:, ::-1] if mirror else photo
    placement = letterbox(photo.shape[:2], size, mirrored=mirror)
    pixels = _paste(seen, placement, size)
    values = pixels[None].astype(np.float32)
    values /= np.float32(how.divide)
    values -= np.float32(how.subtract)
    return values, placement


def letterbox(photo: tuple[int, int], size: tuple[int, int], *, mirrored: bool) -> Placement:
    """The largest placement of a photo (height, width) that keeps its aspect ratio, centred."""
    scale = min(size[1] / photo[1], size[0] / photo[0])
    height, width = _scaled(photo, scale)
    return Placement(scale, (size[1] - width) // 2, (size[0] - height) // 2, photo[1], mirrored)


def _scaled(photo: tuple[int, ...], scale: float) -> tuple[int, int]:
    return max(1, round(photo[0] * scale)), max(1, round(photo[1] * scale))


def _paste(photo: np.ndarray, placement: Placement, size: tuple[int, int]) -> np.ndarray:
    """The photo resized by Pillow, as the reference outputs were made, on black."""
    with needed_for("resizing pictures"):
        from PIL import Image

    height, width = _scaled(photo.shape[:2], placement.scale)
    resized = Image.fromarray(photo).resize((width, height), Image.Resampling.BILINEAR)
    canvas = np.zeros((*size, 3), np.uint8)
    top, left = placement.top, placement.left
    canvas[top : top + height, left : left + width] = np.asarray(resized)
    return canvas
