"""Sparse tensors (indices, values and shape) and rows of different lengths."""

from core.graph.node_types.rows import NodeType, copied, required

NODE_TYPES = {
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
