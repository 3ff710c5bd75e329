"""Ops that run on cpu, each with its reason: TensorFlow lacks them, or they are rare.

TensorFlow's own op of a rare one often means something else than TensorFlow.js's, and several ops
composed to the same meaning would be as long as the kernel of the cpu backend, whose results are
those to compare with.
"""

_RARE = "rare: the kernel of the cpu backend serves"

HOST_OPS: dict[str, str] = {
    "numpy_function": "the function takes and returns arrays of the host",
    "multinomial": "the host's generator draws the numbers",
    "static_regex_replace": "RE2 lacks JavaScript's lookahead, back references and empty matches",
    "vocabulary_index": "TensorFlow looks up in tables, which outlive a run",
    "non_max_suppression_with_score": "TensorFlow's soft suppression keeps other boxes",
    **dict.fromkeys(
        (
            *("affine_grid", "grid_sample", "grid_sample_backprop_input", "grid_sample_slope"),
            *("crop_and_resize", "rotate_with_offset", "transform"),
            *("dilation2d", "dilation2d_backprop_filter", "dilation2d_backprop_input"),
            *("ragged_gather_parts", "ragged_range", "ragged_tensor_to_tensor"),
            *("sparse_fill_empty_rows", "sparse_reshape", "sparse_to_dense"),
            *("sparse_segment_mean", "sparse_segment_sum"),
            *("string_join", "string_length", "string_lower", "string_n_grams", "string_split"),
            *("string_split_v2", "string_strip", "string_to_hash_bucket_fast", "string_upper"),
            *("unicode_decode", "unicode_encode"),
        ),
        _RARE,
    ),
}
