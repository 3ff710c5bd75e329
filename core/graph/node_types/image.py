"""Resizing and cropping, and what has as many values as the data say."""

from typing import Any

from core import ops
from core.engine.tensors import Tensor
from core.graph.node_types.rows import NodeType, copied
from core.graph.nodes import Attributes

_resize = copied("align_corners", "half_pixel_centers")


def _crop(attributes: Attributes) -> dict[str, Any]:
    return {
        "method": attributes.get("method", "bilinear").lower(),
        "extrapolation_value": attributes.get("extrapolation_value", 0),
    }


def _transform(attributes: Attributes) -> dict[str, Any]:
    return {
        "interpolation": attributes["interpolation"].lower(),
        "fill_mode": attributes.get("fill_mode", "constant").lower(),
    }


_BOXES = (0, 1)
_LIMITS = {"max_output_size": 2, "iou_threshold": 3}
_THRESHOLDS = {**_LIMITS, "score_threshold": 4}


def _where(condition: Tensor) -> Tensor:
    """The positions of values that are not 0."""
    return ops.where(ops.cast(condition, dtype="bool"))


NODE_TYPES = {
    "ResizeBilinear": NodeType("resize_bilinear", (0,), {"size": 1}, _resize),
    "ResizeNearestNeighbor": NodeType("resize_nearest_neighbor", (0,), {"size": 1}, _resize),
    "CropAndResize": NodeType("crop_and_resize", (0, 1, 2), {"crop_size": 3}, _crop),
    "ImageProjectiveTransformV3": NodeType(
        "transform", (0, 1), {"output_shape": 2, "fill_value": 3}, _transform
    ),
    "NonMaxSuppressionV2": NodeType("non_max_suppression", _BOXES, _LIMITS),
    "NonMaxSuppressionV3": NodeType("non_max_suppression", _BOXES, _THRESHOLDS),
    "NonMaxSuppressionV4": NodeType(
        "non_max_suppression_padded",
        _BOXES,
        _THRESHOLDS,
        copied("pad_to_max_output_size"),
        ("selected_indices", "valid_outputs"),
    ),
    "NonMaxSuppressionV5": NodeType(
        "non_max_suppression_with_score",
        _BOXES,
        {**_THRESHOLDS, "soft_nms_sigma": 5},
        outputs=("selected_indices", "selected_scores"),
    ),
    "Where": NodeType(_where, (0,)),
    "ListDiff": NodeType("setdiff1d", (0, 1), outputs=("out", "idx")),
    # TensorFlow.js does not have it.
    "NonMaxSuppression": NodeType(
        "non_max_suppression", _BOXES, {"max_output_size": 2}, copied("iou_threshold")
    ),
}
