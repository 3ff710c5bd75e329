"""Object keypoint similarity (OKS): how near the joints of a pose are to those of a person.

Source: COCO's keypoint evaluation, https://cocodataset.org/#keypoints-eval, and pycocotools.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from zoo.shared.skeletons import BODY_17
from zoo.tasks.pose.bodies import SIGMAS


def joints_of(pose: Mapping[str, Any]) -> np.ndarray:
    """The 17 joints [17, 2] of COCO by their names, of a pose with any; NaN for one it lacks."""
    known = {point["part"]: point["position"] for point in pose["keypoints"]}
    absent = {"x": np.nan, "y": np.nan}
    places = [known.get(part, absent) for part in BODY_17.names]
    return np.array([(place["x"], place["y"]) for place in places], float)


def similarity(found: np.ndarray, joints: np.ndarray, area: float) -> float:
    """OKS, 0..1, of joints [17, 2] and labels [17, 3], whose third column is 0 if unlabelled.

    Args:
        found: in pixels; NaN for a joint that was not found, whose similarity is 0.
        joints: in pixels.
        area: of the person in square pixels.
    """
    away = np.square(found - joints[:, :2]).sum(axis=1)
    each = np.exp(-away / (2 * np.square(2 * SIGMAS) * area))
    labelled = joints[:, 2] > 0
    return float(np.nan_to_num(each)[labelled].mean())


def similarity_to_box(found: np.ndarray, box: np.ndarray, area: float) -> float:
    """OKS of joints [17, 2] and a person without labelled joints, of whom only the box is known.

    Away are the joints outside of a box (x, y, width, height) three times as wide and high: so
    COCO decides which poses are of a person that need not be found.
    """
    low, high = box[:2] - box[2:], box[:2] + 2 * box[2:]
    away = np.square(np.maximum(np.maximum(low - found, found - high), 0.0)).sum(axis=1)
    each = np.exp(-away / (2 * np.square(2 * SIGMAS) * area))
    return float(np.nan_to_num(each).mean())
