"""Files on this computer, and at URLs that the package fsspec reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from weights_cache.common.dependencies import needed_for
from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from weights_cache.regular_files import open_regular
from weights_cache.shown_urls import shown_url
from zoo.images.errors import missing_file
from zoo.images.fetching import read_url
from zoo.images.pixels import ImageError
from zoo.images.urls import path_of_file_url, scheme_of

#: Most bytes of one encoded image; `zoo.images.urls` has a lower limit for http.
MOST_BYTES = 256 * 2**20

_OWN_SCHEMES = ("http", "https", "data")  # of images that `read_url` fetches


def is_remote(location: str) -> bool:
    """Whether a location is a URL, other than of a file of this computer.

    >>> is_remote("s3://bucket/a.jpg"), is_remote("file:///a.jpg"), is_remote("a.jpg")
    (True, False, False)
    """
    return scheme_of(location) not in (None, "file")


def local_path(location: str) -> str:
    """The path of a location that is not remote."""
    return path_of_file_url(location) if scheme_of(location) == "file" else location


def file_system(url: str) -> tuple[Any, str]:
    """Return the file system of fsspec for a URL, and the path in it.

    Raises:
        ZooError: fsspec is missing, or does not know the scheme.
    """
    with needed_for(f"reading {shown_url(url)!r:.200}"):
        import fsspec
    try:
        return fsspec.core.url_to_fs(url)
    except Exception as error:  # of any package that fsspec imports
        raise ZooError(
            f"{shown_url(url)!r:.300} cannot be opened: {shown_url(str(error)):.300}; check the "
            "URL, and install the package of its storage, such as s3fs"
        ) from error


@contextmanager
def opened(location: str) -> Iterator[BinaryIO]:
    """Open a table or an archive, of which any part can be read.

    Raises:
        ZooError: it cannot be opened, or a read in the block fails.
    """
    with as_zoo_error(location), _file(location) as file:
        yield file


@contextmanager
def as_zoo_error(location: str) -> Iterator[None]:
    """Turn an error of a storage inside the block into a ZooError that names the location."""
    try:
        yield
    except ZooError:
        raise
    except FileNotFoundError as error:
        if is_remote(location):
            raise _unreadable(location, "there is no such file") from error
        raise missing_file(local_path(location)) from None
    except Exception as error:
        if not is_remote(location):  # errors of a storage are of any package
            pass_interruption(error)
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        raise _unreadable(location, reason) from error


def _unreadable(location: str, reason: str) -> ImageError:
    return ImageError(
        f"{shown_url(location)!r:.300} cannot be read: {shown_url(reason):.300}; check the name "
        "and the permissions"
    )


def _file(location: str) -> Any:
    if not is_remote(location):
        return open_regular(local_path(location))  # a pipe would be waited for
    system, path = file_system(location)
    return system.open(path, "rb")


def read_bytes(location: str, name: str) -> bytes:
    """Return the bytes of an encoded image.

    Args:
        location: path or URL.
        name: of the image in errors.

    Raises:
        ImageError: it cannot be read, is a folder, or too large.
    """
    if scheme_of(location) in _OWN_SCHEMES:
        return read_url(location)[0]
    with as_zoo_error(location), _file(location) as file:
        data: bytes = file.read(MOST_BYTES + 1)
    check_bytes(len(data), name)
    return data


def read_range(location: str, start: int, size: int) -> bytes:
    """Return some bytes of a file.

    Raises:
        ImageError: they cannot be read, or the file ends before.
    """
    with as_zoo_error(location):
        if is_remote(location):
            system, path = file_system(location)
            data: bytes = system.cat_file(path, start=start, end=start + size)
        else:
            with open_regular(local_path(location), buffering=0) as file:
                file.seek(start)
                data = file.read(size)
    if len(data) < size:
        raise ImageError(
            f"{shown_url(location)!r:.300} ends before byte {start + size}: it became shorter "
            "after its images were listed"
        )
    return data


def check_bytes(size: int, name: str) -> None:
    """Raise for an image of no bytes, or of too many.

    Raises:
        ImageError: it is.
    """
    if size > MOST_BYTES:
        raise ImageError(f"{name} has more than {MOST_BYTES:,} bytes: make it smaller")
    if not size:
        raise ImageError(f"{name} is empty (0 bytes): the copy or download that made it failed")
