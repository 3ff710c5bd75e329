"""From the cells of a network's output to the pixels of an image, smoothly and in little memory.

Logits or probabilities are interpolated between cells before any decision: edges then run between
cells, where a decision first would give stairs. A large image is processed in strips, so that no
array of the size of the image is made for each class.
"""

from collections.abc import Iterator
from functools import reduce
from typing import NamedTuple

import numpy as np

import core.backends.cpu.image_kernels as image_kernels
from zoo.images.pillow import import_pillow
from zoo.shared.logistic import sigmoid
from zoo.shared.placement import Placement

STRIP = 2**20  # pixels that are worked on at once


class Cells(NamedTuple):
    """Meaning of the cells of a network's outputs."""

    stride: int = 1  # pixels of the input from cell to cell
    log_odds: bool = True  # of a person; or else its probability


class Enlargement(NamedTuple):
    """Map from the pixels of an image, or of some of its rows, to the cells of an output.

    Cell i is the stretch from i to i + 1 of these coordinates.
    """

    window: tuple[float, float, float, float]  # left, top, right, bottom of the image, in cells
    size: tuple[int, int]  # height and width of the image

    @classmethod
    def of(cls, image: tuple[int, int], placement: Placement, stride: int = 1) -> "Enlargement":
        """Return the map of a whole upright image of (height, width).

        Cell i is at pixel ``i * stride`` of the input.

        >>> Enlargement.of((10, 20), Placement.of_scale(25.6, 51.2, 0, 0)).window
        (0.0, 0.0, 512.0, 512.0)
        """
        # Of pixels and cells alike the middle is at one half.
        left, right = ((x - placement.c) / placement.a for x in (0, image[1]))
        top, bottom = ((y - placement.f) / placement.e for y in (0, image[0]))
        edges = ((n - 0.5) / stride + 0.5 for n in (left, top, right, bottom))
        left, top, right, bottom = edges
        return cls((left, top, right, bottom), image)

    def strips(self) -> Iterator[tuple[slice, "Enlargement"]]:
        """Yield maps of some rows of the image at a time."""
        (left, top, right, bottom), (height, width) = self
        step = max(1, STRIP // width)
        for start in range(0, height, step):
            stop = min(start + step, height)
            low, high = (top + (bottom - top) * n / height for n in (start, stop))
            yield slice(start, stop), Enlargement((left, low, right, high), (stop - start, width))

    def values(self, field: np.ndarray) -> np.ndarray:
        """Return the values of all pixels, float32 [height, width], from a field [rows, columns].

        Values are bilinear between cells, and those of the nearest cell at the border.
        """
        pillow = import_pillow("resizing masks")
        image = pillow.fromarray(np.ascontiguousarray(field, np.float32))
        size, bilinear = self.size[::-1], pillow.Resampling.BILINEAR
        return np.asarray(image.resize(size, bilinear, self._inside(field.shape)))

    def _inside(self, cells: tuple[int, ...]) -> tuple[float, float, float, float]:
        """Return the part of the window that lies in a field of some rows and columns."""
        rows, columns, *_ = cells
        limits = columns, rows, columns, rows
        left, top, right, bottom = (
            min(max(n, 0.0), float(limit)) for n, limit in zip(self.window, limits, strict=True)
        )
        return left, top, right, bottom

    def taps(self, cells: tuple[int, ...]) -> "tuple[list[image_kernels.Taps], image_kernels.Taps]":
        """Return of which cells the lines of each strip are mixed, and of which the columns.

        Args:
            cells: the shape of the fields, rows and columns first.
        """
        lines = []
        for _, strip in self.strips():
            _, top, _, bottom = strip._inside(cells)
            lines.append(image_kernels.bilinear_taps(cells[0], top, bottom, strip.size[0]))
        left, _, right, _ = self._inside(cells)
        return lines, image_kernels.bilinear_taps(cells[1], left, right, self.size[1])

    def cells(self, fields: np.ndarray) -> np.ndarray:
        """Return the rows [rows, columns, ...] of fields from which these pixels are mixed."""
        _, top, _, bottom = self.window
        first = min(max(int(top - 0.5), 0), len(fields) - 2)
        return fields[first : max(int(np.ceil(bottom + 0.5)), first + 2)]

    @property
    def enlarges(self) -> bool:
        """True if each pixel is a mix of four cells, as pixels are not larger than cells."""
        left, top, right, bottom = self.window
        return bottom - top <= self.size[0] and right - left <= self.size[1]


def reaching(
    field: np.ndarray, enlargement: Enlargement, limit: float, share: str = ""
) -> tuple[np.ndarray, np.ndarray]:
    """Return where a field is at least a limit, uint8 [height, width] of 0 and 1.

    Args:
        field: [rows, columns].
        enlargement: the map to pixels.
        limit: compared in float32.
        share: the second result, float32 [height, width]: ``"logistic"``, the logistic function of
            the field, or ``"clipped"``, the field limited to 0..1; by default it is empty.
    """
    found = image_kernels.reaching(field, *enlargement.taps(field.shape), limit, share)
    return _reaching(field, enlargement, limit, share) if found is None else found


def _reaching(
    field: np.ndarray, enlargement: Enlargement, limit: float, share: str
) -> tuple[np.ndarray, np.ndarray]:
    """Return where a field is at least a limit, by NumPy."""
    size = enlargement.size
    mask, sure = np.empty(size, np.uint8), np.empty(size if share else 0, np.float32)
    for rows, strip in enlargement.strips():
        values = strip.values(field)
        mask[rows] = values >= limit
        if share:
            sure[rows] = sigmoid(values) if share == "logistic" else np.clip(values, 0, 1)
    return mask, sure


def strongest(
    fields: np.ndarray, enlargement: Enlargement, gate: np.ndarray | None = None
) -> np.ndarray:
    """Return the index of the largest field at each pixel, uint8 [height, width].

    Of equal fields the first counts. Fields are [rows, columns, fields], of at least two rows and
    columns. With a gate, uint8 [height, width] of 0 and 1, indices begin with 1, and are 0 where
    the gate is 0.
    """
    found = image_kernels.strongest(fields, *enlargement.taps(fields.shape), gate)
    if found is not None:
        return found[0]
    mask = _strongest(fields, enlargement)
    return mask if gate is None else gate * (mask + np.uint8(1))


def _strongest(fields: np.ndarray, enlargement: Enlargement) -> np.ndarray:
    """Return the index of the largest field at each pixel, by NumPy."""
    mask = np.empty(enlargement.size, np.uint8)
    for rows, strip in enlargement.strips():
        first, *others = _contenders(fields, strip)
        mask[rows] = first
        if others:
            best = strip.values(fields[:, :, first]).copy()
            for index in others:
                values = strip.values(fields[:, :, index])
                mask[rows][values > best] = index
                np.maximum(best, values, out=best)
    return mask


def _contenders(fields: np.ndarray, strip: Enlargement) -> list[int]:
    """Return the fields that may be largest somewhere: mostly few of many.

    A mix of four cells is at most their largest value. Where that is less than the smallest of
    another field, the field loses.
    """
    if not strip.enlarges:
        return list(range(fields.shape[2]))
    near = strip.cells(fields)
    corners = near[:-1, :-1], near[:-1, 1:], near[1:, :-1], near[1:, 1:]
    highest, lowest = np.maximum.reduce(corners), np.minimum.reduce(corners)
    contends = highest >= lowest.max(axis=2, keepdims=True)
    found: list[int] = np.flatnonzero(contends.any(axis=(0, 1))).tolist()
    return found


def strongest_with_share(
    logits: np.ndarray, enlargement: Enlargement
) -> tuple[np.ndarray, np.ndarray]:
    """Return the index of the largest logit at each pixel, and its softmax: how sure the choice is.

    Logits are [rows, columns, classes], the results [height, width]: uint8, and float32 in 0..1.
    """
    taps = enlargement.taps(logits.shape)
    found = image_kernels.strongest(logits, *taps, has_share=True)
    if found is not None:
        return found
    return _strongest(logits, enlargement), share_of_strongest(logits, enlargement)


def share_of_strongest(logits: np.ndarray, enlargement: Enlargement) -> np.ndarray:
    """Return the softmax of the largest logit at each pixel, by NumPy.

    Logits are [rows, columns, classes], the result is float32 [height, width] in 0..1.
    """
    share = np.empty(enlargement.size, np.float32)
    for rows, strip in enlargement.strips():
        contenders = (strip.values(logits[:, :, k]) for k in _contenders(logits, strip))
        best = reduce(np.maximum, contenders)
        total = sum(np.exp(strip.values(logits[:, :, k]) - best) for k in range(logits.shape[2]))
        share[rows] = 1 / total
    return share
