"""The check of plans: each element-wise op as a small program, alone and fused with another op."""

from typing import Any

import numpy as np

from core.backend_contract import Backend
from core.compiled.compiled_function import CompiledFunction
from core.conformance.comparison import differences
from core.conformance.op_cases import OpCase, arrays_of
from core.dispatch import tensor
from core.late_ops import ops

#: How far floats may be off, in epsilons of the backend: an op and a sum.
TOLERANCE = 100


class PlanCheck:
    """Runs the first case of each element-wise op by a plan.

    Args:
        backend: on which plans run.
    """

    def __init__(self, backend: Backend):
        self._backend, self._known = backend, set[str]()

    def failures(self, case: OpCase) -> list[str]:
        """Return what is wrong with the plan of a case; nothing if there is no plan of it."""
        if not case.record.traits.elementwise or case.op in self._known:
            return []
        (y,) = case.results
        if not y.size:
            return []
        xs = [x for value in case.inputs for x in arrays_of(value)]
        if len(xs) != case.record.count or any(x.dtype != np.float32 for x in xs):
            return []
        self._known.add(case.op)

        def program(*xs: Any) -> Any:
            made = case.record(*xs, **case.attributes)
            return made, ops.add(made, made)

        found = CompiledFunction(program)(*[tensor(x) for x in xs])
        tolerance = TOLERANCE * self._backend.epsilon
        return [
            failure
            for name, array, right in zip(("", " plus itself"), found, (y, y + y), strict=True)
            for failure in differences(f"the plan's result{name}", array.numpy(), right, tolerance)
        ]
