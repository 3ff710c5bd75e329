"""Masks: the regions of labels, and of parts of a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from zoo.drawing.colours import BACKGROUND, Colour, colours_of
from zoo.drawing.panels import paint_legend
from zoo.drawing.surface import Surface
from zoo.results.vocabulary import label_areas

_FILL = 0.5  # opacity of a region
_EDGE = 0.6  # half the width of the line along its edge, in lines of boxes


def paint_segmentations(canvas: Surface, items: Sequence[Mapping[str, Any]], _: float) -> None:
    """Colour the region of each label but the background, and paint a legend."""
    for item in items:
        mask = read_mask(item, canvas.size)
        found = [area for area in label_areas(item) if area[1] != BACKGROUND]
        colours = colours_of(label for _, label, _, _ in found)
        by_value = {value: colours[label] for value, label, _, _ in found}
        canvas.regions(mask, by_value, fill=_FILL, edge=_edge(canvas))
        largest_first = sorted(found, key=lambda area: -area[2])
        entries = [(label, colours[label]) for _, label, _, _ in largest_first]
        paint_legend(canvas, entries, _made_small(mask, list(by_value)))


def _made_small(mask: np.ndarray, values: Sequence[int]) -> np.ndarray:
    """Return 1 + the values of a mask, 0 for others, of at most 500 pixels a side."""
    step = 1 + max(mask.shape) // 500
    small = mask[::step, ::step].astype(np.intp)
    return np.where(np.isin(small, values), small + 1, 0)


def _edge(canvas: Surface) -> float:
    return max(1.0, _EDGE * canvas.thin)


def paint_mask(canvas: Surface, mask: np.ndarray, colour: Colour, strength: float = 1.0) -> None:
    """Colour where a mask is above 0."""
    edge = strength * _edge(canvas)
    canvas.regions(mask > 0, {1: colour}, fill=strength * _FILL, edge=edge)


def read_mask(item: Mapping[str, Any], size: tuple[int, int]) -> np.ndarray:
    """Return the mask of an item, if it is one of this image."""
    mask = np.asarray(item["mask"])
    if mask.shape != size[::-1] or mask.dtype.kind not in "bui":
        raise ZooError(
            f"the mask is {mask.dtype} {list(mask.shape)}: it must be uint8 {list(size[::-1])}, "
            "height and width of the image"
        )
    return mask
