"""Resizing and cropping."""

from typing import Any

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


NODE_TYPES = {
    "ResizeBilinear": NodeType("resize_bilinear", (0,), {"size": 1}, _resize),
    "ResizeNearestNeighbor": NodeType("resize_nearest_neighbor", (0,), {"size": 1}, _resize),
    "CropAndResize": NodeType("crop_and_resize", (0, 1, 2), {"crop_size": 3}, _crop),
    "ImageProjectiveTransformV3": NodeType(
        "transform", (0, 1), {"output_shape": 2, "fill_value": 3}, _transform
    ),
}
