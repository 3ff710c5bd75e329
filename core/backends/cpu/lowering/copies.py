"""Ops that move values: each is copies between views of its inputs and of its result."""

from collections.abc import Callable

import numpy as np

from core.backends.cpu.lowering.chain import with_epilogue
from core.backends.cpu.lowering.contiguous import copied
from core.backends.cpu.lowering.lowering_rules import Lowered, NumpyCall

#: Views of the result and of the input that have the same values.
Pair = tuple[np.ndarray, np.ndarray]


def moved(call: NumpyCall, pair: Callable[[np.ndarray, np.ndarray], Pair]) -> Lowered | None:
    """A lowering of one copy; ``pair`` gets the result and the input."""
    result, source = call.step.name, call.step.inputs[0]
    return with_epilogue(call, "copy", lambda v: [copied(*pair(v[result], v[source]))])
