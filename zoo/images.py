"""Any picture a caller may hold, as one uint8 RGB array, or an error that says what to do.

Pillow is imported when a picture must be decoded, requests when one must be fetched.
"""

from __future__ import annotations

import io
import os
import stat
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from weights_cache.dependencies import needed_for
from weights_cache.places import is_offline
from zoo.pixels import NO_PIXELS, ImageError, to_rgb_pixels

if TYPE_CHECKING:
    import requests
    from PIL import Image

MAX_PIXELS = 100_000_000
"""Largest picture that is decoded: a few kilobytes can unpack to gigabytes."""

MAX_DOWNLOAD = 64 * 2**20
"""Most bytes that are fetched from a URL."""

_MAX_REDIRECTS = 5
_TIMEOUTS = (5, 15)  # seconds to connect, seconds between two packets

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

_EMPTY = "{} is empty (0 bytes): the copy or download that made it failed, repeat it"
_TOO_LARGE = "{} is too large ({}; the limit is {:,} pixels): make it smaller or pass an array"

# warnings.catch_warnings swaps the filters of the whole process: one thread at a time.
_warning_filters = threading.Lock()


def read_image(source: object) -> np.ndarray:
    """Return a picture as a C-contiguous uint8 array [height, width, 3] in RGB.

    Args:
        source: one of
            - a path (str or os.PathLike), or a URL that starts with http:// or https://;
            - an encoded picture as bytes, or a binary file object, which is read from its
              current position to its end and left open;
            - a PIL image;
            - an array, or a tensor of any library with ``numpy()`` or ``__array__``:
              [height, width] grey, or channels last with 1 (grey), 3 (RGB) or 4 channels.
              Integers are 0..255; floats are 0..1; booleans are black and white.

    Files and PIL images are turned upright as their EXIF orientation says; animations give
    their first frame (a PIL image its current one); transparent pixels are shown over white,
    as picture viewers do; 16-bit grey is scaled to 8 bits. The fourth channel of an array is
    dropped, because an array does not say whether it is transparency. OpenCV's arrays are BGR:
    pass ``frame[..., ::-1]``. Files may have 100 million pixels, URLs 64 MiB, at most.

    The result is not to be written to: it may be the caller's own array, not copied.

    Raises:
        ImageError: the source cannot be read; says what was found, the limit and what to do.

    Example:
        >>> read_image(np.full((2, 3), 0.5)).shape
        (2, 3, 3)
    """
    if isinstance(source, np.ndarray):
        return to_rgb_pixels(source)
    with needed_for("reading pictures"):
        import PIL.Image  # noqa: F401
    if isinstance(source, (str, os.PathLike)):
        return _from_place(os.fsdecode(source))
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_bytes(bytes(source), f"{type(source).__name__} object")
    if hasattr(source, "read"):
        return _from_file(source)
    if hasattr(source, "numpy") or hasattr(source, "__array__"):
        return _from_tensor(source)
    return _from_pillow(source)


def _from_place(place: str) -> np.ndarray:
    if place.lower().startswith(("http://", "https://")):
        return _from_bytes(*_fetch(place))
    return _from_path(place)


def _from_path(path: str) -> np.ndarray:
    name = f"{path!r:.300}"
    with _said_as_image_error(name):
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise ImageError(f"{name} is a folder: pass the pictures inside it")
        if stat.S_ISREG(status.st_mode) and not status.st_size:
            raise ImageError(_EMPTY.format(name))
        return _decode(path, name)


def _from_bytes(data: bytes, name: str) -> np.ndarray:
    if not data:
        raise ImageError(_EMPTY.format(name))
    with _said_as_image_error(name):
        return _decode(io.BytesIO(data), name)


def _from_file(file) -> np.ndarray:
    name = f"file object {getattr(file, 'name', None) or type(file).__name__!r}"
    with _said_as_image_error(name):
        data = file.read()
    if not isinstance(data, bytes):
        raise ImageError(
            f"{name} gave {type(data).__name__}, not bytes: open pictures with open(path, 'rb')"
        )
    if not data:
        raise ImageError(f"{name} has nothing left to read: call seek(0) before passing it")
    return _from_bytes(data, name)


def _from_tensor(tensor) -> np.ndarray:
    name = type(tensor).__qualname__
    with _said_as_image_error(name):
        array = np.asarray(tensor.numpy() if hasattr(tensor, "numpy") else tensor)
    return to_rgb_pixels(array, name)


def _from_pillow(image: object) -> np.ndarray:
    from PIL import Image

    if not isinstance(image, Image.Image):
        raise ImageError(
            f"{_what(image)} is not a picture: pass a path, a URL, bytes, "
            "a binary file object, a PIL image, an array or a tensor"
        )
    name = f"PIL image of mode {image.mode}"
    with _said_as_image_error(name):
        return _pixels(image, name)


