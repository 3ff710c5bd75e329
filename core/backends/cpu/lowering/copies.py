"""Ops that move values: copies between views of their inputs and of their result."""

from collections.abc import Callable

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.contiguous import copied
from core.backends.cpu.lowering.lowering_rules import Lowered, NumpyCall

#: Views of the result and of the input that have the same values.
Pair = tuple[np.ndarray, np.ndarray]


def moved(call: NumpyCall, pair: Callable[[np.ndarray, np.ndarray], Pair]) -> Lowered | None:
    """Return a lowering of one copy; ``pair`` returns views of the result and the input."""
    result, source = call.step.name, call.step.inputs[0]
    return with_epilogue(call, "copy", lambda v: [copied(*pair(v[result], v[source]))])
