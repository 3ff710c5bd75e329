"""Encoded images by Pillow, imported at first use: opening, decoding, turning upright.

Images of iPhones (HEIC) are opened by pillow-heif if it is installed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from weights_cache.interruptions import is_interruption
from zoo.images.errors import not_an_image
from zoo.images.header_limits import (
    DECODE_SECONDS,
    OPEN_SECONDS,
    bytes_of_pixels,
    check_nested,
    check_scans,
    check_size,
    limit_of_context,
)
from zoo.images.pillow import add_heif, import_pillow, open_any, open_frequent
from zoo.images.pixels import ImageError, to_rgb_pixels

if TYPE_CHECKING:
    from PIL import Image

    from zoo.images.watched_files import WatchedFile

HEIF_ENDINGS = (".heic", ".heif", ".hif")
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")

_POSTSCRIPT = rb"%!PS|\xc5\xd0\xd3\xc6"

#: Formats whose files may hold several images. JPEG's MPO is not listed: its second image is a
#: preview or of the other eye, and phones write it by default.
_SEVERAL_FRAMES = ("GIF", "PNG", "WEBP", "TIFF", "AVIF")

#: Formats that Pillow lists, but does not decode, or not as an image.
_NOT_DECODED = ("BUFR", "EPS", "GRIB", "HDF5", "MPEG", "WMF")

_ORIENTATION_TAG = 274
_UPRIGHT = {  # EXIF orientation → the Image.Transpose that undoes it
    2: "FLIP_LEFT_RIGHT",
    3: "ROTATE_180",
    4: "FLIP_TOP_BOTTOM",
    5: "TRANSPOSE",
    6: "ROTATE_270",
    7: "TRANSVERSE",
    8: "ROTATE_90",
}
_FLIPS_COLUMNS, _FLIPS_ROWS, _SWAPS = (2, 3, 7, 8), (3, 4, 6, 7), (5, 6, 7, 8)

#: Larger images are converted in blocks: whole copies would double the memory.
_PIXELS_AT_ONCE = 4_000_000
_PIXELS_OF_A_BLOCK = 2**17


def open_image(file: WatchedFile, name: str) -> Image.Image:
    """Open an encoded image, not decoded yet.

    Args:
        file: the file at its start.
        name: name of the file in errors.

    Raises:
        ImageError: the file is not an image, or too large.
    """
    seconds = limit_of_context("file_seconds", DECODE_SECONDS)
    file.budget.allow(min(OPEN_SECONDS, seconds))
    head = file.read(16)
    if re.match(_POSTSCRIPT, head):  # Pillow would run the program in Ghostscript
        raise ImageError(f"{name} is PostScript, which is not run: convert it to JPEG or PNG")
    image = _open_known(file, head, name)
    check_size(image.size, name, each=bytes_of_pixels(image))
    if image.format == "JPEG":
        check_scans(file, image.size, name)
    file.budget.allow(seconds)
    return image


def _open_known(file: WatchedFile, head: bytes, name: str) -> Image.Image:
    """Open an image of a format of Pillow or of its plugin for HEIC."""
    with suppress(import_pillow().UnidentifiedImageError):
        return _open(file, head, name)
    if not _is_heif(head):
        raise not_an_image(name, head)
    _register_heif(name)
    return _open(file, head, name)


def _open(file: WatchedFile, head: bytes, name: str) -> Image.Image:
    check_nested(file, head, name)
    try:
        return open_frequent(file, head) or open_any(file)
    except import_pillow().DecompressionBombError as error:
        raise ImageError(
            f"{name} is too large for Pillow ({error}): make it smaller, pass an array, or raise "
            "PIL.Image.MAX_IMAGE_PIXELS"
        ) from None


def _is_heif(head: bytes) -> bool:
    return head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS


@lru_cache(maxsize=1)
def _add_heif_to_pillow() -> None:
    add_heif()


def _register_heif(name: str) -> None:
    try:
        _add_heif_to_pillow()
    except ImportError:
        raise ImageError(
            f"{name} is a HEIC image, which Pillow reads with the package pillow-heif: run "
            "`pip install pillow-heif`, or save it as JPEG or PNG"
        ) from None


def decode_image(image: Image.Image, name: str) -> np.ndarray:
    """Return the upright pixels of an image's current frame: uint8 [height, width, 3] in RGB.

    Raises:
        ImageError: the image turns out to have no pixels or too many, or is a program.
    """
    if image.format == "EPS":
        raise ImageError(f"{name} is PostScript, which is not run: convert it to JPEG or PNG")
    size = image.size
    try:
        # Pillow's draft mode decodes a JPEG at the size that the network needs in a fraction of the
        # time, but then classifiers, detectors and poses give other answers.
        image.load()
        if image.size != size:  # in some formats the header has another one
            check_size(image.size, name)
        return _upright_pixels(image, name, _orientation(image))
    except MemoryError:
        width, height = image.size
        raise ImageError(
            f"{name} of {width} x {height} pixels needs more memory than there is: make it smaller"
        ) from None


def frame_count(image: Image.Image) -> int:
    """Return the number of frames or pages of an image; 1 if counting takes too long."""
    if image.format not in _SEVERAL_FRAMES:
        return 1
    try:
        return int(getattr(image, "n_frames", 1))
    except Exception as error:  # the rest of the file may be damaged
        if is_interruption(error):
            raise
        return 1


def image_endings() -> frozenset[str]:
    """Return the endings of files that can be read, in lower case, with the dot.

    >>> {".jpg", ".png", ".heic"} <= image_endings(), ".pdf" in image_endings()
    (True, False)
    """
    pillow = import_pillow()
    endings = pillow.registered_extensions()
    decoded = pillow.OPEN.keys() - {*_NOT_DECODED} | {"MPO"}  # MPO is opened as JPEG
    return frozenset([e for e, kind in endings.items() if kind in decoded]).union(HEIF_ENDINGS)


def _orientation(image: Image.Image) -> int:
    try:
        found = image.getexif().get(_ORIENTATION_TAG, 1)
        return found if found in _UPRIGHT else 1
    except Exception as error:  # viewers also show an image with a damaged EXIF block
        if is_interruption(error):
            raise
        return 1


def _upright_pixels(image: Image.Image, name: str, orientation: int) -> np.ndarray:
    width, height = image.size
    kind = image.format
    if width * height <= _PIXELS_AT_ONCE:
        return _array(_upright(_to_rgb(image, kind, name), orientation))
    if image.mode[0] in "IF":
        _check_levels(image, name)
    swaps = orientation in _SWAPS
    pixels = np.empty((width, height, 3) if swaps else (height, width, 3), np.uint8)
    for box in _blocks(width, height):
        block = _upright(_to_rgb(image.crop(box), kind, name), orientation)
        pixels[_place(box, image.size, orientation)] = _array(block)
    return pixels


def _array(image: Image.Image) -> np.ndarray:
    """Return the pixels of an RGB image; `numpy.asarray` may hide a signal handler's exception."""
    return np.frombuffer(image.tobytes(), np.uint8).reshape(image.height, image.width, 3)


