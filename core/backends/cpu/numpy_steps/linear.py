"""Matrix products, by NumPy's BLAS, straight into their results."""

from functools import partial

import numpy as np

from core.backends.cpu.numpy_steps.chain import epilogue_chain
from core.backends.cpu.numpy_steps.lowering_rules import Lowered, NumpyCall, Views, Work, lowers
from core.backends.cpu.numpy_steps.row_blocks import ALL


@lowers("matmul")
def lower_matmul(call: NumpyCall) -> Lowered | None:
    """Lower to one product, or one for each matrix of a batch, and the epilogue."""
    a, b = call.step.inputs
    steps, references = epilogue_chain(call), (a, b, call.step.name)
    if steps is None or not call.has_floats(*references) or any(map(call.has_margin, references)):
        return None
    transposed = [bool(call.step.attributes[f"transpose_{side}"]) for side in "ab"]

    def bind(views: Views) -> list[Work]:
        left, right = (
            views[r].swapaxes(-1, -2) if turned else views[r]
            for r, turned in zip((a, b), transposed, strict=True)
        )
        result = views[call.step.name]
        end = steps.bound(views, result)
        product = partial(np.matmul, *_as_one(left, right, result))
        return [*end.first, product, *end.works(ALL, result, result)]

    return Lowered("matmul", bind, steps.scratch)


def _as_one(
    a: np.ndarray, b: np.ndarray, result: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows of all matrices as one matrix, if their right factor is one matrix."""
    if a.ndim > 2 and b.size == b.shape[-1] * b.shape[-2] and a.flags.c_contiguous:
        b = b.reshape(b.shape[-2:]) if b.flags.c_contiguous else b[(0,) * (b.ndim - 2)]
        if result.size // result.shape[-1] == a.size // a.shape[-1]:
            return a.reshape(-1, a.shape[-1]), b, result.reshape(-1, result.shape[-1])
    return a, b, result
