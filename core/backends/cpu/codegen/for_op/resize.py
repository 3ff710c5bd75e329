"""Generated resizes of images."""

from dataclasses import replace
from math import prod

from core.backends.cpu.codegen.for_op.copies import whole_copy
from core.backends.cpu.codegen.ir.epilogue import CHANNEL
from core.backends.cpu.codegen.kernels.resize import TABLES, Resize
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)

#: Vectors of a line that is written as a whole: longer ones have too much text.
_LONGEST = 160

#: Cost of a value of the result, in multiply-adds of a tile.
_WORK = 32


@generates("resize_bilinear", "resize_nearest_neighbor")
def generate_resize(call: GeneratedCall) -> Generated | None:
    """Generate resized images: the lines, then the columns."""
    (x,) = call.step.inputs
    if not call.has_floats(x):
        return None
    resize = _resize(call)
    # Mixed with itself, an infinity gives NaN, so that only the nearest pixels are a copy.
    is_copy = resize.in_size == resize.out_size and not resize.mixes
    arguments: list[Argument] = [x, call.step.name, *[""] * (0 if is_copy else TABLES)]
    steps = call.fused(arguments)
    if steps is None:
        return None
    if is_copy:
        return Generated(((whole_copy(call, steps), tuple(arguments)),))
    by_channel = any(o.kind == CHANNEL for step in steps for o in step.operands)
    lanes, values = call.isa.lanes, resize.out_size[1] * resize.channels
    is_flat = resize.channels < lanes and values <= _LONGEST * lanes and not by_channel
    resize = replace(resize, is_flat=is_flat, steps=steps)
    arguments[2 : 2 + TABLES] = [call.packed(table) for table in resize.tables()]
    return Generated(((resize, tuple(arguments)),), call.packed_bytes)


def _resize(call: GeneratedCall) -> Resize:
    """Return a resize without an epilogue."""
    *batch, height, width, channels = call.spec(call.step.inputs[0]).shape
    how, (*_, new_height, new_width, _) = call.step.attributes, call.result.shape
    centres = how["align_corners"], how["half_pixel_centers"]
    mixes = call.step.op.name == "resize_bilinear"
    lines = prod(batch) * new_height
    block = -(-lines // task_count(_WORK * call.result.size, lines))
    size, new_size = (height, width), (new_height, new_width)
    return Resize(prod(batch), channels, size, new_size, centres, mixes, False, block, ())
