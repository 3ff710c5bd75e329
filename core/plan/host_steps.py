"""Steps of a program that run on the host, whatever the backend of the others."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from core.engine.backends import load_backend
from core.engine.program import ABSENT, HERE, Step
from core.engine.registry import find_kernel
from core.engine.specs import Spec


def host_function(
    step: Step, specs: Mapping[str, Spec]
) -> Callable[[list[np.ndarray]], list[np.ndarray]]:
    """Return a function that runs a step and its epilogue by the kernels of the cpu backend.

    Args:
        step: step of a program.
        specs: specs of the program.

    Returns:
        A function from the inputs of the step (`Step.reads`), in any shape of the right size, to
        its results.
    """
    results = tuple(specs[r] for r in step.outputs)

    def run(arrays: list[np.ndarray]) -> list[np.ndarray]:
        left = iter(arrays)
        made = _computed(step, left, None, results if len(results) > 1 else results[0], specs)
        found = [*made] if isinstance(made, tuple) else [made]
        for each in step.epilogue:
            found[0] = _computed(each, left, found[0], results[0], specs)
        return found

    return run


def _computed(
    step: Step, left: Iterator[np.ndarray], here: Any, result: Any, specs: Mapping[str, Spec]
) -> Any:
    """Return the results of one op for the next of the remaining arrays."""
    given = [
        here if r == HERE else None if r == ABSENT else next(left).reshape(specs[r].shape)
        for r in step.inputs
    ]
    kernel = find_kernel(step.op.name, "cpu")
    arguments = step.arguments(given)
    return load_backend("cpu").run(step.op, kernel, arguments, step.attributes, result)
