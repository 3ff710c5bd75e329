"""Shapes, dtypes and borders."""

from typing import Any

from core.graph.graph_json_reader import dtype_of_type
from core.graph.node_types.rows import NodeType, copied, required
from core.graph.nodes import Attributes
from core.registry import ops
from core.specs import Shape
from core.tensors import Tensor


def _cast(attributes: Attributes) -> dict[str, Any]:
    return {"dtype": dtype_of_type(attributes["DstT"])}


def _squeeze(attributes: Attributes) -> dict[str, Any]:
    """No axes mean all of length 1."""
    return {"axis": attributes.get("squeeze_dims") or attributes.get("axis") or None}


def _ensure_shape(x: Tensor, shape: Shape | None = None) -> Any:
    """The shape is an input in TensorFlow.js, and an attribute, perhaps of any rank, elsewhere."""
    return ops.identity(x) if shape is None else ops.ensure_shape(x, shape)


_PADDINGS = {"paddings": 1}

NODE_TYPES = {
    "BatchToSpaceND": NodeType("batch_to_space_nd", (0,), {"block_shape": 1, "crops": 2}),
    "BroadcastArgs": NodeType("broadcast_args", (0, 1)),
    "BroadcastTo": NodeType("broadcast_to", (0,), {"shape": 1}),
    "Cast": NodeType("cast", (0,), attributes=_cast),
    "DepthToSpace": NodeType(
        "depth_to_space",
        (0,),
        attributes=lambda a: {**required("block_size")(a), **copied("data_format")(a)},
    ),
    "EnsureShape": NodeType(_ensure_shape, (0,), {"shape": 1}, copied("shape")),
    "ExpandDims": NodeType("expand_dims", (0,), {"axis": 1}),
    "MirrorPad": NodeType(
        "mirror_pad", (0,), _PADDINGS, lambda attributes: {"mode": attributes["mode"].lower()}
    ),
    "Pad": NodeType("pad", (0,), _PADDINGS, copied("constant_value")),
    "PadV2": NodeType("pad", (0,), {**_PADDINGS, "constant_value": 2}),
    "Reshape": NodeType("reshape", (0,), {"shape": 1}),
    "SpaceToBatchND": NodeType("space_to_batch_nd", (0,), {"block_shape": 1, "paddings": 2}),
    "Squeeze": NodeType("squeeze", (0,), attributes=_squeeze),
}
