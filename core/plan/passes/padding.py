"""Borders of zeros become padding of the convolution that reads them."""

from core.plan.passes.identities import without_unread
from core.plan.program import Program, Step
from core.windows import window

_WINDOWED = ("conv2d", "depthwise_conv2d")


def merge_pads(program: Program) -> Program:
    """Let convolutions pad for themselves what a Pad put around their images.

    A pad that something else reads stays for that.
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
    """Whether a step puts zeros around images, and nothing else."""
    if step.op.name != "pad" or step.attributes.get("constant_value", 0) != 0:
        return False
    sides = step.attributes["paddings"]
    is_simple = not step.epilogue and len(sides) == 4
    return is_simple and not any((*sides[0], *sides[3]))


def _merged(step: Step, pad: Step, program: Program) -> Step:
    """The convolution of what was padded."""
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
