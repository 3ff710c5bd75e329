"""Element-wise nodes that are not just an op by another name, reductions and searches."""

from typing import Any

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.convolution import check_format
from core.graph.node_types.rows import NodeType, copied, required
from core.graph.nodes import Attributes

_PAIR = (0, 1)


def _channels_last(attributes: Attributes) -> dict[str, Any]:
    """TensorFlow.js adds a bias to the last axis, whatever the node says."""
    check_format(attributes, ("NHWC",))
    return {}


def _erfc(x: Tensor) -> Tensor:
    return 1.0 - ops.erf(x)


def _softsign(x: Tensor) -> Tensor:
    return x / (1.0 + ops.abs(x))


def _select_rows(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """Select as TensorFlow's Select does: a condition of one axis picks rows."""
    if condition.ndim == 1 and x.ndim > 1:
        if condition.shape[0] != x.shape[0]:
            raise CoreError(f"{condition.shape[0]} conditions cannot pick from {x.shape[0]} rows")
        condition = ops.reshape(condition, shape=(-1, *[1] * (x.ndim - 1)))
    chosen: Tensor = ops.select(condition, x, y)
    return chosen


_keep_dims, _scan = copied("keep_dims"), copied("exclusive", "reverse")
_AXIS = {"axis": 1}

_REDUCTIONS = ("Max", "Mean", "Min", "Sum", "All", "Any", "Prod")


def _batch_norm(attributes: Attributes) -> dict[str, Any]:
    """TensorFlow.js normalises along the last axis, whatever the node says."""
    if attributes.get("is_training"):
        raise CoreError(
            "it is a node for training, which takes mean and variance from its batch "
            "(is_training): save the model for inference"
        )
    check_format(attributes, ("NHWC", "NDHWC"))
    return copied(variance_epsilon="epsilon")(attributes)


# The node has x, scale, offset, mean and variance; the op x, mean, variance, offset and scale.
# Statistics of the batch, its other outputs, are for training: here they are names without values.
_BATCH_NORM = NodeType(
    "batch_norm",
    (0, 3, 4, 2, 1),
    attributes=_batch_norm,
    outputs=(
        *("y", "batch_mean", "batch_variance"),
        *("reserve_space_1", "reserve_space_2", "reserve_space_3"),
    ),
)


def _unique(x: Tensor, axis: tuple[int, ...] | int = ()) -> Any:
    """The axis comes as a vector, of no number for the first."""
    return ops.unique(x, axis=axis if isinstance(axis, int) else next(iter(axis), 0))


def _top_k(attributes: Attributes) -> dict[str, Any]:
    return {**required("k")(attributes), **_sorted(attributes)}


_sorted = copied("sorted")
_TOP, _DIFFERENT = ("values", "indices"), ("y", "idx")


NODE_TYPES = {
    "BiasAdd": NodeType("add", _PAIR, attributes=_channels_last),
    "DivNoNan": NodeType("div_no_nan", _PAIR, folds=True),
    "ClipByValue": NodeType("clip_by_value", (0,), {"clip_value_min": 1, "clip_value_max": 2}),
    # TensorFlow.js does not have these, and Keras's gelu and softsign are made of them.
    "Erfc": NodeType(_erfc, (0,)),
    "Softsign": NodeType(_softsign, (0,)),
    # TensorFlow.js broadcasts the condition of a Select; what TensorFlow calls so is another type.
    "SelectRows": NodeType(_select_rows, (0, 1, 2)),
    **{name: NodeType(name.lower(), (0,), _AXIS, _keep_dims) for name in _REDUCTIONS},
    "ArgMax": NodeType("argmax", (0,), _AXIS),
    "ArgMin": NodeType("argmin", (0,), _AXIS),
    "Bincount": NodeType("bincount", (0, 2), {"size": 1}),
    "DenseBincount": NodeType("dense_bincount", (0, 2), {"size": 1}, copied("binary_output")),
    "RaggedBincount": NodeType("ragged_bincount", (0, 1, 3), {"size": 2}, copied("binary_output")),
    "Cumprod": NodeType("cumprod", (0,), _AXIS, _scan),
    "Cumsum": NodeType("cumsum", (0,), _AXIS, _scan),
    "EuclideanNorm": NodeType("euclidean_norm", (0,), {"axis": 1}, copied("keep_dims")),
    "FusedBatchNorm": _BATCH_NORM,
    "FusedBatchNormV2": _BATCH_NORM,
    "FusedBatchNormV3": _BATCH_NORM,
    "LogSoftmax": NodeType("log_softmax", (0,)),
    "Softmax": NodeType("softmax", (0,)),
    "TopKV2": NodeType("topk", (0,), {"k": 1}, _sorted, _TOP),
    "Unique": NodeType("unique", (0,), outputs=_DIFFERENT),
    "UniqueV2": NodeType(_unique, (0,), {"axis": 1}, outputs=_DIFFERENT),
    # TensorFlow.js does not have it.
    "TopK": NodeType("topk", (0,), attributes=_top_k, outputs=_TOP),
}