def _what(thing: object) -> str:
    """What was given in place of a picture; what collections hold would be long."""
    if isinstance(thing, (list, tuple, dict, set)):
        return f"a {type(thing).__name__} of {len(thing)}, where one picture is taken,"
    return f"{thing!r:.80} ({type(thing).__name__})"


@contextmanager
def _said_as_image_error(name: str) -> Iterator[None]:
    """Turn whatever goes wrong inside into an ImageError about ``name``.

    Damaged files make Pillow's parsers raise almost anything: SyntaxError, struct.error,
    zlib.error, EOFError, IndexError, MemoryError, ...
    """
    try:
        yield
    except ImageError:
        raise
    except Exception as error:
        raise ImageError(_explain(name, error)) from error


def _explain(name: str, error: Exception) -> str:
    from PIL import UnidentifiedImageError

    if isinstance(error, (FileNotFoundError, NotADirectoryError)):
        return f"there is no file {name}: check its name and folder"
    if isinstance(error, PermissionError):
        return f"{name} may not be read ({error.strerror}): change its permissions"
    if isinstance(error, UnidentifiedImageError):
        return f"{name} is not a picture in a format that Pillow reads: save it as JPEG or PNG"
    reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return f"{name} cannot be read ({reason}): it may be damaged, save or download it again"


def _decode(file: str | io.BytesIO, name: str) -> np.ndarray:
    with _open(file, name) as image:
        return _pixels(image, name)


def _open(file: str | io.BytesIO, name: str) -> Image.Image:
    from PIL import Image

    try:
        with _no_warnings():
            return Image.open(file)
    except Image.DecompressionBombError as error:
        found = str(error).partition(" exceeds")[0]
        raise ImageError(_TOO_LARGE.format(name, found, MAX_PIXELS)) from error


@contextmanager
def _no_warnings() -> Iterator[None]:
    """Silence Pillow on 89 megapixels, where ``MAX_PIXELS`` decides, and on damaged metadata."""
    with _warning_filters, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _pixels(image: Image.Image, name: str) -> np.ndarray:
    _check_size(image.size, name)
    if image.format == "EPS":  # Pillow would run it, as a program, in Ghostscript
        raise ImageError(f"{name} is PostScript, which is not run: convert it to JPEG or PNG")
    image.load()
    orientation = _orientation(image)
    return np.asarray(_upright(_to_rgb(image, name), orientation))


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
    """Return the values of a picture of more than 8 bits; 16-bit ones scaled to 0..255."""
    values = np.asarray(image)
    # Older versions of Pillow opened 16-bit grey PNG and PGM files in their 32-bit mode.
    if image.mode.startswith("I;16") or (image.mode == "I" and image.format in ("PNG", "PPM")):
        return (values.astype(np.uint32) + 128) // 257
    return values


def _orientation(image: Image.Image) -> int:
    try:
        with _no_warnings():
            return image.getexif().get(_ORIENTATION_TAG, 1)
    except Exception:  # viewers, too, show a picture whose EXIF block is damaged
        return 1


def _upright(image: Image.Image, orientation: int) -> Image.Image:
    from PIL import Image

    if orientation not in _UPRIGHT:
        return image
    return image.transpose(Image.Transpose[_UPRIGHT[orientation]])


def _fetch(url: str) -> tuple[bytes, str]:
    """Return the body, and the name under which error messages speak of it."""
    if is_offline():
        raise ImageError(f"{url!r} is not fetched because ZOO_OFFLINE is set: unset it")
    with needed_for("fetching a picture"):
        import requests

    try:
        with requests.Session() as session:
            session.max_redirects = _MAX_REDIRECTS
            headers = {"Accept-Encoding": "identity"}
            with session.get(url, headers=headers, timeout=_TIMEOUTS, stream=True) as response:
                kind = response.headers.get("Content-Type", "unknown type")
                return _body(response, url), f"{url!r} (sent as {kind})"
    except (requests.RequestException, ValueError) as error:
        lost = isinstance(error, requests.ConnectionError)
        reason = "no connection" if lost else str(error)
        raise ImageError(f"{url!r} cannot be fetched ({reason}): check it in a browser") from error


def _body(response: requests.Response, url: str) -> bytes:
    if response.status_code != 200:
        raise ImageError(
            f"{url!r} answered with status {response.status_code}, not 200: check the address"
        )
    body = bytearray()
    for chunk in response.iter_content(2**16):
        body += chunk
        if len(body) > MAX_DOWNLOAD:
            raise ImageError(
                f"{url!r} is larger than {MAX_DOWNLOAD:,} bytes: download it and pass its path"
            )
    return bytes(body)
