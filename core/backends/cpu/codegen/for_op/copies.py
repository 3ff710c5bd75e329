"""Generated copies: ops that only move values, of float32 or int32."""

from collections.abc import Sequence

import numpy as np

from core.backends.cpu.codegen.ir.epilogue import CHANNEL, Fused
from core.backends.cpu.codegen.kernels.copies import Axis, Copies, Copy, copy_axes, cut_copy
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.backends.cpu.moves import MOVES, Pair

#: Copies of one step that are worth a kernel: more have too much text.
_MOST_COPIES = 32

#: Cost of copying a value, in multiply-adds of a tile.
_WORK = 16


@generates(*MOVES)
def generate_copies(call: GeneratedCall) -> Generated | None:
    """Generate the copies of a step; with an epilogue, for one result of float32."""
    if not _is_plain(call):
        return None
    step = call.step
    arguments: list[Argument] = [*step.inputs, *step.outputs]
    steps = call.fused(arguments)
    if steps is None:
        return None
    by_channel = any(o.kind == CHANNEL for s in steps for o in s.operands)
    channels = call.result.shape[-1] if by_channel else None
    # Views of arrays that nobody reads or writes give offsets and strides.
    values = [np.empty(call.spec(r).shape, np.float32) for r in (*step.inputs, *step.outputs)]
    count = len(step.inputs)
    pairs = MOVES[step.op.name](values[count:], values[:count], _numbers(call))
    pairs = [(to, at) for to, at in pairs if to.size]
    if len(pairs) > _MOST_COPIES:
        return None
    copies: list[Copy] = []
    for pair in pairs:
        copies += cut_copy(_copy(call, pair, values, arguments, channels), call.isa.lanes)
    most = max(copy.shared for copy in copies)
    tasks = task_count(_WORK * sum(to.size for to, _ in pairs), most)
    kernel = Copies(tuple(copies), channels or 1, tasks, steps)
    return call.generated((kernel, tuple(arguments)))


def whole_copy(call: GeneratedCall, steps: tuple[Fused, ...]) -> Copies:
    """Return the kernel of a step that copies its input, argument 0, to its result, argument 1."""
    channels = call.result.shape[-1]
    pixels = call.result.size // channels
    axes = Axis(pixels, channels, channels), Axis(channels, 1, 1)
    tasks = task_count(_WORK * call.result.size, pixels)
    return Copies((Copy(0, 1, (0, 0), axes),), channels, tasks, steps)


def _is_plain(call: GeneratedCall) -> bool:
    """Return whether all values have one dtype of four bytes, and none is empty."""
    step = call.step
    specs = [call.spec(r) for r in (*step.inputs, *step.outputs)]
    if step.epilogue and (len(step.outputs) > 1 or specs[0].dtype != "float32"):
        return False
    is_empty = any(not spec.size for spec in specs)
    return not is_empty and {s.dtype for s in specs} in ({"float32"}, {"int32"})


def _numbers(call: GeneratedCall) -> dict[str, object]:
    """Return the attributes; a number that fills borders has the bits of the values' dtype."""
    how = dict(call.step.attributes)
    if "constant_value" in how:
        bits = np.array(how["constant_value"], call.result.dtype)
        how["constant_value"] = bits.view(np.float32)
    return how


def _copy(
    call: GeneratedCall,
    pair: Pair,
    values: Sequence[np.ndarray],
    arguments: list[Argument],
    channels: int | None,
) -> Copy:
    """Return a copy between views of values; a number becomes an argument."""
    to, at = pair
    addresses = []
    for view in (at, to):
        owner = next((i for i, v in enumerate(values) if np.may_share_memory(view, v)), None)
        if owner is None:
            arguments.append(call.packed(view[(0,) * view.ndim].reshape(1)))
            addresses.append((len(arguments) - 1, 0))
        else:
            addresses.append((owner, _address(view) - _address(values[owner])))
    (source, begin), (target, offset) = addresses
    return Copy(source, target, (begin // 4, offset // 4), copy_axes(to, at, channels))


def _address(view: np.ndarray) -> int:
    return int(view.__array_interface__["data"][0])
