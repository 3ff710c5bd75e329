"""Generated element-wise steps."""

from core.backends.cpu.codegen.elementwise import Elementwise, has_channels
from core.backends.cpu.codegen.kernels import (
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)

#: What a step takes for each value, in multiply-adds of a tile; memory is what it waits for.
_WORK = 16

#: Values of a task are a multiple, so that only the last one has a vector that is not full.
_MULTIPLE = 256


@generates("elementwise")
def generate_elementwise(call: GeneratedCall) -> Generated | None:
    """Generate one pass for a step and its epilogue, if operands are whole or repeat simply."""
    if not call.has_floats(*call.step.inputs):
        return None
    arguments: list[Argument] = [call.step.name]
    steps = call.fused(arguments, (call.step, *call.step.epilogue))
    if steps is None:
        return None
    shape, size = call.result.shape, call.result.size
    work = _WORK * len(steps) * size
    if has_channels(steps):
        rows, length = size // shape[-1], shape[-1]
        block = -(-rows // task_count(work, rows))
    else:
        rows, length = 1, size
        parts = -(-size // _MULTIPLE)
        block = min(size, -(-parts // task_count(work, parts)) * _MULTIPLE)
    return Generated(((Elementwise(rows, length, block, steps), tuple(arguments)),))
