"""Sources of images for commands: files, folders, patterns, URLs, and standard input."""

import os
import sys
from typing import Any

from weights_cache.common.errors import ZooError
from zoo.cli.terminal import complain
from zoo.images.finding import Endings, files_in, is_glob, matching_files
from zoo.images.pixels import ImageError
from zoo.images.reading import read_first_frame
from zoo.images.urls import MAX_DOWNLOAD

STDIN = "-"


def is_several(sources: list[str]) -> bool:
    """Whether sources may stand for several images, however many there are today.

    >>> is_several(["a.jpg"]), is_several(["a.jpg", "b.jpg"]), is_several(["images/*.jpg"])
    (False, True, True)
    """
    return len(sources) > 1 or any(os.path.isdir(s) or is_glob(s) for s in sources)


def find_images(sources: list[str], *, recursive: bool) -> tuple[list[str], int]:
    """The images that sources stand for, each once, and how many sources stand for none.

    Folders and patterns give the files with an image's ending, sorted by name, without hidden
    ones; others are counted on stderr. What else is given is an image, whatever it is called.

    Args:
        sources: as typed.
        recursive: also the folders in folders.
    """
    images: dict[str, None] = {}
    failed = 0
    for source in dict.fromkeys(sources):
        try:
            images |= dict.fromkeys(images_of(source, recursive))
        except ZooError as error:
            complain(error)
            failed += 1
    return list(images), failed


def images_of(source: str, recursive: bool) -> list[str]:
    """The images that one source stands for; see `find_images`.

    Raises:
        ZooError: a folder or a pattern has none.
    """
    if os.path.isdir(source):
        files = files_in(source, recursive)
        advice = "give another folder"
        advice += "" if recursive else ", or --recursive to look into the folders in it, too"
    elif is_glob(source):
        files = matching_files(source)
        advice = "check the pattern; files named one by one are read whatever they end in"
    else:
        return [source]
    endings = Endings()
    images = sorted(endings.taken(files))
    others = endings.left_out
    if not images:
        raise ZooError(
            f"there are no images in {source!r}{others and f', only {others}'}: {advice}"
        )
    if others:
        complain(f"{source}: skipped {others}")
    return images


def read_source(image: str) -> tuple[Any, int]:
    """The pixels of an image that `find_images` gave, and how many frames its file has.

    Raises:
        ImageError: it cannot be read.
    """
    if image == STDIN:
        return read_first_frame(_read_stdin(), "the image on standard input")
    return read_first_frame(image)


def _read_stdin() -> bytes:
    if sys.stdin is None or sys.stdin.isatty():
        raise ImageError("- reads an image from standard input: add '< image.jpg', or pipe one in")
    data = sys.stdin.buffer.read(MAX_DOWNLOAD + 1)
    if len(data) > MAX_DOWNLOAD:
        raise ImageError(
            f"the image on standard input is larger than {MAX_DOWNLOAD:,} bytes: save it as a file "
            "and give its path"
        )
    return data
