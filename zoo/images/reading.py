"""Reading of images from any source as uint8 RGB arrays.

Pillow is imported to decode an image, requests to fetch one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from zoo.images.errors import (
    EMPTY,
    convert_errors,
    convert_reader_errors,
    folder_given,
    missing_file,
)
from zoo.images.files import decode_image, frame_count, open_image
from zoo.images.header_limits import bytes_of_pixels, check_size
from zoo.images.pillow import import_pillow, quiet
from zoo.images.pixels import ImageError, to_rgb_pixels
from zoo.images.urls import MAX_DOWNLOAD, path_of_file_url, scheme_of
from zoo.images.watched_files import WatchedFile, watched_bytes, watched_path

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
        order: order of an array's channels: ``"rgb"``, or ``"bgr"`` for frames of OpenCV, which
            otherwise give wrong results without an error. Files and PIL images define the order
            of their channels.

    Files and PIL images are turned upright as their EXIF orientation says; of animations and
    files of several pages the first frame is read (of a PIL image its current one); transparent
    pixels are shown over white, as image viewers do; 16-bit grey is scaled to 8 bits. HEIC needs
    the package pillow-heif. The fourth channel of an array is dropped, because an array does not
    say whether it is transparency.

    Reading a file takes at most 900 MB of memory, estimated from its header: 112 million pixels
    of JPEG or PNG, 50 of WebP, 45 of AVIF, 34 of JPEG 2000; and about 6 seconds of computing.
    ``with core.limits(file_bytes=..., file_seconds=...)`` sets other limits.
    URLs may have 64 MiB.

    The result must not be modified: it may be the caller's array, not a copy.

    Raises:
        ImageError: the source cannot be read; the message has the value, the limit, the next step.

    Example:
        >>> read_image(np.full((2, 3), 0.5)).shape
        (2, 3, 3)
        >>> blue_of_opencv = np.uint8([[[255, 0, 0]]])
        >>> read_image(blue_of_opencv, order="bgr").tolist()
        [[[0, 0, 255]]]
    """
    check_order(order)
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
    except ImageError as error:  # the message is sufficient; a traceback would hide it
        raise error.with_traceback(None) from error.__cause__


def check_order(order: object) -> None:
    """Raise an error for an unknown order of channels."""
    if order not in _ORDERS:
        raise ImageError(f"order={order!r} must be one of {list(_ORDERS)}")


def read_first_frame(source: str | bytes, name: str | None = None) -> tuple[np.ndarray, int]:
    """Read a path, URL or encoded image, and return its number of frames or pages as well.

    Args:
        source: the path, URL or encoded image.
        name: name of an encoded image in errors.

    Raises:
        ImageError: the source cannot be read.
    """
    with _opened(source, name) as (image, name):
        return decode_image(image, name), frame_count(image)


def _is_array(source: object) -> bool:
    if isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview)):
        return False
    with convert_errors(type(source).__qualname__):
        return not hasattr(source, "read") and (
            hasattr(source, "numpy") or hasattr(source, "__array__")
        )


def _from_array(source: Any) -> np.ndarray:
    if isinstance(source, np.ndarray):
        return to_rgb_pixels(source)
    name = type(source).__qualname__
    with convert_errors(name):
        array = np.asarray(source.numpy() if hasattr(source, "numpy") else source)
    return to_rgb_pixels(array, name)


@contextmanager
def _opened(source: object, name: str | None = None) -> Iterator[tuple[Image.Image, str]]:
    """Yield the undecoded image of a source, which is not an array, and its name in errors."""
    if isinstance(source, import_pillow().Image):
        name = f"PIL image of mode {source.mode}"
        with convert_reader_errors(name), quiet(source):
            check_size(source.size, name, each=bytes_of_pixels(source))
            yield source, name
        return
    file, name = _encoded(source, name)
    with file, convert_reader_errors(name), quiet():
        yield open_image(file, name), name


def _encoded(source: object, name: str | None) -> tuple[WatchedFile, str]:
    """Return the file of an encoded image, and its name in errors.

    Args:
        source: source of any kind except arrays and PIL images.
        name: name of bytes, if any.
    """
    if isinstance(source, (str, os.PathLike)):
        if isinstance(source, os.PathLike):
            with convert_errors(type(source).__qualname__):
                source = os.fsdecode(source)
        return _at_location(source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        name = name or f"{type(source).__name__} object"
        with convert_errors(name):
            data = bytes(source)
        return _in_memory(data, name)
    if hasattr(source, "read"):
        return _from_file(source)
    raise ImageError(
        f"{_what(source)} is not an image: pass a path, a URL, bytes, "
        "a binary file object, a PIL image, an array or a tensor"
    )


def _at_location(location: str) -> tuple[WatchedFile, str]:
    scheme = scheme_of(location) if ":" in location else None
    if scheme not in (None, "file"):
        from zoo.images.fetching import read_url  # and what talks to servers

        return _in_memory(*read_url(location))
    path = path_of_file_url(location) if scheme else location
    name = f"{path!r:.300}"
    with convert_reader_errors(name):
        try:
            status = os.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            raise missing_file(path) from None
        if stat.S_ISDIR(status.st_mode):
            raise folder_given(name)
        if stat.S_ISREG(status.st_mode):
            if not status.st_size:
                raise ImageError(EMPTY.format(name))
            return watched_path(path, name), name
        with open(path, "rb") as pipe:
            data = pipe.read(MAX_DOWNLOAD + 1)
    if len(data) > MAX_DOWNLOAD:
        raise ImageError(f"{name} gives more than {MAX_DOWNLOAD:,} bytes: save them as a file")
    return _in_memory(data, name)


def _in_memory(data: bytes, name: str) -> tuple[WatchedFile, str]:
    if not data:
        raise ImageError(EMPTY.format(name))
    return watched_bytes(data, name), name


def _from_file(file: Any) -> tuple[WatchedFile, str]:
    with convert_errors(f"file object {type(file).__name__!r}"):
        name = f"file object {getattr(file, 'name', None) or type(file).__name__!r}"
    with convert_errors(name):
        data = file.read()
    if not isinstance(data, bytes):
        raise ImageError(
            f"{name} gave {type(data).__name__}, not bytes: open images with open(path, 'rb')"
        )
    if not data:
        raise ImageError(f"{name} has nothing left to read: call seek(0) before passing it")
    return _in_memory(data, name)


def _what(source: object) -> str:
    """Describe an object that is not an image, without the items of collections."""
    kind = type(source).__name__
    if isinstance(source, (list, tuple, dict, set)):
        return f"a {kind} of {len(source)}, where one image is taken,"
    with convert_errors(f"an object of type {kind}"):
        return f"{source!r:.80} ({kind})"
