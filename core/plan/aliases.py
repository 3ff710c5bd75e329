"""Aliases: values that show the data of others."""

from core.plan.program import Program, Step


def is_alias(step: Step, program: Program) -> bool:
    """Whether the result of a step is its input's data."""
    if not step.op.traits.view:
        return False
    return program.specs[step.inputs[0]].dtype == program.specs[step.name].dtype


def homes_of(program: Program) -> dict[str, str]:
    """For each value the one whose data it shows: itself, unless it is that in another shape."""
    homes = {r: r for r in (*program.inputs, *program.constants)}
    for step in program.steps:
        homes.update(zip(step.outputs, step.outputs, strict=True))
        if is_alias(step, program):
            homes[step.name] = homes[step.inputs[0]]
    return homes
