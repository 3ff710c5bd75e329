"""Casts and quantized forms, whose results depend on element types that the engine does not keep."""

from collections.abc import Sequence

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows

#: Names of the element types by their numbers in attributes.
NAMES = dict(
    enumerate(
        (
            *("", "float32", "uint8", "int8", "uint16", "int16", "int32", "int64", "string"),
            *("bool", "float16", "float64", "uint32", "uint64", "complex64", "complex128"),
            *("bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"),
            *("uint4", "int4", "float4e2m1", "float8e8m0"),
        )
    )
)


def cast_to(x: Tensor, kind: str) -> Tensor:
    """Return values in a type; small integers wrap around as C's do."""
    if kind == "bool":
        return ops.not_equal(x, 0)
    if kind.startswith(("float", "bfloat", "double")):
        return ops.cast(x, dtype="float32")
    if kind == "string":
        raise CoreError("casts to strings are not supported")
    y = ops.cast(x, dtype="int32")
    if kind.rstrip("0123456789") in ("int", "uint") and int(kind.lstrip("uint")) < 32:
        bits = int(kind.lstrip("uint"))
        y = ops.mod(y, 1 << bits)
        if kind[0] == "i":
            y = ops.where(y >= 1 << (bits - 1), y - (1 << bits), y)
    return y


def _cast(x: Tensor, to: int, saturate: int = 1, round_mode: str = "up") -> Tensor:
    return cast_to(x, NAMES.get(to, ""))


def _cast_like(
    x: Tensor, like: Tensor, types: Sequence[str] = (), saturate: int = 1, round_mode: str = "up"
) -> Tensor:
    return cast_to(x, types[1] or like.dtype)


ROWS: Rows = {
    "Cast": _cast,
    "CastLike": _cast_like,
}
