"""Paths and formats of the drawings that commands write."""

import io
import os
from collections import Counter
from pathlib import Path
from typing import Any

from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption
from weights_cache.shown_urls import shown_url
from zoo.cli.terminal import say_written
from zoo.images.urls import scheme_of

DRAWING_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif")


def drawing_paths(
    images: list[str], target: str | None, task: str, *, several: bool = False
) -> list[str | None]:
    """The file to draw each image to: the one given, or in a folder one named after the image.

    Args:
        images: paths, URLs, or ``"-"``.
        target: file or folder; None: nothing is drawn.
        task: the command, for the names of the drawings.
        several: whether a folder is needed, also for a single image.
    """
    if target is None:
        return [None] * len(images)
    several = several or len(images) > 1
    if not several and not _is_folder(target):
        paths = [_drawing_file(target)]
    else:
        paths = _files_in(target, images, task)
    for image, path in zip(images, paths, strict=True):
        if os.path.exists(image) and os.path.exists(path) and os.path.samefile(image, path):
            raise ZooError(f"the drawing would replace the image {image!r}: give another name")
    return [*paths]


def _is_folder(target: str) -> bool:
    return target.endswith(("/", os.sep)) or os.path.isdir(target)


def _drawing_file(path: str) -> str:
    if not path.lower().endswith(DRAWING_ENDINGS):
        raise ZooError(
            f"cannot draw to {path!r}: its name must end in one of {', '.join(DRAWING_ENDINGS)}"
        )
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ZooError(f"cannot draw to {path!r}: there is no folder {folder!r}, make it first")
    return path


def _files_in(folder: str, images: list[str], task: str) -> list[str]:
    """A file for each image; images of one name are numbered."""
    _make_folder(folder)
    paths, seen = [], Counter[str]()
    for image in images:
        stem = _stem(image)
        seen[stem] += 1
        number = f"-{seen[stem]}" if seen[stem] > 1 else ""
        paths.append(os.path.join(folder, f"{stem}-{task}{number}.png"))
    return paths


def _make_folder(folder: str) -> None:
    """Make a folder, unless the name is that of a file, or meant as one."""
    named_as_file = folder.lower().endswith(DRAWING_ENDINGS) and not os.path.isdir(folder)
    if os.path.isfile(folder) or named_as_file:
        raise ZooError(
            f"cannot draw several images to the file {folder!r}: give the name of a folder, such "
            "as 'drawings'"
        )
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        pass_interruption(error)
        reason = error.strerror
        raise ZooError(f"cannot draw into {folder!r}: {reason}; give another folder") from error


def _stem(image: str) -> str:
    """Return the stem of the name of an image's drawing."""
    if image == "-":
        return "stdin"
    if image.startswith("data:"):
        return "data"
    if scheme_of(image):  # what follows a ? may be a password
        image = shown_url(image).partition("?")[0].replace("***@", "")
    return os.path.splitext(os.path.basename(image.rstrip("/")))[0]


def save_drawing(image: Any, path: str) -> None:
    """Write a drawing, whole or not at all, and say so on stderr.

    Args:
        image: an image of Pillow.
        path: its ending says the format. A link stays a link.
    """
    from weights_cache.atomic_files import replacing  # not needed where nothing is drawn

    target = Path(os.path.realpath(path))
    existed = os.path.exists(target)
    try:
        data = _Encoded(path)
        image.save(data)
        with replacing(target) as stream:
            stream.write(data.getbuffer())
    except (OSError, ValueError) as error:
        pass_interruption(error)
        reason = getattr(error, "strerror", None) or error
        raise ZooError(f"cannot draw to {path!r}: {reason}; give another file") from error
    say_written(path, "drawn", " (an existing file was replaced)" if existed else "")


class _Encoded(io.BytesIO):
    """A file in memory, from whose name Pillow infers the format."""

    def __init__(self, name: str):
        super().__init__()
        self.name = name
