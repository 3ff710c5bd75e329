"""Removal of steps without effect, and of steps that nothing reads."""

from collections.abc import Mapping

from core.plan.program import Program, Step
from core.specs import Spec

#: Ops with one input that change nothing where its spec stays: nothing is added or taken away.
_OF_ONE_INPUT = ("pad", "mirror_pad", "slice", "concat", "tile")


def drop_identities(program: Program) -> Program:
    """Drop ops that change nothing for these shapes, and ops and constants without a reader."""
    links: dict[str, str] = {}
    kept: list[Step] = []
    for step in program.steps:
        step = step.with_reads(links)
        if _is_identity(step, program.specs):
            links[step.name] = step.inputs[0]
        else:
            kept.append(step)
    outputs = tuple(links.get(reference, reference) for reference in program.outputs)
    return without_unread(program._replace(steps=tuple(kept), outputs=outputs))


def _is_identity(step: Step, specs: Mapping[str, Spec]) -> bool:
    if step.epilogue or not step.inputs or specs[step.inputs[0]] != specs[step.name]:
        return False
    if step.op.traits.view or step.op.name == "broadcast_to":
        return True
    if step.op.name in _OF_ONE_INPUT:
        return len(step.inputs) == 1
    rank = len(specs[step.name].shape)
    return step.op.name == "transpose" and step.attributes["perm"] in (tuple(range(rank)),)


def without_unread(program: Program) -> Program:
    """Return the program without steps and constants that no output needs; inputs stay."""
    needed = set(program.outputs)
    kept = []
    for step in reversed(program.steps):
        if not needed.isdisjoint(step.outputs):
            kept.append(step)
            needed.update(step.reads())
    constants = {name: a for name, a in program.constants.items() if name in needed}
    return program._replace(steps=tuple(kept[::-1]), constants=constants)
