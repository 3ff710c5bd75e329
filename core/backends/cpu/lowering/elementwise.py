"""Element-wise ops, alone and in epilogues: bit for bit what the kernels give, in place if asked.

But zeros that `prelu` gives, and NaN, may have the other sign.

Each has a formula that makes its calls for one block: of operands, the result, and temporaries
that are contiguous. A formula reads its operands before it writes to the result, which may be one
of them.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.lowering.lowering_rules import Work
from core.backends.cpu.lowering.row_blocks import cut_into_blocks, row_of, spread_to, with_long_rows
from core.graph.nodes import Node
from core.ops.quantisation import NUDGE

Arrays = Sequence[np.ndarray]
#: In the place of ``"prelu"`` where slopes may be infinite or NaN.
PRELU_OF_ANY = "prelu of any"

Formula = Callable[[Arrays, np.ndarray, Arrays, Mapping[str, Any]], list[Work]]

#: Ops that are one function of NumPy, in the dtype of their operands.
_PLAIN: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "maximum": np.maximum,
    "minimum": np.minimum,
    "abs": np.abs,
    "square": np.square,
    "sqrt": np.sqrt,
    "reciprocal": np.reciprocal,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "floor": np.floor,
    "ceil": np.ceil,
    "round": np.rint,
}


def element_works(node: Node, operands: Arrays, out: np.ndarray, temps: Arrays) -> list[Work]:
    """The calls of an element-wise node.

    Args:
        node: of one of `ELEMENTWISE_OPS` or `PRELU_OF_ANY`; what its inputs are named does not
            matter.
        operands: what it reads, in order, of shapes that broadcast to that of ``out``. Rows that
            are long and contiguous, such as [height, width * channels], are best.
        out: the result, which may be the same array as any operand (but no other part of one).
        temps: `temps_of` it: contiguous float32 arrays of the shape of ``out``.
    """
    arrays = [out, *temps, *(spread_to(o, out.shape) for o in operands)]
    if not out.size:
        return []
    out, *rest = with_long_rows(arrays)
    return _FORMULAS[node.type](rest[len(temps) :], out, rest[: len(temps)], node.attributes)


def temps_of(node: Node) -> int:
    """How many temporaries a node needs."""
    if node.type == "quantise_round":
        return int(node.attributes["low"] < node.attributes["zero_point"])
    if node.type == "add_n":
        return int(len(node.inputs) > 2)
    return _TEMPS.get(node.type, 0)


def _plain(function: np.ufunc) -> Formula:
    return lambda xs, out, temps, attributes: [partial(function, *xs, out=out)]


def _row_for(value: float, out: np.ndarray) -> np.ndarray:
    return row_of(float(value), out.shape[-1], out.dtype)


def _negative(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """As a product, which gives zeros the same signs.

    `np.negative` of NumPy 2.4 reads values that are 16 bytes apart as if they were side by side if
    those of the result are 16 bytes apart, too: a column of pixels of one channel in a margin.
    """
    return [partial(np.multiply, xs[0], _row_for(-1, out), out=out)]


def _squared_difference(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    return [partial(np.subtract, *xs, out=out), partial(np.square, out, out=out)]


def _add_n(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """From the first to the last; the sums so far must not be where a later operand is."""
    if len(xs) < 3:
        return [partial(np.add, *xs, out=out) if len(xs) == 2 else partial(np.copyto, out, xs[0])]
    so_far, *_ = temps
    first = partial(np.add, xs[0], xs[1], out=so_far)
    between = [partial(np.add, so_far, x, out=so_far) for x in xs[2:-1]]
    return [first, *between, partial(np.add, so_far, xs[-1], out=out)]


def _relu(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    return [partial(np.maximum, xs[0], _row_for(0, out), out=out)]


def _between(x: np.ndarray, low: float, high: float, out: np.ndarray) -> Work:
    """What the method has to look up takes half of the time of np.clip for small arrays."""
    return partial(x.clip, np.array(low, out.dtype), np.array(high, out.dtype), out=out)


def _relu6(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    return [_between(xs[0], 0, 6, out)]


def _clip(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    limits = attributes["clip_value_min"], attributes["clip_value_max"]
    return [_between(xs[0], *limits, out)]


def _with_slope(x: np.ndarray, slope: Any, out: np.ndarray, negative: np.ndarray) -> list[Work]:
    """The positive part plus the slope times the negative one: one of them is 0.

    A choice between x and its product takes ten times as long. Slopes must be finite: others make
    NaN of that 0, where x is positive.
    """
    return [
        partial(np.minimum, x, _row_for(0, out), out=negative),
        partial(np.multiply, negative, slope, out=negative),
        partial(np.maximum, x, _row_for(0, out), out=out),
        partial(np.add, out, negative, out=out),
    ]


def _prelu(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    return _with_slope(xs[0], xs[1], out, temps[0])


def _prelu_of_any(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """The product where x is negative: a choice by bits, as one by flags takes ten times as long.

    Bits that change are those of both that differ, in all values whose sign is set; -0 loses it.
    """
    x, slope = xs
    change, signs = (temp.view(np.int32) for temp in temps)
    bits = x.view(np.int32)
    return [
        partial(np.add, x, np.array(0, np.float32), out=temps[1]),
        partial(np.right_shift, signs, np.array(31, np.int32), out=signs),
        partial(np.multiply, x, slope, out=temps[0]),
        partial(np.bitwise_xor, change, bits, out=change),
        partial(np.bitwise_and, change, signs, out=change),
        partial(np.bitwise_xor, bits, change, out=out.view(np.int32)),
    ]


def _leaky_relu(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    return _with_slope(xs[0], np.float32(attributes["alpha"]), out, temps[0])


_SIGN, _HALF = (np.array(bits, np.uint32).view(np.int32) for bits in (0x80000000, 0x3F000000))


def _quantise_round(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """As the kernel, but limits come first: as whole numbers they do not change what is nearest.

    What is not below 0 then needs no halves below 0. Else the half with the sign of each value is
    made of its bits, which takes a fourth of the time of np.copysign.
    """
    scale = np.array(attributes["scale"], np.float32)
    low, high = (attributes[name] - attributes["zero_point"] for name in ("low", "high"))
    works: list[Work] = [partial(np.divide, xs[0], scale, out=out)]
    if attributes["nudge"]:
        works.append(partial(np.multiply, out, np.array(NUDGE), out=out))
    works.append(_between(out, low, high, out))
    half = np.array(0.5, np.float32)
    if low < 0:
        half = temps[0]
        bits = half.view(np.int32)
        works.append(partial(np.bitwise_and, out.view(np.int32), _SIGN, out=bits))
        works.append(partial(np.bitwise_or, bits, _HALF, out=bits))
    works.append(partial(np.add, out, half, out=out))
    return [*works, partial(np.trunc, out, out=out), partial(np.multiply, out, scale, out=out)]


def _in_float64(steps: Callable[..., list[Work]]) -> Formula:
    """Half of the values at a time, so that float64 fits into the temporaries.

    ``steps`` makes calls on float64 arrays, as many as there are temporaries: the first holds the
    values, and gets the result.
    """

    def formula(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
        works: list[Work] = []
        for x, y in cut_into_blocks([xs[0], out], max(out.size // 2, 1)):
            wide = [_wide(t, y) for t in temps]
            works += [partial(np.copyto, wide[0], x), *steps(*wide)]
            works.append(partial(np.copyto, y, wide[0], casting="same_kind"))
        return works

    return formula


def _wide(temp: np.ndarray, part: np.ndarray) -> np.ndarray:
    """The memory of a temporary as float64, for at most half of its values."""
    if temp.size < 2:
        return np.empty(part.shape)
    values = temp.reshape(-1)[: temp.size // 2 * 2].view(np.float64)
    return values[: part.size].reshape(part.shape)


def _in_place(*functions: np.ufunc) -> Formula:
    return _in_float64(lambda x: [partial(f, x, out=x) for f in functions])


_ONE = np.array(1.0)


def _sigmoid(x: np.ndarray) -> list[Work]:
    return [
        partial(np.negative, x, out=x),
        partial(np.exp, x, out=x),
        partial(np.add, x, _ONE, out=x),
        partial(np.reciprocal, x, out=x),
    ]


def _softplus(x: np.ndarray, rest: np.ndarray) -> list[Work]:
    return [
        partial(np.abs, x, out=rest),
        partial(np.negative, rest, out=rest),
        partial(np.exp, rest, out=rest),
        partial(np.log1p, rest, out=rest),
        partial(np.maximum, x, _row_for(0, x), out=x),
        partial(np.add, rest, x, out=x),
    ]


def _elu(x: np.ndarray, negative: np.ndarray) -> list[Work]:
    return [
        partial(np.minimum, x, _row_for(0, x), out=negative),
        partial(np.expm1, negative, out=negative),
        partial(np.maximum, x, _row_for(0, x), out=x),
        partial(np.add, negative, x, out=x),
    ]


_FORMULAS: dict[str, Formula] = {
    **{op: _plain(function) for op, function in _PLAIN.items()},
    "squared_difference": _squared_difference,
    "add_n": _add_n,
    "neg": _negative,
    "prelu": _prelu,
    PRELU_OF_ANY: _prelu_of_any,
    "leaky_relu": _leaky_relu,
    "relu": _relu,
    "relu6": _relu6,
    "clip_by_value": _clip,
    "quantise_round": _quantise_round,
    "exp": _in_place(np.exp),
    "expm1": _in_place(np.expm1),
    "log": _in_place(np.log),
    "log1p": _in_place(np.log1p),
    "rsqrt": _in_place(np.sqrt, np.reciprocal),
    "sigmoid": _in_float64(_sigmoid),
    "softplus": _in_float64(_softplus),
    "elu": _in_float64(_elu),
}

_ONE_TEMP = "exp", "expm1", "log", "log1p", "rsqrt", "sigmoid", "prelu", "leaky_relu"

_TEMPS = {**dict.fromkeys(_ONE_TEMP, 1), "softplus": 2, "elu": 2, PRELU_OF_ANY: 2}
