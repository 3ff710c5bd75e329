"""Sums of products."""

import numpy as np

from core.engine.registry import kernel


@kernel("contract", "cpu")
def contract(inputs: list[np.ndarray], equation: str) -> np.ndarray:
    """Sum products: of one input in float64, rounded once; of several by BLAS if possible."""
    dtype = inputs[0].dtype
    if len(inputs) > 1:
        return np.asarray(np.einsum(equation, *inputs, optimize=True), order="C")
    wide = np.float64 if dtype.kind == "f" else np.int64
    return np.array(np.einsum(equation, inputs[0], dtype=wide)).astype(dtype, order="C")
