"""Decoding of images that pages and programs send, whose size is checked before."""

from __future__ import annotations

import numpy as np

from core import limits
from zoo.images.errors import convert_reader_errors
from zoo.images.files import decode_image, open_image
from zoo.images.header_limits import bytes_of_pixels, check_size
from zoo.images.pillow import quiet
from zoo.images.pixels import ImageError
from zoo.images.watched_files import watched_bytes

_NAME = "the image"
_ANY_SIZE = 2**62


def read_sent_image(data: bytes, most_pixels: int) -> np.ndarray:
    """Return an encoded image as `zoo.read_image` does: upright, uint8 RGB [height, width, 3].

    Args:
        data: encoded, such as JPEG or PNG.
        most_pixels: width x height may be at most; the header of a file of a kilobyte may declare
            gigabytes.

    Raises:
        ImageError: it is not an image, damaged, or too large.
    """
    if not data:
        raise ImageError(f"{_NAME} is empty (0 bytes): send an encoded image, such as JPEG or PNG")
    with convert_reader_errors(_NAME), quiet(), watched_bytes(data, _NAME) as file:
        with limits(file_bytes=_ANY_SIZE):  # the limit below is the lower one
            image = open_image(file, _NAME)
        if image.width * image.height > most_pixels:
            raise ImageError(
                f"{_NAME} has {image.width} x {image.height} pixels, the limit is "
                f"{most_pixels / 1e6:g} million: make it smaller"
            )
        check_size(image.size, _NAME, each=bytes_of_pixels(image))
        return decode_image(image, _NAME)
