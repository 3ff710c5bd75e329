"""Ops without a shader, which run on cpu, each with its reason."""

HOST_OPS: dict[str, str] = {
    **dict.fromkeys(
        (
            *("static_regex_replace", "string_join", "string_length", "string_lower"),
            *("string_n_grams", "string_split", "string_split_v2", "string_strip"),
            *("string_to_hash_bucket_fast", "string_upper", "unicode_decode", "unicode_encode"),
            "vocabulary_index",
        ),
        "strings stay on the host",
    ),
    **dict.fromkeys(
        (
            *("sparse_fill_empty_rows", "sparse_segment_sum", "sparse_segment_mean"),
            *("ragged_gather_parts", "ragged_range", "ragged_tensor_to_tensor", "unique"),
        ),
        "the shape of the result depends on the values",
    ),
    "numpy_function": "the function takes and returns arrays of the host",
    "check_numerics": "a value that is not finite must raise an error",
    "sparse_reshape": "indices are computed in int64",
    "broadcast_args": "incompatible shapes must raise an error",
    **dict.fromkeys(
        ("non_max_suppression", "non_max_suppression_padded", "non_max_suppression_with_score"),
        "boxes are processed one after the other",
    ),
    "multinomial": "the host's generator draws the numbers",
}
