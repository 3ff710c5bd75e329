"""The node that an op becomes in a graph, by the op's spelling and the node's inputs.

The record of most ops spells a node that has the op's inputs and attributes. For the others this
file has the node's type, and how it writes attributes; which of them are inputs of the node,
`core.graph.node_types` says.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from core.engine.registry import OPS
from core.errors import CoreError
from core.graph.graph_json_writer import DATA_TYPES
from core.graph.node_types import NodeType, find_node_type
from core.graph.nodes import DataType

#: All inputs and attributes of an op by name → attributes of its node.
Writer = Callable[[Mapping[str, Any]], dict[str, Any]]


class OpNode(NamedTuple):
    """The node of an op.

    Attributes:
        type: the node's type.
        inputs: its inputs: those of the op, and attributes that the node takes as inputs. Numbers
            and tuples of them are to be constants.
        attributes: its attributes.
    """

    type: str
    inputs: list[Any]
    attributes: dict[str, Any]


def op_node(op: str, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> OpNode:
    """Return the node of an op that is called on inputs.

    Args:
        op: name of the op.
        inputs: its inputs in order, None for an absent one.
        attributes: its attributes.

    Raises:
        CoreError: no node is known for the op.
    """
    record = OPS.get(op)
    if record is not None and record.spellings.tensorflow:
        return OpNode(record.spellings.tensorflow[0], [*inputs], {**attributes})
    names = ("x",) if record is None else record.inputs
    given = {**dict(zip(names, inputs, strict=False)), **attributes}
    type = node_type_of(op, given)
    kind = find_node_type(type)
    assert kind is not None, type
    write = _ATTRIBUTES.get(op)
    return OpNode(type, _placed(kind, inputs, attributes), write(given) if write else {})


def node_type_of(op: str, given: Mapping[str, Any]) -> str:
    """Return the type of the node of an op that spells none.

    Args:
        op: name of the op.
        given: its inputs and attributes by name, on which the type may depend.
    """
    found = _TYPES.get(op)
    if found is None:
        raise CoreError(f"no node of a graph is known for the op {op!r}")
    return found if isinstance(found, str) else found(given)


def _placed(kind: NodeType, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> list[Any]:
    """Return the inputs of a node, and the attributes that it takes as inputs, in its order."""
    places = kind.tensors
    if places is None:
        return [each for each in inputs if each is not None]
    found: dict[int, Any] = {}
    for place, given in zip(places, inputs, strict=False):
        if isinstance(place, slice):
            found |= dict(enumerate(given, place.start or 0))
        else:
            found[place] = given
    read = [name for name in kind.reads if name in attributes]
    count = len(found) + len(read)
    found |= {kind.reads[name] % count: attributes[name] for name in read}
    return [found[place] for place in sorted(found)]


def _copied(*names: str) -> Writer:
    return lambda given: {name: given[name] for name in names if name in given}


def _keeps(given: Mapping[str, Any]) -> dict[str, Any]:
    return {"keep_dims": given.get("keep_dims", False)}


def _is_batched(given: Mapping[str, Any]) -> bool:
    return len(given["a"].shape) > 2 or len(given["b"].shape) > 2


def _product(given: Mapping[str, Any]) -> dict[str, Any]:
    a, b = ("adj_x", "adj_y") if _is_batched(given) else ("transpose_a", "transpose_b")
    return {a: given.get("transpose_a", False), b: given.get("transpose_b", False)}


def _fused(given: Mapping[str, Any]) -> dict[str, Any]:
    activation = given.get("activation", "linear")
    applied = [] if activation == "linear" else [OPS[activation].spellings.tensorflow[0]]
    return {"fused_ops": ["BiasAdd", *applied], "num_args": 1}


def _of_windows(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "strides": [1, *given["strides"], 1],
        "dilations": [1, *given["dilations"], 1],
        "padding": given["pad"].upper(),
        "data_format": given["data_format"],
    }


def _of_pools(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "ksize": [1, *given["filter_size"], 1],
        "strides": [1, *given["strides"], 1],
        "padding": given["pad"].upper(),
        "data_format": "NDHWC" if len(given["strides"]) == 3 else "NHWC",
    }


def _parts(given: Mapping[str, Any]) -> dict[str, Any]:
    sizes = given["num_or_size_splits"]
    return {"num_split": sizes if isinstance(sizes, int) else len(sizes)}


_CONVOLUTIONS = (
    *("conv2d", "conv3d", "depthwise_conv2d"),
    *("conv2d_backprop_input", "conv3d_backprop_input"),
)
_POOLS = ("avg_pool", "avg_pool3d", "max_pool", "max_pool3d")
_RESIZERS = ("resize_bilinear", "resize_nearest_neighbor")
_CAPITALIZED = (
    *("cast", "cumprod", "cumsum", "fill", "range", "reshape", "slice", "softmax", "squeeze"),
    *("tile", "transpose"),
)
_REDUCTIONS = ("sum", "mean", "max", "min", "prod", "any", "all")

#: Types of the nodes of ops that do not spell one, or functions to them.
_TYPES: dict[str, str | Callable[[Mapping[str, Any]], str]] = {
    **{name: name.capitalize() for name in (*_REDUCTIONS, *_CAPITALIZED)},
    "argmax": "ArgMax",
    "argmin": "ArgMin",
    "avg_pool": "AvgPool",
    "avg_pool3d": "AvgPool3D",
    "batch_norm": "FusedBatchNormV3",
    "broadcast_to": "BroadcastTo",
    "clip_by_value": "ClipByValue",
    "concat": "ConcatV2",
    "contract": "Einsum",
    "conv2d": "Conv2D",
    "conv2d_backprop_input": "Conv2DBackpropInput",
    "conv3d": "Conv3D",
    "conv3d_backprop_input": "Conv3DBackpropInputV2",
    "dense_bincount": "DenseBincount",
    "depthwise_conv2d": "DepthwiseConv2dNative",
    "expand_dims": "ExpandDims",
    "fused_conv2d": "_FusedConv2D",
    "fused_depthwise_conv2d": "FusedDepthwiseConv2dNative",
    "fused_matmul": "_FusedMatMul",
    "gather": "GatherV2",
    "log_softmax": "LogSoftmax",
    "matmul": lambda given: "BatchMatMulV2" if _is_batched(given) else "MatMul",
    "max_pool": "MaxPool",
    "max_pool3d": "MaxPool3D",
    "mirror_pad": "MirrorPad",
    "one_hot": "OneHot",
    "pad": lambda given: "PadV2" if "constant_value" in given else "Pad",
    "ragged_tensor_to_tensor": "RaggedTensorToTensor",
    "resize_bilinear": "ResizeBilinear",
    "resize_nearest_neighbor": "ResizeNearestNeighbor",
    "reverse": "ReverseV2",
    "split": lambda given: "Split" if isinstance(given["num_or_size_splits"], int) else "SplitV",
    "stack": "Pack",
    "strided_slice": "StridedSlice",
    "string_n_grams": "StringNGrams",
    "topk": "TopKV2",
    "unstack": "Unpack",
}

_ATTRIBUTES: dict[str, Writer] = {
    **dict.fromkeys(_REDUCTIONS, _keeps),
    **dict.fromkeys(_CONVOLUTIONS, _of_windows),
    **dict.fromkeys(
        ("fused_conv2d", "fused_depthwise_conv2d"), lambda given: _of_windows(given) | _fused(given)
    ),
    **dict.fromkeys(_POOLS, _of_pools),
    **dict.fromkeys(_RESIZERS, _copied("align_corners", "half_pixel_centers")),
    "batch_norm": lambda given: {
        "epsilon": given["variance_epsilon"],
        "is_training": False,
        "data_format": "NHWC",
    },
    "cast": lambda given: {"DstT": DATA_TYPES[given["dtype"]]},
    "concat": lambda given: {"N": len(given["tensors"])},
    "contract": lambda given: {"equation": given["equation"], "N": len(given["inputs"])},
    "dense_bincount": _copied("binary_output"),
    "fused_matmul": lambda given: _product(given) | _fused(given),
    "gather": lambda given: {"batch_dims": given.get("batch_dims", 0)},
    "matmul": _product,
    "mirror_pad": lambda given: {"mode": given["mode"].upper()},
    "one_hot": lambda given: {"axis": -1, "T": DataType("DT_FLOAT")},
    "ragged_tensor_to_tensor": lambda given: {
        "row_partition_types": given["row_partition_types"],
        "num_row_partition_tensors": len(given["row_partition_tensors"]),
    },
    "range": lambda given: {"Tidx": DataType("DT_INT32")},
    "split": _parts,
    "squeeze": lambda given: {"squeeze_dims": list(given["axis"])},
    "stack": lambda given: {"axis": given["axis"], "N": len(given["tensors"])},
    "strided_slice": _copied("begin_mask", "end_mask", "shrink_axis_mask", "new_axis_mask"),
    "string_n_grams": lambda given: {
        "ngram_widths": given["n_gram_widths"],
        **{name: given[name] for name in given if name.endswith(("separator", "_pad", "width"))},
        "preserve_short_sequences": given["preserve_short_sequences"],
    },
    "topk": lambda given: {"sorted": True},
    "unstack": lambda given: {"num": given["x"].shape[given["axis"]], "axis": given["axis"]},
}
