"""Encoded images, through Pillow: opened, decoded, turned upright. Pillow is imported on first use.

Images of iPhones (HEIC) are opened through pillow-heif where it is installed.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from zoo.image_errors import not_an_image
from zoo.pixels import NO_PIXELS, ImageError, to_rgb_pixels

if TYPE_CHECKING:
    from PIL import Image

MAX_PIXELS = 100_000_000
"""Largest image that is decoded: a few kilobytes can unpack to gigabytes."""

HEIF_ENDINGS = (".heic", ".heif", ".hif")
_HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")

#: Formats whose files may hold several images. JPEG's MPO is not among them: its second image is
#: a preview or the other eye's, and phones write it without saying so.
_SEVERAL_FRAMES = ("GIF", "PNG", "WEBP", "TIFF", "AVIF")

#: Formats that Pillow knows by name, but does not decode, or not as an image.
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

_TOO_LARGE = "{} is too large ({}; the limit is {:,} pixels): make it smaller or pass an array"

# warnings.catch_warnings swaps the filters of the whole process: one thread at a time.
_warning_filters = Lock()


def open_image(file: str | io.BytesIO, name: str) -> Image.Image:
    """Open an encoded image, not decoded yet.

    Args:
        file: a path, or the bytes in memory.
        name: what error messages call it.

    Raises:
        ImageError: it is no image, or too large.
    """
    from PIL import UnidentifiedImageError

    try:
        return _open(file, name)
    except UnidentifiedImageError:
        head = _head(file)
    if not _is_heif(head):
        raise not_an_image(name, head)
    _register_heif(name)
    return _open(file, name)


def _open(file: str | io.BytesIO, name: str) -> Image.Image:
    from PIL import Image

    try:
        with _no_warnings():
            return Image.open(file)
    except Image.DecompressionBombError as error:
        found = str(error).partition(" exceeds")[0]
        raise ImageError(_TOO_LARGE.format(name, found, MAX_PIXELS)) from None


def _head(file: str | io.BytesIO) -> bytes:
    if not isinstance(file, str):
        return bytes(file.getbuffer()[:12])
    with open(file, "rb") as opened:
        return opened.read(12)


def _is_heif(head: bytes) -> bool:
    return head[4:8] == b"ftyp" and head[8:12] in _HEIF_BRANDS


@lru_cache(maxsize=1)
def _add_heif_to_pillow() -> None:
    from pillow_heif import register_heif_opener

    register_heif_opener()


def _register_heif(name: str) -> None:
    try:
        _add_heif_to_pillow()
    except ImportError:
        raise ImageError(
            f"{name} is a HEIC image, which Pillow reads with the package pillow-heif: run "
            "`pip install pillow-heif`, or save it as JPEG or PNG"
        ) from None


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Silence Pillow on 89 megapixels, where ``MAX_PIXELS`` decides, and on damaged metadata."""
    with _warning_filters, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def decode_image(image: Image.Image, name: str) -> np.ndarray:
    """The pixels of the current frame of an image, upright: uint8 [height, width, 3] in RGB.

    Raises:
        ImageError: it has no pixels or too many, or is a program.
    """
    _check_size(image.size, name)
    if image.format == "EPS":  # Pillow would run it, as a program, in Ghostscript
        raise ImageError(f"{name} is PostScript, which is not run: convert it to JPEG or PNG")
    image.load()
    orientation = _orientation(image)
    return np.asarray(_upright(_to_rgb(image, name), orientation))


def frame_count(image: Image.Image) -> int:
    """How many frames or pages the file of an image has."""
    if image.format not in _SEVERAL_FRAMES:
        return 1
    try:
        return int(getattr(image, "n_frames", 1))
    except Exception:  # what comes after the first frame may be damaged
        return 1


def image_endings() -> frozenset[str]:
    """Endings of the files that can be read, in lower case, with their points.

    >>> {".jpg", ".png", ".heic"} <= image_endings(), ".pdf" in image_endings()
    (True, False)
    """
    from PIL import Image

    endings = Image.registered_extensions()
    decoded = Image.OPEN.keys() - {*_NOT_DECODED} | {"MPO"}  # MPO is opened as JPEG
    return frozenset([e for e, kind in endings.items() if kind in decoded]).union(HEIF_ENDINGS)


def _check_size(size: tuple[int, int], name: str) -> None:
    width, height = size
    if not width * height:
        raise ImageError(NO_PIXELS.format(name, f"{width} x {height}"))
    if width * height > MAX_PIXELS:
        found = f"{width} x {height} pixels"
        raise ImageError(_TOO_LARGE.format(name, found, MAX_PIXELS))


def _to_rgb(image: Image.Image, name: str) -> Image.Image:
    from PIL import Image

    if image.mode[0] in "IF":
        return Image.fromarray(to_rgb_pixels(_deep_grey(image), name))
    if image.has_transparency_data:
        rgba = image.convert("RGBA")
        page = Image.new("RGB", image.size, "white")
        page.paste(rgba, mask=rgba)
        return page
    return image if image.mode == "RGB" else image.convert("RGB")


def _deep_grey(image: Image.Image) -> np.ndarray:
    """The values of an image of more than 8 bits; 16-bit ones scaled to 0..255."""
    values = np.asarray(image)
    # Older versions of Pillow opened 16-bit grey PNG and PGM files in their 32-bit mode.
    if image.mode.startswith("I;16") or (image.mode == "I" and image.format in ("PNG", "PPM")):
        return (values.astype(np.uint32) + 128) // 257
    return values


def _orientation(image: Image.Image) -> int:
    try:
        with _no_warnings():
            return image.getexif().get(_ORIENTATION_TAG, 1)
    except Exception:  # viewers, too, show an image whose EXIF block is damaged
        return 1


def _upright(image: Image.Image, orientation: int) -> Image.Image:
    from PIL import Image

    if orientation not in _UPRIGHT:
        return image
    return image.transpose(Image.Transpose[_UPRIGHT[orientation]])
