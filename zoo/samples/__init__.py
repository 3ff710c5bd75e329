"""Sample images of the package, on which `zoo convert` measures quantised models."""

from importlib.resources import files

import numpy as np

from zoo.images.reading import read_image


def sample_images() -> list[np.ndarray]:
    """Return images of a person, a cat and a rocket: whole, mirrored, dark, bright, two parts.

    Returns:
        uint8 [height, width, 3] each, RGB.

    >>> len(sample_images()), sample_images()[0].shape
    (18, (256, 256, 3))
    """
    names = ("astronaut", "cat", "rocket")
    images = [read_image((files(__name__) / f"{name}.jpg").read_bytes()) for name in names]
    return [
        variant for variants in zip(*map(_variants, images), strict=True) for variant in variants
    ]


def _variants(image: np.ndarray) -> list[np.ndarray]:
    height, width = (length // 8 for length in image.shape[:2])
    variants = [
        image,
        image[:, ::-1],
        image[height : 5 * height, width : 5 * width],
        image[3 * height : 7 * height, 3 * width : 7 * width],
        image // 2,
        255 - (255 - image) // 2,
    ]
    return [np.ascontiguousarray(variant) for variant in variants]
