"""Merging of zero padding into the convolution that reads it."""

from core.plan.passes.identities import without_unread
from core.plan.program import Program, Step
from core.windows import window

_WINDOWED = ("conv2d", "depthwise_conv2d")


def merge_pads(program: Program) -> Program:
    """Give convolutions the padding of a Pad before them.

    A pad with other readers stays for these.
    """
    pads = {step.name: step for step in program.steps if _is_border(step)}
    steps = tuple(
        _merged(step, pads[step.inputs[0]], program)
        if step.op.name in _WINDOWED and step.inputs[0] in pads
        else step
        for step in program.steps
    )
    return without_unread(program._replace(steps=steps))


def _is_border(step: Step) -> bool:
    """Return whether a step only pads images with zeros."""
    if step.op.name != "pad" or step.attributes.get("constant_value", 0) != 0:
        return False
    sides = step.attributes["paddings"]
    is_simple = not step.epilogue and len(sides) == 4
    return is_simple and not any((*sides[0], *sides[3]))


def _merged(step: Step, pad: Step, program: Program) -> Step:
    """Return the convolution of the input of the pad."""
    if step.attributes.get("data_format", "NHWC") != "NHWC":
        return step
    sizes = program.specs[step.inputs[1]].shape[:2]
    w = window(program.specs[pad.name].shape, sizes, **step.attributes)
    sides = tuple(
        (own[0] + before, own[1] + after)
        for own, (before, after) in zip(w.padding, pad.attributes["paddings"][1:3], strict=True)
    )
    attributes = {**step.attributes, "pad": sides, "dim_rounding_mode": None}
    return step._replace(inputs=(pad.inputs[0], *step.inputs[1:]), attributes=attributes)
