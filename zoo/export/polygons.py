"""Masks as polygons: `mask_polygons`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.images.opencv import cv2
from zoo.results.vocabulary import Instance, Pose, Segmentation, one_item


def mask_polygons(
    item: Segmentation | Instance | Pose, label: str | None = None
) -> list[list[tuple[float, float]]]:
    """The outlines of the regions of a mask, as COCO, supervision and `zoo.PolygonZone` take them.

    They lead through the middles of the outermost pixels. Holes are left out. Suzuki and Abe,
    "Topological Structural Analysis of Digitized Binary Images by Border Following" (1985).

    >>> mask = np.zeros((60, 80), np.uint8)
    >>> mask[10:30, 20:50] = 1
    >>> mask_polygons({"mask": mask, "labels": ["background", "person"]}, "person")
    [[(20.5, 10.5), (20.5, 29.5), (49.5, 29.5), (49.5, 10.5)]]

    Args:
        item: a result with a mask: of regions, of one of several people, or a pose with
            ``segmentation``.
        label: the label whose regions are meant; by default everything but the first, which is the
            background.

    Returns:
        Polygons, the largest region first, each a list of corners (x, y) in pixels; of a single
        pixel or a line of pixels fewer than three.

    Raises:
        ZooError: there is no mask, or no such label.
    """
    found = one_item(item, "mask_polygons")
    mask = _marked(found.get("segmentation", found), label)
    paths, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)
    largest_first = sorted(paths, key=cv2.contourArea, reverse=True)
    return [[(x + 0.5, y + 0.5) for x, y in path[:, 0].tolist()] for path in largest_first]


def _marked(item: Mapping[str, Any], label: str | None) -> np.ndarray:
    """Return uint8 [height, width]: 1 where a mask has a label."""
    if "mask" not in item:
        raise ZooError(f"a result with the keys {sorted(item)} has no mask: zoo.segment gives some")
    mask, labels = np.asarray(item["mask"]), list(item.get("labels", ()))
    if label is None:
        return (mask > 0).astype(np.uint8)
    if label not in labels:
        hint = did_you_mean(label, labels) or ":"
        raise ZooError(f"the mask has no label {label!r:.80}{hint} known are {', '.join(labels)}")
    return (mask == labels.index(label)).astype(np.uint8)
