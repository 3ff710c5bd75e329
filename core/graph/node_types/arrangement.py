"""Creating, shaping, joining and splitting tensors; sparse and ragged tensors."""

from collections.abc import Sequence
from typing import Any

from core import ops
from core.engine.specs import Shape
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.graph_json_reader import dtype_of_type
from core.graph.node_types.rows import NodeType, Translation, copied, required
from core.graph.nodes import Attributes


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


def _with_dtype(name: str, **renamed: str) -> Translation:
    """The dtype that an attribute says, if it is there, and others as `copied` takes them."""
    others = copied(**renamed)

    def translated(attributes: Attributes) -> dict[str, Any]:
        data_type = attributes.get(name)
        dtype = {} if data_type is None else {"dtype": dtype_of_type(data_type)}
        return {**dtype, **others(attributes)}

    return translated


def _seeded(others: Translation) -> Translation:
    """Return the other inputs and the seed; 0 stands for no seed."""
    return lambda attributes: {**others(attributes), "seed": attributes.get("seed") or None}


def _one_hot(attributes: Attributes) -> dict[str, Any]:
    if attributes.get("axis", -1) != -1:
        raise CoreError(f"axis {attributes['axis']} is not supported, only -1, the last")
    return _with_dtype("T")(attributes)


_SHAPE = {"shape": 0}


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
    "Fill": NodeType("fill", (), {"shape": 0, "value": 1}, _with_dtype("T")),
    "LinSpace": NodeType("linspace", (), {"start": 0, "stop": 1, "num": 2}),
    "Multinomial": NodeType("multinomial", (0,), {"num_samples": 1}, _seeded(copied())),
    "OneHot": NodeType("one_hot", (0,), {"depth": 1, "on_value": 2, "off_value": 3}, _one_hot),
    "Ones": NodeType("ones", (), _SHAPE, _with_dtype("T")),
    "RandomStandardNormal": NodeType(
        "random_standard_normal", (), _SHAPE, _seeded(_with_dtype("dtype"))
    ),
    # As in TensorFlow.js without the seed: a layer that drops values out does so anew each time.
    "RandomUniform": NodeType(
        "random_uniform", (), _SHAPE, _with_dtype("dtype", minval="minval", maxval="maxval")
    ),
    # The bounds are inputs in TensorFlow, attributes in TensorFlow.js.
    "RandomUniformInt": NodeType(
        "random_uniform_int",
        (),
        {"shape": 0, "minval": 1, "maxval": 2},
        _seeded(copied("minval", "maxval")),
    ),
    "Range": NodeType("range", (), {"start": 0, "stop": 1, "step": 2}, _with_dtype("Tidx")),
    "TruncatedNormal": NodeType(
        "truncated_normal",
        (),
        _SHAPE,
        _seeded(_with_dtype("dtype", mean="means", std_dev="stddev")),
    ),
    "Zeros": NodeType("zeros", (), _SHAPE, _with_dtype("T")),
    "SparseFillEmptyRows": NodeType(
        "sparse_fill_empty_rows",
        (0, 1, 2, 3),
        outputs=("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
    ),
    "SparseReshape": NodeType(
        "sparse_reshape", (0, 1, 2), outputs=("output_indices", "output_shape")
    ),
    "RaggedGather": NodeType(
        "ragged_gather_parts",
        (slice(0, -2), -2, -1),
        attributes=copied(output_ragged_rank="OUTPUT_RAGGED_RANK"),
        outputs=("output_nested_splits", "output_dense_values"),
    ),
    "RaggedRange": NodeType(
        "ragged_range", (0, 1, 2), outputs=("rt_nested_splits", "rt_dense_values")
    ),
    "RaggedTensorToTensor": NodeType(
        "ragged_tensor_to_tensor",
        (0, 1, 2, slice(3, None)),
        attributes=required("row_partition_types"),
    ),
}
