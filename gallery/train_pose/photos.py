"""Photos of any folder, decoded once and kept on the training device."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from weights_cache.errors import ZooError
from zoo import ImageError, read_image

SUFFIXES = {".jpg", ".jpeg", ".png", ".webp"}
# Photos are kept in squares of this side: about the size at which a student sees them (193 to 321
# pixels), and 12,000 of them fit in 2.4 GB.
CANVAS = 256


class Photos(NamedTuple):
    """Decoded photos, each in the upper left corner of its square.

    ``pixels`` is uint8 ``[n, 3, 256, 256]``, ``sizes`` float32 ``[n, 2]`` (width, height), and
    ``of_people`` bool ``[n]``: false for photos that were given as backgrounds.
    """

    pixels: Tensor
    sizes: Tensor
    of_people: Tensor


class Canvas(NamedTuple):
    """One decoded photo: uint8 ``[256, 256, 3]`` and its (width, height) therein."""

    pixels: np.ndarray
    size: tuple[int, int]


def load_photos(people: Path, backgrounds: Path | None, device: torch.device) -> Photos:
    """Decode every JPEG, PNG and WebP file below the folders; name and skip the unreadable.

    Args:
        people: Folder of photos of people.
        backgrounds: Folder of photos without people, or None.
        device: Where the pixels are kept.

    Raises:
        ZooError: A folder does not exist or has no readable photo.
    """
    canvases = _read_folder(people)
    of_people = len(canvases)
    if backgrounds is not None:
        canvases += _read_folder(backgrounds)
    pixels = torch.from_numpy(np.stack([canvas.pixels for canvas in canvases]))
    sizes = torch.tensor([canvas.size for canvas in canvases], dtype=torch.float32)
    return Photos(
        pixels.to(device).permute(0, 3, 1, 2).contiguous(),
        sizes.to(device),
        (torch.arange(len(canvases)) < of_people).to(device),
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


def _read_folder(folder: Path) -> list[Canvas]:
    paths = find_photos(folder)
    with ThreadPoolExecutor() as pool:
        results = list(pool.map(_read_or_error, paths))
    canvases = [result for result in results if isinstance(result, Canvas)]
    for result in results:
        if isinstance(result, ImageError):
            print(f"skipped: {result}")
    if not canvases:
        raise ZooError(f"none of the {len(paths)} pictures in {str(folder)!r} can be read")
    print(f"{folder}: {len(canvases)} photos, {len(paths) - len(canvases)} unreadable", flush=True)
    return canvases


def _read_or_error(path: Path) -> Canvas | ImageError:
    try:
        return read_photo(path)
    except ImageError as error:
        return error


def read_photo(path: Path) -> Canvas:
    """Read a photo upright, no side longer than 256 pixels.

    Raises:
        ImageError: It cannot be read.
    """
    image = Image.fromarray(read_image(path))
    shrink = CANVAS / max(image.size)
    if shrink < 1:
        width, height = (max(1, round(side * shrink)) for side in image.size)
        image = image.resize((width, height), Image.Resampling.LANCZOS)
    return Canvas(_pad(np.asarray(image)), image.size)


def _pad(photo: np.ndarray) -> np.ndarray:
    """Put a photo on its square; its last row and column repeat once, black follows.

    Without the repetition bilinear sampling would mix black into the photo's rim.
    """
    height, width = photo.shape[:2]
    square = np.zeros((CANVAS, CANVAS, 3), np.uint8)
    square[:height, :width] = photo
    square[height : height + 1, :width] = photo[-1]
    square[:height, width : width + 1] = photo[:, -1:]
    return square
