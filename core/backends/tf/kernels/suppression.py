"""Non-maximum suppression kernels."""

from typing import TYPE_CHECKING

import numpy as np

from core.backends.tf.raw_ops import integer, integers, number, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("non_max_suppression", "tf")
def non_max_suppression(
    boxes: "TfTensor",
    scores: "TfTensor",
    max_output_size: int,
    iou_threshold: float,
    score_threshold: float,
) -> "TfTensor":
    """Return the indices: TensorFlow drops overlaps above a threshold, here those at it, too."""
    if iou_threshold == 0:  # even boxes apart are at the threshold
        max_output_size = min(max_output_size, 1)
    return raw.NonMaxSuppressionV3(
        boxes=boxes,
        scores=scores,
        max_output_size=integer(max_output_size),
        iou_threshold=number(max(0.0, float(np.nextafter(np.float32(iou_threshold), -1)))),
        score_threshold=number(_rounded_down(score_threshold)),
    )


def _rounded_down(value: float) -> float:
    """Return the greatest float32 that is not above a number."""
    nearest = np.float32(value)
    if float(nearest) > value:
        nearest = np.nextafter(nearest, np.float32(-np.inf))
    return float(nearest)


@kernel("non_max_suppression_padded", "tf")
def non_max_suppression_padded(
    boxes: "TfTensor",
    scores: "TfTensor",
    max_output_size: int,
    iou_threshold: float,
    score_threshold: float,
    pad_to_max_output_size: bool,
) -> "tuple[TfTensor, TfTensor]":
    """Return the indices, padded with zeros, and their number."""
    kept = non_max_suppression(boxes, scores, max_output_size, iou_threshold, score_threshold)
    count = raw.Size(input=kept)
    if not pad_to_max_output_size:
        return kept, count
    missing = raw.Sub(x=integer(max_output_size), y=count)
    paddings = raw.Reshape(tensor=raw.Pack(values=[integer(0), missing]), shape=integers(1, 2))
    padded = raw.Pad(input=kept, paddings=paddings)
    return raw.Reshape(tensor=padded, shape=integers(max_output_size)), count
