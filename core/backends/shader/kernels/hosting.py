"""Ops that run on the cpu backend: what they are given is read back, their results are uploaded."""

from core.registry import kernel

#: Why there is no shader for an op, which is told by the table of backends.
HOSTED: dict[str, str] = {
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


class HostKernel:
    """In the place of a kernel: the op runs on the cpu backend.

    Attributes:
        op: its name.
    """

    __slots__ = ("op",)

    def __init__(self, op: str):
        self.op = op

    def __call__(self, *_: object, **__: object) -> None:
        """Is never called: the backend runs the op elsewhere."""
        raise NotImplementedError(f"{self.op} runs on the cpu backend")


for _op in HOSTED:
    kernel(_op, "shader")(HostKernel(_op))
