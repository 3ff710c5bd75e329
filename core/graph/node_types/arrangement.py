"""Shapes, dtypes and borders; taking tensors apart and joining them."""

from collections.abc import Sequence
from typing import Any

from core.errors import CoreError
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


def _gather(x: Tensor, indices: Tensor, **attributes: int) -> Any:
    return ops.gather(x, ops.cast(indices, dtype="int32"), **attributes)


def _reverse(x: Tensor, dims: tuple[bool, ...]) -> Any:
    """Along the axes that are marked."""
    return ops.reverse(x, axis=tuple(axis for axis, turned in enumerate(dims) if turned))


def _pack(tensors: Sequence[Tensor], axis: int = 0) -> Any:
    """Axes of length 1 more or less do not count: the first tensor's shape is that of all."""
    shape = tensors[0].shape
    if any(_squeezed(x.shape) != _squeezed(shape) for x in tensors):
        raise CoreError(f"cannot pack shapes {[x.shape for x in tensors]}: they must agree")
    alike = [x if x.shape == shape else ops.reshape(x, shape=shape) for x in tensors]
    return ops.stack(alike, axis=axis)


def _squeezed(shape: Shape) -> Shape:
    return tuple(n for n in shape if n != 1)


def _sparse_to_dense(
    indices: Tensor, values: Tensor, default: Tensor, output_shape: Sequence[int]
) -> Any:
    default = ops.cast(default, dtype=values.dtype)
    return ops.sparse_to_dense(indices, values, default, output_shape=output_shape)


def _parts(attributes: Attributes) -> dict[str, Any]:
    return {"num_or_size_splits": attributes.get("num_split", 1)}


_masks = copied("begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask")
_OUTPUT = ("output",)

NODE_TYPES = {
    "BatchToSpaceND": NodeType("batch_to_space_nd", (0,), {"block_shape": 1, "crops": 2}),
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
    "Squeeze": NodeType("squeeze", (0,), attributes=_squeeze, folds=True),
    "ConcatV2": NodeType("concat", (slice(0, -1),), {"axis": -1}),
    "Concat": NodeType("concat", (slice(1, None),), {"axis": 0}),
    "Gather": NodeType(_gather, (0, 1)),
    "GatherV2": NodeType(_gather, (0, 1), {"axis": 2}, copied("batch_dims")),
    "Pack": NodeType(_pack, (slice(None),), attributes=copied("axis"), folds=True),
    "Reverse": NodeType(_reverse, (0,), {"dims": 1}, folds=True),
    "ReverseV2": NodeType("reverse", (0,), {"axis": 1}),
    "ScatterNd": NodeType("scatter_nd", (0, 1), {"shape": 2}),
    "Slice": NodeType("slice", (0,), {"begin": 1, "size": 2}),
    "SparseToDense": NodeType(_sparse_to_dense, (0, 2, 3), {"output_shape": 1}),
    "Split": NodeType("split", (1,), {"axis": 0}, _parts, _OUTPUT),
    "SplitV": NodeType("split", (0,), {"num_or_size_splits": 1, "axis": 2}, outputs=_OUTPUT),
    "StridedSlice": NodeType("strided_slice", (0,), {"begin": 1, "end": 2, "strides": 3}, _masks),
    "Tile": NodeType("tile", (0,), {"reps": 1}),
    "Unpack": NodeType("unstack", (0,), attributes=copied("axis"), outputs=_OUTPUT),
}
