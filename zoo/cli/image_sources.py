"""Sources of images for commands: files, folders, patterns, URLs, and standard input."""

import os
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from weights_cache.errors import ZooError
from zoo.cli.terminal import complain

STDIN = "-"


def is_several(sources: list[str]) -> bool:
    """Whether sources may stand for several images, however many there are today.

    >>> is_several(["a.jpg"]), is_several(["a.jpg", "b.jpg"]), is_several(["images/*.jpg"])
    (False, True, True)
    """
    return len(sources) > 1 or any(os.path.isdir(s) or _is_pattern(s) for s in sources)


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
        files = _files_in(source, recursive)
        advice = "give another folder"
        advice += "" if recursive else ", or --recursive to look into the folders in it, too"
    elif _is_pattern(source):
        files = _matching_files(source)
        advice = "check the pattern; files named one by one are read whatever they end in"
    else:
        return [source]
    images, others = _by_ending(files)
    if not images:
        raise ZooError(
            f"there are no images in {source!r}{others and f', only {others}'}: {advice}"
        )
    if others:
        complain(f"{source}: skipped {others}")
    return images


def _is_pattern(source: str) -> bool:
    """Return whether a source with ``*?[`` is neither a file nor a URL."""
    from zoo.images.errors import is_pattern
    from zoo.images.urls import scheme_of

    return is_pattern(source) and not (os.path.exists(source) or scheme_of(source))


def _matching_files(pattern: str) -> Iterator[str]:
    from glob import iglob

    return filter(os.path.isfile, iglob(pattern, recursive=True))


def _files_in(folder: str, recursive: bool) -> Iterator[str]:
    """Files that are not hidden; a folder that cannot be listed is an error."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        reason = error.strerror
        raise ZooError(
            f"the folder {folder!r} cannot be listed ({reason}): change its permissions"
        ) from None
    for name in names:
        path = os.path.join(folder, name)
        if name.startswith("."):
            continue
        if os.path.isfile(path):
            yield path
        elif recursive and os.path.isdir(path) and not os.path.islink(path):
            yield from _files_in(path, recursive)


def _by_ending(paths: Iterable[str]) -> tuple[list[str], str]:
    """Return the images, sorted, and a text about the other files and their extensions."""
    from zoo.images.files import image_endings

    endings = image_endings()
    images, others = [], Counter[str]()
    for path in sorted(paths):
        ending = os.path.splitext(path)[1].lower()
        if ending in endings:
            images.append(path)
        else:
            others[ending or "no ending"] += 1
    kinds = ", ".join(kind for kind, _ in others.most_common(5))
    count = others.total()
    return images, f"{count} other file{'s' * (count > 1)} ({kinds})" if others else ""


def read_source(image: str) -> tuple[Any, int]:
    """The pixels of an image that `find_images` gave, and how many frames its file has.

    Raises:
        ImageError: it cannot be read.
    """
    from zoo.images.reading import read_first_frame

    if image == STDIN:
        return read_first_frame(_read_stdin(), "the image on standard input")
    return read_first_frame(image)


def _read_stdin() -> bytes:
    from zoo.images.pixels import ImageError
    from zoo.images.urls import MAX_DOWNLOAD

    if sys.stdin is None or sys.stdin.isatty():
        raise ImageError("- reads an image from standard input: add '< image.jpg', or pipe one in")
    data = sys.stdin.buffer.read(MAX_DOWNLOAD + 1)
    if len(data) > MAX_DOWNLOAD:
        raise ImageError(
            f"the image on standard input is larger than {MAX_DOWNLOAD:,} bytes: save it as a file "
            "and give its path"
        )
    return data
