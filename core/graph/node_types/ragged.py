"""Rows of different lengths."""

from core.graph.node_types.rows import NodeType, copied, required

NODE_TYPES = {
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
