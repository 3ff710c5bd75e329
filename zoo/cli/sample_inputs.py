"""Sample images for `zoo convert`, which measures what quantised weights do to the outputs."""

from collections.abc import Sequence

import numpy as np

from zoo.cli.image_sources import images_of
from zoo.images.reading import read_image

#: More images than these are not read: so many are chosen evenly.
_MOST_IMAGES = 64


def read_samples(paths: Sequence[str]) -> list[np.ndarray]:
    """Images of files and folders; of many, 64 that are evenly chosen.

    Args:
        paths: files, and folders, of which the files with an image's ending count.

    Returns:
        uint8 [height, width, 3] each, RGB.

    Raises:
        ImageError: an image cannot be read.
        ZooError: a folder holds none.
    """
    files = [file for path in paths for file in images_of(path, recursive=False)]
    if len(files) > _MOST_IMAGES:
        files = [files[i * len(files) // _MOST_IMAGES] for i in range(_MOST_IMAGES)]
    return [read_image(file) for file in files]
