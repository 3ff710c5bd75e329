"""Matrix products, transposition and Fourier transforms."""

from collections.abc import Sequence
from typing import Any

from core.errors import CoreError
from core.graph.node_types.convolution import fused_activation
from core.graph.node_types.rows import NodeType, copied
from core.graph.nodes import Attributes
from core.registry import ops
from core.tensors import Tensor

_transposes = copied("transpose_a", "transpose_b")


def _fused(attributes: Attributes) -> dict[str, Any]:
    return {**_transposes(attributes), **fused_activation(attributes)}


def _einsum(tensors: Sequence[Tensor], equation: str) -> Any:
    return ops.einsum(equation, *tensors)


_BATCHED = NodeType("matmul", (0, 1), attributes=copied(transpose_a="adj_x", transpose_b="adj_y"))


def _rfft(x: Tensor, fft_length: tuple[int, ...] = ()) -> Any:
    """The length comes as a vector; without a number in it, it is that of x."""
    return ops.rfft(x, next(iter(fft_length), None))


def _irfft(x: Tensor, fft_length: tuple[int, ...] = ()) -> Any:
    """Always of even length, as in TensorFlow.js, which does not look at the one asked for."""
    even = 2 * (x.shape[-1] - 1)
    if fft_length not in ((), (even,)):
        raise CoreError(f"IRFFT of {x.shape[-1]} values gives {even}, not {fft_length}")
    return ops.irfft(x)


NODE_TYPES = {
    "_FusedMatMul": NodeType("fused_matmul", attributes=_fused),
    "MatMul": NodeType("matmul", (0, 1), attributes=_transposes),
    "BatchMatMul": _BATCHED,
    "BatchMatMulV2": _BATCHED,
    "Einsum": NodeType(_einsum, (slice(None),), attributes=lambda a: {"equation": a["equation"]}),
    "Transpose": NodeType("transpose", (0,), {"perm": 1}),
    "BatchMatMulV3": _BATCHED,  # TensorFlow.js does not have it
    "RFFT": NodeType(_rfft, (0,), {"fft_length": 1}),
    "IRFFT": NodeType(_irfft, (0,), {"fft_length": 1}),
}
