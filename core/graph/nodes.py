"""The graph form: nodes as TensorFlow.js's model.json names them, and the op behind each type."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from core.errors import CoreError
from core.specs import Shape, Spec


class Node(NamedTuple):
    """One step of a graph.

    ``inputs`` are names of nodes; ``type`` and ``attributes`` are TensorFlow's, decoded: strings,
    numbers and lists of them, such as ``{"strides": [1, 2, 2, 1], "padding": "SAME"}``.
    """

    name: str
    type: str
    inputs: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = {}


class PartialSpec(NamedTuple):
    """Shape and dtype of an input or output; a length of None may be any."""

    shape: tuple[int | None, ...]
    dtype: str = "float32"

    def accepts(self, spec: Spec) -> bool:
        """Whether a tensor fits."""
        return (
            spec.dtype == self.dtype
            and len(spec.shape) == len(self.shape)
            and all(n in (None, m) for n, m in zip(self.shape, spec.shape, strict=True))
        )


class Endpoint(NamedTuple):
    """A named input or output of a graph: the node it is, and what it holds."""

    node: str
    spec: PartialSpec


class NodeType(NamedTuple):
    """Which op a node runs, and how its attributes are spelled there."""

    op: str
    attributes: Callable[[Mapping[str, Any]], dict[str, Any]]


def _conv(attributes: Mapping[str, Any]) -> dict[str, Any]:
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


def _fused_conv(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """``fused_ops`` is ["BiasAdd"] or ["BiasAdd", the activation]."""
    bias, *activation = attributes["fused_ops"]
    if bias != "BiasAdd" or len(activation) > 1 or not set(activation) <= set(_ACTIVATION_NAMES):
        raise CoreError(
            f"fused_ops {attributes['fused_ops']} must be BiasAdd and one of "
            f"{list(_ACTIVATION_NAMES)} or nothing"
        )
    name = _ACTIVATION_NAMES[activation[0]] if activation else "linear"
    return {**_conv(attributes), "activation": name}


#: Inputs and weights are given, not computed.
GIVEN_TYPES = {"Placeholder", "Const"}

#: Node type -> what runs it.
NODE_TYPES = {
    "_FusedConv2D": NodeType("fused_conv2d", _fused_conv),
    "FusedDepthwiseConv2dNative": NodeType("fused_depthwise_conv2d", _fused_conv),
}
