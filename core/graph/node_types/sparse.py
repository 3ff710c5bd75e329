"""Sparse tensors: indices, values and shape."""

from core.graph.node_types.rows import NodeType

NODE_TYPES = {
    "SparseFillEmptyRows": NodeType(
        "sparse_fill_empty_rows",
        (0, 1, 2, 3),
        outputs=("output_indices", "output_values", "empty_row_indicator", "reverse_index_map"),
    ),
    "SparseReshape": NodeType(
        "sparse_reshape", (0, 1, 2), outputs=("output_indices", "output_shape")
    ),
    "SparseSegmentMean": NodeType("sparse_segment_mean", (0, 1, 2)),
    "SparseSegmentSum": NodeType("sparse_segment_sum", (0, 1, 2)),
}
