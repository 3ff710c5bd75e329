"""Errors for images that cannot be read, with the next step."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from traceback import walk_tb

from weights_cache.common.similar_names import close_names
from weights_cache.interruptions import is_interruption
from zoo.images.pixels import ImageError

EMPTY = "{} is empty (0 bytes): the copy or download that made it failed, repeat it"

VIDEO_ADVICE = (
    "run `zoo watch VIDEO --task TASK`, or in Python zoo.watch(VIDEO, TASK); zoo.frames(VIDEO) "
    "gives its frames as images"
)
_CAMERA_ADVICE = (
    "for a camera run `zoo watch 0 --task TASK`, or in Python zoo.watch(0, TASK); of OpenCV's "
    "frames pass zoo.read_image(frame, order='bgr')"
)

_CAMERAS = ("webcam", "camera", "cam")
_VIDEO_NAME = r"(?i)\.(mp4|m4v|mov|avi|webm|mkv|wmv|flv|mpe?g|3gp)\b"
#: First bytes of MP4 and QuickTime (whose relatives HEIC and AVIF are images), Matroska and WebM,
#: AVI, and MPEG.
_VIDEO_HEAD = rb"(?s).{4}ftyp(iso|mp4|avc|qt|M4V|3g|dash)|\x1a\x45\xdf\xa3|RIFF.{4}AVI |\0\0\1\xba"

_MOST_NAMES = 2000  # of a folder that are compared with a missing name
_MOST_WORDS = 300  # characters of an error of a reader, which may quote bytes of the file


def missing_file(path: str) -> ImageError:
    """Return the error for a missing path, with the name of a similar file beside it.

    >>> str(missing_file("/no.jpg"))
    "there is no file '/no.jpg': check the name and the folder"
    """
    where = "" if os.path.isabs(path) else _in_current_folder()
    what = "folder" if path.endswith(("/", os.sep)) else "file"
    return ImageError(f"there is no {what} {path!r:.300}{where}: {_advice_on_missing(path)}")


def _in_current_folder() -> str:
    try:
        return f" in {os.getcwd()}"
    except OSError as error:  # the folder was removed
        if is_interruption(error):
            raise
        return ""


def _advice_on_missing(path: str) -> str:
    if path.isdecimal() or path.lower() in _CAMERAS:
        return _CAMERA_ADVICE
    if is_pattern(path):
        return f"of files that match a pattern pass the list, sorted(glob.glob({path!r:.300}))"
    similar = _similar_file(path)
    return f"did you mean {similar!r}?" if similar else "check the name and the folder"


def is_pattern(path: str) -> bool:
    """Whether a path has a wildcard character.

    >>> is_pattern("images/*.jpg"), is_pattern("images")
    (True, False)
    """
    return not {"*", "?", "["}.isdisjoint(path)


def _similar_file(path: str) -> str | None:
    """Return a file in the folder of a path with a similar name, or None."""
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or os.curdir) as entries:
            names = {entry.name.lower(): entry.name for entry in islice(entries, _MOST_NAMES)}
    except (OSError, ValueError) as error:
        if is_interruption(error):
            raise
        return None
    close = close_names(name.lower(), names)
    return os.path.join(folder, names[close[0]]) if close else None


def folder_given(name: str) -> ImageError:
    """Return the error for a folder in place of an image."""
    return ImageError(
        f"{name} is a folder: pass the images in it as a list, sorted(Path({name}).glob('*.jpg'))"
    )


def not_an_image(name: str, head: bytes) -> ImageError:
    """Return the error for a file that Pillow does not recognise.

    Args:
        name: name of the file in messages.
        head: first bytes of the file.
    """
    if is_video(name, head):
        return ImageError(f"{name} is a video, not an image: {VIDEO_ADVICE}")
    return ImageError(
        f"{name} is not an image in a format that Pillow reads: save it as JPEG or PNG"
    )


def is_video(name: str, head: bytes) -> bool:
    """Whether a file is a video, by its name or its first bytes.

    >>> is_video("'film.mov'", b""), is_video("bytes object", b"....ftypisom....")
    (True, True)
    """
    return bool(re.search(_VIDEO_NAME, name) or re.match(_VIDEO_HEAD, head))


@contextmanager
def convert_reader_errors(name: str) -> Iterator[None]:
    """Turn exceptions in the block into an ImageError about ``name``.

    Damaged files make Pillow's parsers raise many exceptions: SyntaxError, struct.error,
    zlib.error, EOFError, IndexError, MemoryError, ... Interruptions from outside, such as the
    exception of a signal handler that limits time, are raised unchanged.
    """
    try:
        yield
    except ImageError:
        raise
    except Exception as error:
        if is_interruption(error):
            raise
        raise _as_image_error(error, name) from _worth_showing(error, name)


@contextmanager
def convert_errors(name: str) -> Iterator[None]:
    """Turn exceptions of a caller's object into an ImageError, like `convert_reader_errors`.

    Only time limits of signal handlers and other threads are raised unchanged.
    """
    try:
        yield
    except ImageError:
        raise
    except Exception as error:
        if re.search(_TIME_OUT, type(error).__name__) or _raised_by_signal_handler(error):
            raise
        raise _as_image_error(error, name) from error


#: Names such as TimeoutError, stopit's TimeoutException and Celery's SoftTimeLimitExceeded.
_TIME_OUT = r"(?i)time_?(out|limit)"


def _raised_by_signal_handler(error: Exception) -> bool:
    handlers = [signal.getsignal(number) for number in signal.valid_signals()]
    codes = {getattr(handler, "__code__", None) for handler in handlers} - {None}
    return any(frame.f_code in codes for frame, _ in walk_tb(error.__traceback__))


def _as_image_error(error: Exception, name: str) -> ImageError:
    if isinstance(error, PermissionError):
        advice = "change its permissions"
        return ImageError(f"{name} may not be read ({error.strerror}): {advice}")
    if isinstance(error, MemoryError):
        return ImageError(f"{name} does not fit into the memory that is free: make it smaller")
    if re.search(_VIDEO_NAME, name):
        return not_an_image(name, b"")
    reason = getattr(error, "strerror", None) or _words(error) or type(error).__name__
    return ImageError(
        f"{name} cannot be read ({reason}): it may be damaged, save or download it again"
    )


def _words(error: Exception) -> str:
    try:
        return str(error).strip()[:_MOST_WORDS]
    except Exception:  # an object that raises on purpose
        return ""


def _worth_showing(error: Exception, name: str) -> Exception | None:
    """Return the cause to show behind an ImageError; None if the message is sufficient."""
    is_clear = isinstance(error, (PermissionError, MemoryError)) or re.search(_VIDEO_NAME, name)
    return None if is_clear else error
