"""Normalisation, softmax and norms."""

from typing import Any

from core.errors import CoreError
from core.graph.node_types.convolution import check_format
from core.graph.node_types.rows import NodeType, copied
from core.graph.nodes import Attributes


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

NODE_TYPES = {
    "EuclideanNorm": NodeType("euclidean_norm", (0,), {"axis": 1}, copied("keep_dims")),
    "FusedBatchNorm": _BATCH_NORM,
    "FusedBatchNormV2": _BATCH_NORM,
    "FusedBatchNormV3": _BATCH_NORM,
    "LRN": NodeType(
        "local_response_normalization",
        (0,),
        attributes=copied("depth_radius", "bias", "alpha", "beta"),
    ),
    "LogSoftmax": NodeType("log_softmax", (0,)),
    "Softmax": NodeType("softmax", (0,)),
}
