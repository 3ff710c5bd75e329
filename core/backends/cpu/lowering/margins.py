"""The choice of values that have a margin of zeros around their images."""

from core.backends.cpu.lowering.lowering_rules import find_lowering
from core.plan.program import Program, Step, is_alias
from core.windows import Sides, window

_WINDOWED = ("conv2d", "depthwise_conv2d")
_NONE: Sides = ((0, 0), (0, 0))


def choose_margins(program: Program) -> dict[str, Sides]:
    """Return the values whose buffers have a margin, and the widths of the margins.

    Convolutions read their padding from there: nothing is copied. The margin is as large as the
    largest padding of all readers. Values that any step reads as one contiguous array have none:
    matrices, which are the images of convolutions of one pixel, and values seen in other shapes.
    """
    wanted: dict[str, Sides] = {}
    refused: set[str] = set(program.constants)
    for step in program.steps:
        padding = window_padding(step, program)
        images = step.inputs[0] if padding is not None else None
        if padding is not None and images is not None:
            wanted[images] = _larger(wanted.get(images, _NONE), padding)
        if is_alias(step, program) or find_lowering(step.op) is None:
            refused.update(step.outputs, step.inputs)
        if not _reads_rows(step):
            refused.update(r for r in step.inputs if r != images)
    return {r: sides for r, sides in wanted.items() if sides != _NONE and r not in refused}


def window_padding(step: Step, program: Program) -> Sides | None:
    """Return the padding that a convolution may read from a margin; else None."""
    if step.op.name not in _WINDOWED or step.attributes["data_format"] != "NHWC":
        return None
    shape = program.specs[step.inputs[0]].shape
    w = window(shape, program.specs[step.inputs[1]].shape[:2], **step.attributes)
    return None if max(w.size) == 1 else w.padding


def _reads_rows(step: Step) -> bool:
    """Return whether a step reads all its inputs row by row."""
    is_lowered = find_lowering(step.op) is not None
    return is_lowered and step.op.name not in ("conv2d", "matmul", "conv2d_backprop_input")


def _larger(a: Sides, b: Sides) -> Sides:
    return tuple((max(p[0], q[0]), max(p[1], q[1])) for p, q in zip(a, b, strict=True))
