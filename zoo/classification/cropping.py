"""The middle of an image as the input of a network, as Teachable Machine's library makes it."""

import numpy as np

from weights_cache.dependencies import needed_for

#: What red, green and blue count in grey.
_GREY = np.array([0.2989, 0.5870, 0.1140], np.float32)


def prepare_square(
    image: np.ndarray, size: int, channels: int = 3, *, mirror: bool = False
) -> np.ndarray:
    """Resize an image so that its shorter side fits, cut off what is over, and scale to -1..1.

    Args:
        image: uint8 [height, width, 3], RGB.
        size: height and width of the network's input, in pixels.
        channels: 3, or 1 for grey.
        mirror: flip the image first, which is a mirror image.

    Returns:
        float32 [1, size, size, channels], pixels as ``p / 127 - 1``.

    Source: ``cropTo`` and ``capture`` of @teachablemachine/image; Pillow's bilinear filter stands
    for that of the browser's canvas.
    """
    pixels = center_square(image[:, ::-1] if mirror else image, size).astype(np.float32)
    if channels == 1:
        pixels = pixels @ _GREY[:, None]
    return pixels[None] / np.float32(127) - np.float32(1)


def center_square(image: np.ndarray, size: int) -> np.ndarray:
    """The square in the middle of an image, resized: uint8 [size, size, 3]."""
    with needed_for("resizing images"):
        from PIL import Image

    height, width = image.shape[:2]
    short = min(height, width)
    # What the whole image would be resized to, and where the square would be in that.
    wide, high = -(-width * size // short), -(-height * size // short)
    left, top = (wide - size) // 2, (high - size) // 2
    across, down = width / wide, height / high
    box = (left * across, top * down, (left + size) * across, (top + size) * down)
    whole = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(whole.resize((size, size), Image.Resampling.BILINEAR, _clipped(box, image)))


def _clipped(
    box: tuple[float, float, float, float], image: np.ndarray
) -> tuple[float, float, float, float]:
    """Limit a box to the image, which rounding may leave."""
    height, width = image.shape[:2]
    return box[0], box[1], min(box[2], width), min(box[3], height)
