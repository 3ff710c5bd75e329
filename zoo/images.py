"""Any image a caller may hold, as one uint8 RGB array, or an error that says what to do.

Pillow is imported when an image must be decoded, requests when one must be fetched.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import numpy as np

from weights_cache.dependencies import needed_for
from zoo.image_errors import EMPTY, folder_given, missing_file, said_as_image_error
from zoo.image_files import decode_image, frame_count, open_image
from zoo.image_urls import path_of_file_url, read_url, scheme_of
from zoo.pixels import ImageError, to_rgb_pixels

if TYPE_CHECKING:
    from PIL import Image

Order = Literal["rgb", "bgr"]
_ORDERS = ("rgb", "bgr")


def read_image(source: object, *, order: Order = "rgb") -> np.ndarray:
    """Return an image as a C-contiguous uint8 array [height, width, 3] in RGB.

    Args:
        source: one of
            - a path (str or os.PathLike), or a URL of http, https, file or data;
            - an encoded image as bytes, or a binary file object, which is read from its
              current position to its end and left open;
            - a PIL image;
            - an array, or a tensor of any library with ``numpy()`` or ``__array__``:
              [height, width] grey, or channels last with 1 (grey), 3 (RGB) or 4 channels.
              Integers are 0..255; floats are 0..1; booleans are black and white.
        order: of the channels of an array: ``"rgb"``, or ``"bgr"`` as OpenCV gives them, whose
            frames otherwise give wrong answers without an error. Files and PIL images know the
            order of their channels.

    Files and PIL images are turned upright as their EXIF orientation says; of animations and
    files of several pages the first frame is read (of a PIL image its current one); transparent
    pixels are shown over white, as image viewers do; 16-bit grey is scaled to 8 bits. HEIC needs
    the package pillow-heif. The fourth channel of an array is dropped, because an array does not
    say whether it is transparency. Files may have 100 million pixels, URLs 64 MiB, at most.

    The result is not to be written to: it may be the caller's own array, not copied.

    Raises:
        ImageError: the source cannot be read; says what was found, the limit and what to do.

    Example:
        >>> read_image(np.full((2, 3), 0.5)).shape
        (2, 3, 3)
        >>> blue_of_opencv = np.uint8([[[255, 0, 0]]])
        >>> read_image(blue_of_opencv, order="bgr").tolist()
        [[[0, 0, 255]]]
    """
    if order not in _ORDERS:
        raise ImageError(f"order={order!r} must be one of {list(_ORDERS)}")
    if _is_array(source):
        pixels = _from_array(source)
        return pixels if order == "rgb" else np.ascontiguousarray(pixels[..., ::-1])
    if order != "rgb":
        raise ImageError(
            f"order={order!r} is for arrays, and the source is of type {type(source).__name__!r}: "
            "leave order out, files and PIL images know the order of their channels"
        )
    try:
        with _opened(source) as (image, name):
            return decode_image(image, name)
    except ImageError as error:  # the message says it all; how it came about would bury it
        raise error.with_traceback(None) from error.__cause__


def read_first_frame(source: str | bytes, name: str | None = None) -> tuple[np.ndarray, int]:
    """`read_image` of a path, URL or encoded image, and how many frames or pages it has.

    Args:
        source: the path, URL or encoded image.
        name: what error messages call encoded images.

    Raises:
        ImageError: the source cannot be read.
    """
    with _opened(source, name) as (image, name):
        return decode_image(image, name), frame_count(image)


def _is_array(source: object) -> bool:
    if isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview)):
        return False
    return not hasattr(source, "read") and (
        hasattr(source, "numpy") or hasattr(source, "__array__")
    )


def _from_array(source: object) -> np.ndarray:
    if isinstance(source, np.ndarray):
        return to_rgb_pixels(source)
    name = type(source).__qualname__
    with said_as_image_error(name):
        array = np.asarray(source.numpy() if hasattr(source, "numpy") else source)
    return to_rgb_pixels(array, name)


@contextmanager
def _opened(source: object, name: str | None = None) -> Iterator[tuple[Image.Image, str]]:
    """The image of a source that is no array, not decoded yet, and what error messages call it."""
    with needed_for("reading images"):
        from PIL import Image

    if isinstance(source, Image.Image):
        name = f"PIL image of mode {source.mode}"
        with said_as_image_error(name):
            yield source, name
        return
    file, found = _encoded(source)
    name = name or found
    if not file:
        raise ImageError(EMPTY.format(name))
    stored = file if isinstance(file, str) else io.BytesIO(file)
    with said_as_image_error(name), open_image(stored, name) as image:
        yield image, name


def _encoded(source: object) -> tuple[str | bytes, str]:
    """The path or the bytes of an encoded image, and what error messages call it."""
    if isinstance(source, (str, os.PathLike)):
        return _in_place(os.fsdecode(source))
    if isinstance(source, (bytes, bytearray, memoryview)):
        return bytes(source), f"{type(source).__name__} object"
    if hasattr(source, "read"):
        return _from_file(source)
    raise ImageError(
        f"{_what(source)} is not an image: pass a path, a URL, bytes, "
        "a binary file object, a PIL image, an array or a tensor"
    )


def _in_place(place: str) -> tuple[str | bytes, str]:
    scheme = scheme_of(place)
    if scheme not in (None, "file"):
        return read_url(place)
    path = path_of_file_url(place) if scheme else place
    name = f"{path!r:.300}"
    _check_path(path, name)
    return path, name


def _check_path(path: str, name: str) -> None:
    with said_as_image_error(name):
        try:
            status = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            raise missing_file(path) from None
    if stat.S_ISDIR(status.st_mode):
        raise folder_given(name)
    if stat.S_ISREG(status.st_mode) and not status.st_size:
        raise ImageError(EMPTY.format(name))


def _from_file(file) -> tuple[bytes, str]:
    name = f"file object {getattr(file, 'name', None) or type(file).__name__!r}"
    with said_as_image_error(name):
        data = file.read()
    if not isinstance(data, bytes):
        raise ImageError(
            f"{name} gave {type(data).__name__}, not bytes: open images with open(path, 'rb')"
        )
    if not data:
        raise ImageError(f"{name} has nothing left to read: call seek(0) before passing it")
    return data, name


def _what(source: object) -> str:
    """What was given in place of an image; what collections hold would be long."""
    if isinstance(source, (list, tuple, dict, set)):
        return f"a {type(source).__name__} of {len(source)}, where one image is taken,"
    return f"{source!r:.80} ({type(source).__name__})"
