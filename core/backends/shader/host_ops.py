"""Ops without a shader, which the engine runs on cpu, and the reason of each."""

HOST_OPS: dict[str, str] = {
    **dict.fromkeys(
        ("static_regex_replace", "string_split", "string_to_hash_bucket_fast", "string_n_grams"),
        "strings stay on the host",
    ),
    **dict.fromkeys(
        (
            *("sparse_fill_empty_rows", "sparse_segment_sum", "sparse_segment_mean"),
            *("ragged_gather_parts", "ragged_range", "ragged_tensor_to_tensor", "unique"),
        ),
        "the shape of the result depends on the values",
    ),
    "sparse_reshape": "places are reckoned in 64 bits",
    "broadcast_args": "shapes that do not fit have to raise",
    **dict.fromkeys(
        ("non_max_suppression", "non_max_suppression_padded", "non_max_suppression_with_score"),
        "one box after the other",
    ),
    "multinomial": "numbers are drawn by the host's generator",
}
