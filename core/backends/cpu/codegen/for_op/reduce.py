"""Generated reductions, and softmax."""

from collections.abc import Mapping

from core.backends.cpu.codegen.kernels.elementwise import has_channels
from core.backends.cpu.codegen.kernels.reductions import (
    LogSoftmax,
    LogSoftmaxGradient,
    Reduction,
    RowKernel,
    Softmax,
)
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.backends.cpu.numpy_steps.reduce import in_three
from core.engine.specs import normal_axes, normal_axis

#: Cost of a value, in multiply-adds of a tile: reading it; for softmax, its exponential, too.
_WORK, _POWER = 8, 64

#: Granularity of the inner values of a task.
_MULTIPLE = 64


@generates("sum", "mean", "max", "min", "prod")
def generate_reduction(call: GeneratedCall) -> Generated | None:
    """Generate a reduction of adjacent axes."""
    (x,) = call.step.inputs
    shape = call.spec(x).shape
    if not call.has_floats(x):
        return None
    found = in_three(shape, normal_axes(call.step.attributes["axis"], len(shape)))
    arguments: list[Argument] = [x, call.step.name]
    steps = call.fused(arguments)
    if found is None or steps is None:
        return None
    outer, reduced, inner = found
    if has_channels(steps) and call.result.shape[-1] != inner:
        return None
    work = _WORK * call.spec(x).size
    if inner == 1:
        block = -(-outer // task_count(work, outer))
    else:
        parts = -(-inner // _MULTIPLE)
        block = min(inner, -(-parts // task_count(work // outer, parts)) * _MULTIPLE)
    kernel = Reduction(call.step.op.name, outer, reduced, inner, block, steps)
    return Generated(((kernel, tuple(arguments)),))


#: The kernels along rows, by op.
_OF_ROWS: Mapping[str, type[RowKernel]] = {
    "softmax": Softmax,
    "log_softmax": LogSoftmax,
    "log_softmax_grad": LogSoftmaxGradient,
}


@generates(*_OF_ROWS)
def generate_softmax(call: GeneratedCall) -> Generated | None:
    """Generate softmax, its logarithm, or the gradient of that, along the last axis."""
    x, *others = call.step.inputs
    shape, rank = call.result.shape, len(call.result.shape)
    if not call.has_floats(x, *others) or not rank:
        return None
    if normal_axis(call.step.attributes["axis"], rank) + 1 < rank:
        return None
    arguments: list[Argument] = [x, call.step.name, *others]
    steps = call.fused(arguments)
    if steps is None:
        return None
    rows = call.result.size // shape[-1]
    block = -(-rows // task_count(_POWER * call.result.size, rows))
    kernel = _OF_ROWS[call.step.op.name](rows, shape[-1], block, steps)
    return Generated(((kernel, tuple(arguments)),))
