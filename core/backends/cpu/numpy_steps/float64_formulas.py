"""Formulas of element-wise ops that compute in float64 and round once, as the kernels do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from core.backends.cpu.kernels.unary import FLOAT64_FUNCTIONS, FLOAT64_STEPS
from core.backends.cpu.numpy_steps.lowering_rules import Work
from core.backends.cpu.numpy_steps.row_blocks import cut_into_blocks, row_of

Arrays = Sequence[np.ndarray]

#: Function that makes the calls for a block: (operands, result, temporaries, attributes) -> calls.
Formula = Callable[[Arrays, np.ndarray, Arrays, Mapping[str, Any]], list[Work]]


def row_for(value: float, out: np.ndarray) -> np.ndarray:
    """Return a row of one number, as long as the rows of an array."""
    return row_of(float(value), out.shape[-1], out.dtype)


def between(x: np.ndarray, low: float, high: float, out: np.ndarray) -> Work:
    """Clip; np.clip would spend half of its time on small arrays in looking up its method."""
    return partial(x.clip, np.array(low, out.dtype), np.array(high, out.dtype), out=out)


def flags_in(temp: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return two bool arrays in the memory of a temporary."""
    flags = temp.reshape(-1).view(np.bool_)
    first, second = flags[: temp.size], flags[temp.size : 2 * temp.size]
    return first.reshape(temp.shape), second.reshape(temp.shape)


def _in_float64(steps: Callable[..., list[Work]]) -> Formula:
    """Compute on half of the values at a time, so that float64 fits into the temporaries.

    ``steps`` makes calls on float64 arrays, as many as there are temporaries: the first arrays hold
    the operands, and the first gets the result.
    """

    def formula(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
        works: list[Work] = []
        for y, *operands in in_halves(out, *xs):
            arrays = [wide(t, y) for t in temps]
            works += [partial(np.copyto, a, x) for a, x in zip(arrays, operands, strict=False)]
            works += steps(*arrays)
            works.append(partial(np.copyto, y, arrays[0], casting="same_kind"))
        return works

    return formula


def in_halves(out: np.ndarray, *xs: np.ndarray) -> Iterator[list[np.ndarray]]:
    """Return blocks of arrays with at most half of their values each."""
    return cut_into_blocks([out, *xs], max(out.size // 2, 1))


def wide(temp: np.ndarray, part: np.ndarray) -> np.ndarray:
    """Return the memory of a temporary as float64, for at most half of its values."""
    if temp.size < 2:  # the scratch that it begins in has two values
        return as_strided(temp.reshape(-1), (2,)).view(np.float64).reshape(part.shape)
    values = temp.reshape(-1)[: temp.size // 2 * 2].view(np.float64)
    return values[: part.size].reshape(part.shape)


_ONE = np.array(1.0)


def _mod(a: np.ndarray, b: np.ndarray, shifted: np.ndarray, temp: np.ndarray) -> list[Work]:
    """Return the remainder as the kernel does: of unlike signs the remainder plus b, or zero."""
    differ, other = flags_in(temp)
    zero = np.array(0.0)
    return [
        partial(np.less, a, zero, out=differ),
        partial(np.less, b, zero, out=other),
        partial(np.not_equal, differ, other, out=differ),
        partial(np.fmod, a, b, out=a),
        partial(np.add, a, b, out=shifted),
        partial(np.equal, shifted, b, out=other),
        partial(np.multiply, b, zero, out=b),
        partial(np.copyto, shifted, b, where=other),
        partial(np.copyto, a, shifted, where=differ),
    ]


def _power(a: np.ndarray, b: np.ndarray, temp: np.ndarray) -> list[Work]:
    """Return powers as the kernel does: 1 to the power of NaN or an infinity is NaN."""
    is_one, is_finite = flags_in(temp)
    return [
        partial(np.isfinite, b, out=is_finite),
        partial(np.power, a, b, out=a),
        partial(np.equal, a, _ONE, out=is_one),
        partial(np.greater, is_one, is_finite, out=is_one),
        partial(np.copyto, a, np.array(np.nan), where=is_one),
    ]


def _one_call(function: Callable[..., Any]) -> Formula:
    return _in_float64(lambda *wide: [partial(function, *wide)])


def _in_place(function: np.ufunc) -> Formula:
    return _in_float64(lambda x: [partial(function, x, out=x)])


#: Formulas by op.
FLOAT64_FORMULAS: dict[str, Formula] = {
    **{op: _in_place(function) for op, function in FLOAT64_FUNCTIONS.items()},
    **{op: _one_call(function) for op, (function, _) in FLOAT64_STEPS.items()},
    "mod": _in_float64(_mod),
    "pow": _in_float64(_power),
    "atan2": _in_float64(lambda a, b: [partial(np.arctan2, a, b, out=a)]),
}

#: Number of temporaries that each formula needs.
FLOAT64_TEMPS = {
    **dict.fromkeys(FLOAT64_FUNCTIONS, 1),
    **{op: 1 + temps for op, (_, temps) in FLOAT64_STEPS.items()},
    "atan2": 2,
    "pow": 3,
    "mod": 4,
}
