"""Masks: the regions of labels, and of parts of a body."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from weights_cache.errors import ZooError
from zoo.drawing.canvas import Canvas
from zoo.drawing.colours import BACKGROUND, Colour, colours_of
from zoo.drawing.panels import paint_legend

FILL = 0.5  # opacity of a region
EDGE = 0.6  # half the width of the line along its edge, in lines of boxes


def paint_segmentations(canvas: Canvas, things: Sequence[Mapping[str, Any]], _: float) -> None:
    """Colour the region of each label but the background, and write which colour is whose."""
    for thing in things:
        mask = read_mask(thing, canvas.size)
        found = _find_labels(mask, thing["labels"])
        colours = colours_of(label for _, label, _ in found)
        for index, label, _ in found:
            canvas.region(mask == index, colours[label], fill=FILL, edge=EDGE * canvas.thin)
        largest_first = sorted(found, key=lambda of_label: -of_label[2])
        entries = [(label, colours[label]) for _, label, _ in largest_first]
        paint_legend(canvas, entries, np.isin(mask, [index for index, _, _ in found]))


def paint_person(canvas: Canvas, segmentation: Mapping[str, Any], colour: Colour) -> None:
    """Colour the person of a segmentation, faintly, under other things."""
    mask = read_mask(segmentation, canvas.size)
    canvas.region(mask > 0, colour, fill=0.5 * FILL, edge=0.5 * EDGE * canvas.thin)


def read_mask(thing: Mapping[str, Any], size: tuple[int, int]) -> np.ndarray:
    """Return the mask of a thing, if it is one of this picture."""
    mask = np.asarray(thing["mask"])
    if mask.shape != size[::-1] or mask.dtype.kind not in "bui":
        raise ZooError(
            f"the mask is {mask.dtype} {list(mask.shape)}: it must be uint8 {list(size[::-1])}, "
            "height and width of the picture"
        )
    return mask


def _find_labels(mask: np.ndarray, labels: object) -> list[tuple[int, str, int]]:
    """Index, name and pixels of each label that occurs, but for the background."""
    if not isinstance(labels, (list, tuple)):
        raise ZooError(f"labels are {labels!r:.80}: they must be a list of names")
    values, counts = np.unique(mask, return_counts=True)
    if values.size and values[-1] >= len(labels):
        raise ZooError(f"the mask has the value {values[-1]}, but there are {len(labels)} labels")
    found = [(int(v), str(labels[v]), int(n)) for v, n in zip(values, counts, strict=True)]
    return [of_label for of_label in found if of_label[1] != BACKGROUND]