def _blocks(width: int, height: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield boxes of an image: some rows each, or parts of a row."""
    columns = min(width, _PIXELS_OF_A_BLOCK)
    rows = max(1, _PIXELS_OF_A_BLOCK // columns)
    for top in range(0, height, rows):
        for left in range(0, width, columns):
            yield left, top, min(left + columns, width), min(top + rows, height)


def _place(
    box: tuple[int, int, int, int], size: tuple[int, int], orientation: int
) -> tuple[slice, slice]:
    """Return the slices of a box in the upright image."""
    left, top, right, bottom = box
    width, height = size
    if orientation in _FLIPS_COLUMNS:
        left, right = width - right, width - left
    if orientation in _FLIPS_ROWS:
        top, bottom = height - bottom, height - top
    rows, columns = slice(top, bottom), slice(left, right)
    return (columns, rows) if orientation in _SWAPS else (rows, columns)


def _to_rgb(image: Image.Image, kind: str | None, name: str) -> Image.Image:
    if image.mode[0] in "IF":
        return import_pillow().fromarray(to_rgb_pixels(_deep_grey(image, kind), name))
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        page: Image.Image = import_pillow().new("RGB", image.size, "white")
        page.paste(rgba, mask=rgba)
        return page
    return image if image.mode == "RGB" else image.convert("RGB")


def _check_levels(image: Image.Image, name: str) -> None:
    """Raise if an image of more than 8 bits has values out of range, before its conversion."""
    ranges = []
    for box in _blocks(*image.size):
        values = _deep_grey(image.crop(box), image.format)
        ranges.append([values.min(), values.max()])
    to_rgb_pixels(np.array(ranges), name)


def _deep_grey(image: Image.Image, kind: str | None) -> np.ndarray:
    """Return the values of an image of more than 8 bits, from 16 bits scaled to 0..255."""
    values = np.asarray(image)
    # Older versions of Pillow opened 16-bit grey PNG and PGM files in their 32-bit mode.
    if image.mode.startswith("I;16") or (image.mode == "I" and kind in ("PNG", "PPM")):
        return (values.astype(np.uint32) + 128) // 257
    return values


def _upright(image: Image.Image, orientation: int) -> Image.Image:
    if orientation not in _UPRIGHT:
        return image
    return image.transpose(import_pillow().Transpose[_UPRIGHT[orientation]])
