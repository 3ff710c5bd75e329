"""The check of plans: each op as a small program, and element-wise ones fused with others."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core import ops
from core.compiled_functions.compiled_function import CompiledFunction
from core.conformance.comparison import TOLERANCE, differences
from core.conformance.op_cases import OpCase, as_arguments
from core.engine.backend import Backend
from core.engine.dispatch import tensor
from core.engine.tensors import Tensor


class PlanCheck:
    """Runs the first case of each op by a plan.

    Args:
        backend: on which plans run.
    """

    def __init__(self, backend: Backend):
        self._backend, self._known = backend, set[str]()

    def failures(self, case: OpCase) -> list[str]:
        """Return what is wrong with the plan of a case; nothing if there is no plan of it."""
        traits = case.record.traits
        if case.op in self._known or traits.data_dependent or not any(y.size for y in case.results):
            return []
        self._known.add(case.op)
        inputs = as_arguments(case.inputs)
        made: Any = CompiledFunction(_alone(case))(*inputs)
        failures = self._wrong("the plan's result", made, case.results)
        if traits.elementwise and isinstance(inputs[0], Tensor) and inputs[0].dtype == "float32":
            ones = tensor(np.ones(inputs[0].shape, np.float32))
            made = CompiledFunction(_between_others(case))(ones, *inputs)
            opposite = [np.asarray(-y) for y in case.results]
            failures += self._wrong("the result of a plan that fuses it", made, opposite)
        return failures

    def _wrong(self, what: str, made: Any, expected: Any) -> list[str]:
        several = made if isinstance(made, (list, tuple)) else [made]
        if len(several) != len(expected):
            return [f"{what} consists of {len(several)} tensors, should of {len(expected)}"]
        tolerance = TOLERANCE * self._backend.epsilon
        return [
            failure
            for y, right in zip(several, expected, strict=True)
            for failure in differences(what, y.numpy(), right, tolerance)
        ]


def _alone(case: OpCase) -> Callable[..., Any]:
    def program(*inputs: Any) -> Any:
        made = case.record(*inputs, **case.attributes)
        return [*made] if isinstance(made, (list, tuple)) else made

    return program


def _between_others(case: OpCase) -> Callable[..., Tensor]:
    """Return a function that computes an op between two others that it may fuse with."""

    def program(ones: Tensor, first: Tensor, *others: Tensor) -> Tensor:
        return ops.neg(case.record(first * ones, *others, **case.attributes))

    return program
