"""Perceptual hashes: numbers that stay nearly equal when an image is resized or compressed."""

import numpy as np

from zoo.images.errors import ImageError

BITS = 128
WORDS = BITS // 64

_SIDE = 32  # pixels of the small grey image
_SAMPLED = 256  # rows and columns that are read, at least
_GREY = np.array([0.299, 0.587, 0.114])  # of red, green and blue (ITU-R BT.601)
_FLAT = 0.5  # coefficients of less are rounding errors; one grey level of one pixel gives up to 1


def _lowest_frequencies() -> np.ndarray:
    """Return rows and columns of the 128 lowest coefficients but that of the mean, [2, 128]."""
    rows, columns = np.indices((_SIDE, _SIDE)).reshape(2, -1)
    order = np.lexsort((rows, rows + columns, np.maximum(rows, columns)))
    return np.stack([rows, columns])[:, order[1 : BITS + 1]]


_ROWS, _COLUMNS = _lowest_frequencies()
_COSINES = np.cos(np.pi / _SIDE * np.arange(_SIDE)[:, None] * (np.arange(_SIDE) + 0.5))

#: Coefficients whose sign turns when an image is mirrored, booleans [128].
IS_ODD = _COLUMNS % 2 == 1


def image_hash(pixels: np.ndarray) -> np.ndarray:
    """Return a perceptual hash: signs of the lowest frequencies of a small grey image.

    After C. Zauner, "Implementation and Benchmarking of Perceptual Image Hash Functions" (2010),
    with 128 bits, and compared with 0 instead of the median, so that a mirrored image has the same
    bits but for `IS_ODD`.

    Args:
        pixels: uint8 [height, width, 3], RGB.

    Returns:
        uint64 [2].

    Raises:
        ImageError: the pixels have another shape or type.

    >>> pixels = np.random.default_rng(0).integers(0, 256, (64, 96, 3), np.uint8)
    >>> image_hash(pixels).shape, hash_distance(image_hash(pixels), image_hash(pixels[:, ::-1]))
    ((2,), 0)
    """
    if pixels.ndim != 3 or pixels.shape[2] != 3 or pixels.dtype != np.uint8 or not pixels.size:
        raise ImageError(
            f"pixels of shape {pixels.shape} and type {pixels.dtype} have no hash: give uint8 "
            "[height, width, 3]"
        )
    height, width = pixels.shape[:2]
    grey = pixels[:: max(1, height // _SAMPLED), :: max(1, width // _SAMPLED)] @ _GREY
    small = _shrunk(_shrunk(grey).T).T
    found = (_COSINES @ small @ _COSINES.T)[_ROWS, _COLUMNS]
    return np.packbits(found > _FLAT).view(np.uint64)


def _shrunk(grey: np.ndarray) -> np.ndarray:
    """Return the means of 32 parts of the rows of an image, [height, width] -> [32, width]."""
    grey = np.repeat(grey, -(-_SIDE // len(grey)), axis=0) if len(grey) < _SIDE else grey
    starts = np.arange(_SIDE) * len(grey) // _SIDE
    sizes = np.diff(starts, append=len(grey))
    return np.add.reduceat(grey, starts, axis=0) / sizes[:, np.newaxis]


def signs_of(hashes: np.ndarray) -> np.ndarray:
    """Return the bits of hashes as 1 and -1: uint64 [n, 2] -> float32 [n, 128]."""
    octets = np.ascontiguousarray(hashes, np.uint64).view(np.uint8)
    return np.unpackbits(octets, axis=-1).astype(np.float32) * 2 - 1


def hash_distances(signs: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Return numbers of differing bits, also from mirrored images: the smaller one.

    Args:
        signs: float32 [n, 128], of `signs_of`.
        others: float32 [m, 128].

    Returns:
        float32 [n, m], 0..128.
    """
    agreement = signs[:, IS_ODD] @ others[:, IS_ODD].T
    np.abs(agreement, out=agreement)
    agreement += signs[:, ~IS_ODD] @ others[:, ~IS_ODD].T
    agreement -= BITS
    agreement *= -0.5
    return agreement


def hash_distance(one: np.ndarray, other: np.ndarray) -> int:
    """Return the number of bits in which two hashes differ, 0..128; see `hash_distances`."""
    return int(hash_distances(signs_of(one[np.newaxis]), signs_of(other[np.newaxis]))[0, 0])
