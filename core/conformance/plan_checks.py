"""The check of plans: each element-wise op as a small program, alone and fused with another op."""

from typing import Any

from core.backend_contract import Backend
from core.compiled.compiled_function import CompiledFunction
from core.conformance.comparison import differences
from core.conformance.op_cases import OpCase
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
        if any(type(x) is list or x is None or x.dtype != "float32" for x in case.inputs):
            return []
        self._known.add(case.op)

        def program(*xs: Any) -> Any:
            made = case.record(*xs, **case.attributes)
            return made, ops.add(made, made)

        found = CompiledFunction(program)(*[tensor(x) for x in case.inputs])
        tolerance = TOLERANCE * self._backend.epsilon
        return [
            failure
            for name, array, right in zip(("", " plus itself"), found, (y, y + y), strict=True)
            for failure in differences(f"the plan's result{name}", array.numpy(), right, tolerance)
        ]
