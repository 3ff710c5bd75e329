"""Where commands draw to, and how a drawing is written."""

import os
import sys
from collections import Counter
from typing import Any

from weights_cache.errors import ZooError

DRAWING_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".tif", ".tiff", ".gif")


def drawing_paths(photos: list[str], target: str | None, task: str) -> list[str | None]:
    """The file to draw each photo to: the one given, or in a folder one named after the photo."""
    if target is None:
        return [None] * len(photos)
    if len(photos) == 1 and not os.path.isdir(target) and not target.endswith(("/", os.sep)):
        paths = [_drawing_file(target)]
    else:
        paths = _files_in(target, photos, task)
    for photo, path in zip(photos, paths, strict=True):
        if os.path.exists(photo) and os.path.exists(path) and os.path.samefile(photo, path):
            raise ZooError(f"the drawing would replace the photo {photo!r}: give another name")
    return [*paths]


def _drawing_file(path: str) -> str:
    if not path.lower().endswith(DRAWING_ENDINGS):
        raise ZooError(
            f"cannot draw to {path!r}: its name must end in one of {', '.join(DRAWING_ENDINGS)}"
        )
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise ZooError(f"cannot draw to {path!r}: there is no folder {folder!r}, make it first")
    return path


def _files_in(folder: str, photos: list[str], task: str) -> list[str]:
    """A file for each photo; photos of one name are numbered."""
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        reason = error.strerror
        raise ZooError(f"cannot draw into {folder!r}: {reason}; give another folder") from error
    paths, seen = [], Counter[str]()
    for photo in photos:
        stem = os.path.splitext(os.path.basename(photo.rstrip("/")))[0]
        seen[stem] += 1
        number = f"-{seen[stem]}" if seen[stem] > 1 else ""
        paths.append(os.path.join(folder, f"{stem}-{task}{number}.png"))
    return paths


def save_drawing(picture: Any, path: str) -> None:
    """Write a picture under another name first, so that no half of one is left behind."""
    target = os.path.realpath(path)  # a link stays a link
    ending = os.path.splitext(path)[1]
    unfinished = os.path.join(os.path.dirname(target), f".drawing-{os.getpid()}{ending}")
    try:
        picture.save(unfinished)
        os.replace(unfinished, target)
    except (OSError, ValueError) as error:
        if os.path.exists(unfinished):
            os.remove(unfinished)
        reason = getattr(error, "strerror", None) or error
        raise ZooError(f"cannot draw to {path!r}: {reason}; give another file") from error
    print(f"drawn: {path}", file=sys.stderr)
