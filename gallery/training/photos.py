"""Photos of any folder, decoded once and kept on the training device."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from weights_cache.common.errors import ZooError
from zoo import ImageError, read_image

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}
# What photos that lie directly in a folder given have for a source.
NO_SOURCE = ""


class Photos(NamedTuple):
    """Decoded photos, each in the upper left corner of its square.

    ``pixels`` is uint8 ``[n, 3, side, side]``, ``sizes`` float32 ``[n, 2]`` (width, height),
    ``source`` int64 ``[n]``, an index among ``sources``, and ``person_free`` bool ``[n]``: true for
    photos that were given as free of people.
    """

    pixels: Tensor
    sizes: Tensor
    source: Tensor
    sources: list[str]
    person_free: Tensor


class Canvas(NamedTuple):
    """One decoded photo: uint8 ``[side, side, 3]``, its (width, height) therein, and its source.

    The source is the name of the folder that it lies in, directly below the folder given.
    """

    pixels: np.ndarray
    size: tuple[int, int]
    source: str = NO_SOURCE


def load_photos(people: Path, person_free: Path | None, device: torch.device, side: int) -> Photos:
    """Decode every JPEG, PNG and WebP file below the folders; name and skip the unreadable.

    Args:
        people: Folder of photos of people.
        person_free: Folder of photos without people, or None.
        device: Where the pixels are kept.
        side: Of the squares, in pixels: photos that are larger are shrunk.

    Raises:
        ZooError: A folder does not exist or has no readable photo.
    """
    canvases = _read_folder(people, side)
    of_people = len(canvases)
    if person_free is not None:
        canvases += _read_folder(person_free, side)
    sources = sorted({canvas.source for canvas in canvases})
    pixels = torch.from_numpy(np.stack([canvas.pixels for canvas in canvases]))
    sizes = torch.tensor([canvas.size for canvas in canvases], dtype=torch.float32)
    return Photos(
        pixels.to(device).permute(0, 3, 1, 2).contiguous(),
        sizes.to(device),
        torch.tensor([sources.index(canvas.source) for canvas in canvases]).to(device),
        sources,
        (torch.arange(len(canvases)) >= of_people).to(device),
    )


def find_photos(folder: Path) -> list[Path]:
    """Return the picture files below a folder, in the order of their names.

    Raises:
        ZooError: The folder does not exist or holds no such file.
    """
    if not folder.is_dir():
        raise ZooError(f"{str(folder)!r} is not a folder; give a folder of photos")
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    if not paths:
        raise ZooError(f"no {', '.join(sorted(SUFFIXES))} file in {str(folder)!r} or below it")
    return paths


def _read_folder(folder: Path, side: int) -> list[Canvas]:
    paths = find_photos(folder)
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(partial(_read_or_error, side=side), paths))
    canvases = [
        result._replace(source=_source(path, folder))
        for path, result in zip(paths, results, strict=True)
        if isinstance(result, Canvas)
    ]
    for result in results:
        if isinstance(result, ImageError):
            print(f"skipped: {result}")
    if not canvases:
        raise ZooError(f"none of the {len(paths)} pictures in {str(folder)!r} can be read")
    print(f"{folder}: {len(canvases)} photos, {len(paths) - len(canvases)} unreadable", flush=True)
    return canvases


def _source(path: Path, folder: Path) -> str:
    inner = path.relative_to(folder).parts
    return inner[0] if len(inner) > 1 else NO_SOURCE


def _read_or_error(path: Path, side: int) -> Canvas | ImageError:
    try:
        return read_photo(path, side)
    except ImageError as error:
        return error


def read_photo(path: Path, side: int) -> Canvas:
    """Read a photo upright, none of its sides longer than ``side`` pixels.

    Raises:
        ImageError: It cannot be read.
    """
    image = Image.fromarray(read_image(path))
    shrink = side / max(image.size)
    if shrink < 1:
        width, height = (max(1, round(length * shrink)) for length in image.size)
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    return Canvas(_pad(np.asarray(image), side), image.size)


def _pad(photo: np.ndarray, side: int) -> np.ndarray:
    """Put a photo on its square; its last row and column repeat once, black follows.

    Without the repetition bilinear sampling would mix black into the photo's rim.
    """
    height, width = photo.shape[:2]
    square = np.zeros((side, side, 3), np.uint8)
    square[:height, :width] = photo
    square[height : height + 1, :width] = photo[-1]
    square[:height, width : width + 1] = photo[:, -1:]
    return square
