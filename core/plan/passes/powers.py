"""Powers of constants as products, which take a tenth of the time."""

import numpy as np

from core.engine.program import Program, Step
from core.engine.registry import OPS
from core.graph.unique_names import free_name
from core.plan.passes.program_passes import is_replaced, without_unread


def write_powers(program: Program) -> Program:
    """Write squares and cubes as products, as in layers that normalise, and in GELU.

    A cube may be rounded otherwise, by one unit in the last place.
    """
    if not any(step.op.name == "pow" for step in program.steps):
        return program
    specs = dict(program.specs)
    steps: list[Step] = []
    for step in program.steps:
        exponent = _exponent(step, program)
        x = step.inputs[:1]
        if exponent == 2:
            steps.append(step._replace(op=OPS["square"], inputs=x))
        elif exponent == 3:
            square = free_name(f"{step.name}/square", specs)
            specs[square] = specs[step.name]
            steps.append(Step(OPS["square"], x, {}, (), (square,)))
            steps.append(step._replace(op=OPS["mul"], inputs=(square, *x)))
        else:
            steps.append(step)
    return without_unread(program._replace(steps=tuple(steps), specs=specs))


def _exponent(step: Step, program: Program) -> float | None:
    """Return the constant exponent of a power of floats; None for other steps."""
    if step.op.name != "pow" or is_replaced(step.op):
        return None
    array = program.constants.get(step.inputs[1])
    is_kept = program.specs[step.inputs[0]] == program.specs[step.name]
    if array is None or array.dtype != np.float32 or array.size != 1 or not is_kept:
        return None
    return float(array.item())
