"""Convolutions and pooling."""

from typing import Any

from core.errors import CoreError
from core.graph.node_types.table import NodeType
from core.graph.nodes import Attributes
from core.specs import Shape


def _conv(attributes: Attributes) -> dict[str, Any]:
    if attributes.get("data_format", "NHWC") != "NHWC":
        raise CoreError(f"data_format {attributes['data_format']!r} is not supported, only NHWC")
    return {
        "strides": _height_width(attributes["strides"]),
        "pad": attributes["padding"].lower(),
        "dilations": _height_width(attributes.get("dilations", (1, 1, 1, 1))),
    }


def _height_width(per_axis: Shape) -> tuple[int, int]:
    return per_axis[1], per_axis[2]


_ACTIVATION_NAMES = {"Relu": "relu", "Relu6": "relu6", "Elu": "elu", "Sigmoid": "sigmoid"}


def _fused_conv(attributes: Attributes) -> dict[str, Any]:
    """``fused_ops`` is ["BiasAdd"] or ["BiasAdd", the activation]."""
    bias, *activation = attributes["fused_ops"]
    if bias != "BiasAdd" or len(activation) > 1 or not set(activation) <= set(_ACTIVATION_NAMES):
        raise CoreError(
            f"fused_ops {attributes['fused_ops']} must be BiasAdd and one of "
            f"{list(_ACTIVATION_NAMES)} or nothing"
        )
    name = _ACTIVATION_NAMES[activation[0]] if activation else "linear"
    return {**_conv(attributes), "activation": name}


NODE_TYPES = {
    "_FusedConv2D": NodeType("fused_conv2d", attributes=_fused_conv),
    "FusedDepthwiseConv2dNative": NodeType("fused_depthwise_conv2d", attributes=_fused_conv),
}
