"""Generated element-wise steps."""

from math import prod

from core.backends.cpu.codegen.kernels.elementwise import Elementwise, has_channels
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.engine.specs import Shape

#: Cost of a step for each value, in multiply-adds of a tile; memory bounds it.
_WORK = 16

#: Granularity of the values of a task: only the last task has a partial vector.
_MULTIPLE = 256


@generates("elementwise", "relu_grad", "elu_grad")
def generate_elementwise(call: GeneratedCall) -> Generated | None:
    """Generate one pass for a step and its epilogue, if operands are whole or repeat simply."""
    if not call.has_floats(*call.step.inputs):
        return None
    arguments: list[Argument] = [call.step.name]
    steps = call.fused(arguments, (call.step, *call.step.epilogue))
    if steps is None:
        return None
    rows, length, block = cut_values(call.result.shape, len(steps), by_channel=has_channels(steps))
    kernel = Elementwise(rows, length, block, steps)
    return Generated(((kernel, tuple(arguments)),), in_place=True)


def cut_values(shape: Shape, steps: int, *, by_channel: bool) -> tuple[int, int, int]:
    """Return how values are cut for tasks: rows, values in a row, and rows or values in a task.

    Args:
        shape: of the values.
        steps: element-wise steps that each value takes.
        by_channel: whether rows are those of channels; else all values are one row.
    """
    size = prod(shape)
    work = _WORK * steps * size
    if by_channel:
        rows = size // shape[-1]
        return rows, shape[-1], -(-rows // task_count(work, rows))
    parts = -(-size // _MULTIPLE)
    return 1, size, min(size, -(-parts // task_count(work, parts)) * _MULTIPLE)
