"""The pass that moves transpositions along, until they meet one that undoes them.

In networks with their channels second, each op for images is between two transpositions, as our ops
have the channels last. A value that is a transposition is kept as the value that it shows and the
order of its axes; steps that treat all axes alike work on that value. What needs the axes in their
own order gets the transposition, which is made once.
"""

from core.engine.program import Program, Step
from core.plan.passes.layout_rules import find_rule
from core.plan.passes.moved_values import MovedValues
from core.plan.passes.program_passes import is_replaced


def move_transposes(program: Program) -> Program:
    """Return a program with fewer transpositions of data, which computes the same.

    Sums may be taken in another order. Networks of integers, which have their channels last, stay.
    """
    is_turned = any(step.op.name == "transpose" for step in program.steps)
    if not is_turned or program.integers or program.quantised:
        return program
    values = MovedValues(program)
    for step in program.steps:
        _add(values, values.linked(step))
    return values.result()


def _add(values: MovedValues, step: Step) -> None:
    """Add a step, on the bases of its inputs if its op has a rule for that."""
    may_change = not step.epilogue and not is_replaced(step.op)
    if may_change and step.op.name == "transpose" and not step.attributes["conjugate"]:
        values.add_transpose(step)
        return
    rule = find_rule(step) if may_change and values.shown.keys() & {*step.inputs} else None
    if rule is None or not rule(values, step):
        values.keep(step)
