"""Optimizer steps in place: the formulas of `core.optimizers.formulas` without new arrays.

A formula is traced once. Its float32 operations in their order give identical bits, but for numbers
below the smallest normal one: see `drop_denormals`.
"""

from collections.abc import Iterator, Sequence
from functools import cache, partial, partialmethod
from threading import local
from typing import Any

import numpy as np

from core.optimizers.formulas import ELEMENTWISE

Array = np.ndarray
Several = Sequence[np.ndarray]

#: Floats that are worked on at a time: the pieces of five arrays stay in a cache of 1 MB.
BLOCK = 2**15

#: Free buffers, which the longest formula needs.
_FREE = 3

#: A NumPy function, and the numbers of the buffers of its operands and of its result.
Step = tuple[Any, int, int, int]


class _Scratch(local):
    """Memory for intermediate values, for each thread."""

    def __init__(self) -> None:
        self.blocks = [np.empty(BLOCK, np.float32) for _ in range(_FREE)]


_scratch = _Scratch()


def _update(
    formula: str, value: Array, gradient: Array, kept: Several, constants: Several, clean: bool
) -> None:
    """Make a step, block by block.

    Args:
        formula: name of the formula.
        value: value of the variable, which is changed.
        gradient: gradient, of the shape of the value.
        kept: slots of the optimizer for the variable, which are changed.
        constants: float32 numbers as arrays without axes, which NumPy takes faster than scalars.
        clean: whether to replace denormal numbers in the slots by zeros.
    """
    for array in kept:
        array.setflags(write=True)
    steps = _steps(formula, len(kept), len(constants))
    w, g, *flat = [a.ravel() for a in (value, gradient, *kept)]
    if w.size <= BLOCK:
        _run(steps, [g, *constants, w, *flat])
    else:
        for piece in _pieces(w):
            _run(steps, [g[piece], *constants, w[piece], *(a[piece] for a in flat)])
    if clean:
        for array in flat:
            drop_denormals(array)
    for array, changed in zip((value, *kept), (w, *flat), strict=True):
        if changed.base is None:  # a copy, as the array is not contiguous
            array[...] = changed.reshape(array.shape)


def _pieces(array: Array) -> Iterator[slice]:
    return (slice(start, start + BLOCK) for start in range(0, array.size, BLOCK))


_SMALLEST = np.finfo(np.float32).smallest_normal


def drop_denormals(array: Array) -> None:
    """Replace denormal numbers, with which many processors are fifty times slower, by zeros.

    Without gradients, means decay to such numbers and stay there: 0.9 times the smallest one is
    rounded to itself.
    """
    for piece in _pieces(array):
        part = array[piece]
        tiny = np.absolute(part, _scratch.blocks[0][: part.size]) < _SMALLEST
        if tiny.any():
            part[tiny] = 0


def _run(steps: Sequence[Step], buffers: list[Array]) -> None:
    size, blocks = buffers[0].size, _scratch.blocks
    buffers += blocks[0][:size], blocks[1][:size], blocks[2][:size]
    for function, first, second, target in steps:
        function(buffers[first], buffers[second], buffers[target])


def _sqrt(x: Array, _: Array, out: Array) -> None:
    np.sqrt(x, out)


def _absolute(x: Array, _: Array, out: Array) -> None:
    np.absolute(x, out)


def _sign(x: Array, _: Array, out: Array) -> None:
    np.sign(x, out)


def _maximum(x: Array, y: Array, out: Array) -> None:
    np.maximum(x, y, out=out)  # NumPy takes no third argument here


def _minimum(x: Array, y: Array, out: Array) -> None:
    np.minimum(x, y, out=out)


def _power(x: Array, y: Array, out: Array) -> None:
    np.power(x, y, out=out, dtype=np.float64, casting="same_kind")  # as the op does


def _copy(x: Array, _: Array, out: Array) -> None:
    out[...] = x


class _Traced:
    """A value in a formula that is being traced: each operation on it becomes a step.

    Args:
        number: number of the value: first those of the buffers, then those of the steps' results.
        made: the function and the numbers of two operands of each step so far.
        count: number of the buffers.
    """

    def __init__(self, number: int, made: list[tuple[Any, int, int]], count: int):
        self.number, self._made, self._count = number, made, count

    def _then(self, function: Any, other: "_Traced") -> "_Traced":
        self._made.append((function, self.number, other.number))
        return _Traced(self._count + len(self._made) - 1, self._made, self._count)

    __add__ = partialmethod(_then, np.add)
    __sub__ = partialmethod(_then, np.subtract)
    __mul__ = partialmethod(_then, np.multiply)
    __truediv__ = partialmethod(_then, np.divide)
    __pow__ = partialmethod(_then, _power)
    maximum = partialmethod(_then, _maximum)
    minimum = partialmethod(_then, _minimum)

    def sqrt(self) -> "_Traced":
        return self._then(_sqrt, self)

    def abs(self) -> "_Traced":
        return self._then(_absolute, self)

    def sign(self) -> "_Traced":
        return self._then(_sign, self)


@cache
def _steps(formula: str, slots: int, constants: int) -> list[Step]:
    """Return the steps of a formula in place.

    The buffers are the gradient, the constants, the value, the slots, and free ones. A result is
    stored over an operand that no later step reads, or in a free buffer, from which copies at the
    end bring it home.
    """
    value, count = 1 + constants, 2 + constants + slots
    made: list[tuple[Any, int, int]] = []
    g, *rest = (_Traced(number, made, count + _FREE) for number in range(count))
    results = ELEMENTWISE[formula](rest[constants], g, rest[value:], rest[:constants])
    last = {number: i for i, step in enumerate(made) for number in step[1:]}
    last |= dict.fromkeys((each.number for each in results), len(made))
    buffers, free, steps = list(range(count + _FREE)), [*range(count, count + _FREE)], []
    for i, (function, *numbers) in enumerate(made):
        first, second = (buffers[number] for number in numbers)
        ended = [buffers[n] for n in numbers if last[n] == i and buffers[n] >= value]
        target = ended[0] if ended else free.pop()
        free += [b for b in {*ended} - {target} if b >= count]
        buffers.append(target)
        steps.append((function, first, second, target))
    ends = [
        (buffers[each.number], home)
        for each, home in zip(results, range(value, count), strict=True)
    ]
    assert all(end in (home, *range(count, count + _FREE)) for end, home in ends), formula
    return steps + [(_copy, end, end, home) for end, home in ends if end != home]


UPDATES = {formula: partial(_update, formula) for formula in ELEMENTWISE}
