"""Aliases: values that show the data of others."""

from core.plan.program import Program, Step


def is_alias(step: Step, program: Program) -> bool:
    """Return whether the result of a step shares its input's data."""
    if not step.op.traits.view:
        return False
    return program.specs[step.inputs[0]].dtype == program.specs[step.name].dtype


def homes_of(program: Program) -> dict[str, str]:
    """Return for each value the value that owns its data: itself, unless it is a view."""
    homes = {r: r for r in (*program.inputs, *program.constants)}
    for step in program.steps:
        homes.update(zip(step.outputs, step.outputs, strict=True))
        if is_alias(step, program):
            homes[step.name] = homes[step.inputs[0]]
    return homes
