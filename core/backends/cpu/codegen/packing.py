"""The weights of a step as kernels read them: constants are packed once, others in each run."""

from collections.abc import Callable, Iterable

import numpy as np

from core.backends.cpu.codegen.kernels.copies import Copies, Copy, copy_axes, cut_copy
from core.backends.cpu.codegen.kernels.products import Panels
from core.backends.cpu.codegen.step_kernels import Argument, GeneratedCall, Temporary, task_count

#: Returns a view of weights as [..., channels], without copying them.
View = Callable[[np.ndarray], np.ndarray]

#: Cost of copying a value, in multiply-adds of a tile.
_WORK = 16


def panels_for(
    call: GeneratedCall, weights: str, channels: int, vectors: int, *, is_plain: bool
) -> Panels:
    """Return how weights are cut; kernels read those as they are that change, and can be.

    Args:
        call: the step.
        weights: reference to the weights.
        channels: channels of the result.
        vectors: vectors of channels in a tile.
        is_plain: whether the weights lie in memory as [depth, channels].
    """
    is_direct = is_plain and call.constant(weights) is None
    return Panels(channels, vectors, call.isa.lanes, is_direct)


def packed_argument(call: GeneratedCall, weights: str, view: View, panels: Panels) -> Argument:
    """Return the argument for weights; a kernel that packs them is added if they may change.

    Args:
        call: the step.
        weights: reference to the weights.
        view: shows them as [..., channels].
        panels: how they are cut.
    """
    array = call.constant(weights)
    if array is not None:
        return call.weights(view(array), panels)
    if panels.direct:
        return weights
    spec = call.spec(weights)
    # Views of an array that nobody reads or writes give offsets and strides.
    source = np.empty(spec.shape, np.float32)
    shown = view(source)
    to = np.empty(shown.size // panels.channels * panels.values, np.float32)
    return copied_argument(call, weights, source, to, panels.moves(to, shown))


def copied_argument(
    call: GeneratedCall,
    value: str,
    source: np.ndarray,
    to: np.ndarray,
    moves: Iterable[tuple[np.ndarray, np.ndarray]],
) -> Temporary:
    """Return memory into which a kernel that is added copies a value in another order.

    Args:
        call: the step.
        value: reference to the value.
        source: an array of its shape, of which ``moves`` has views.
        to: likewise for the memory.
        moves: views of ``to``, and what is copied there: views of ``source``, or zeros.
    """
    made = call.temporary(to.size)
    zeros = call.packed(np.zeros(1, np.float32))
    copies: list[Copy] = []
    for target, at in moves:
        if not target.size:
            continue
        is_zero = not np.may_share_memory(at, source)
        begins = 0 if is_zero else _offset(at, source), _offset(target, to)
        copy = Copy(2 if is_zero else 0, 1, begins, copy_axes(target, at))
        copies += cut_copy(copy, call.isa.lanes)
    most = max(copy.shared for copy in copies)
    kernel = Copies(tuple(copies), 1, task_count(_WORK * to.size, most), ())
    call.run_first(kernel, value, made, zeros)
    return made


def _offset(view: np.ndarray, whole: np.ndarray) -> int:
    """Return the offset of a view in its array, in values."""
    begin, start = (a.__array_interface__["data"][0] for a in (view, whole))
    return int(begin - start) // whole.itemsize
