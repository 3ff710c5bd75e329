"""Formulas of element-wise ops: results equal those of the kernels bit for bit, also in place.

Exceptions are the sign of NaN, and of zeros of `prelu`.

A formula makes the calls for one block: of operands, the result, and contiguous temporaries. A
formula reads its operands before it writes to the result, which may be one of them.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from core.backends.cpu.numpy_steps.fixed_point import quanta_binary, requantise
from core.backends.cpu.numpy_steps.float64_formulas import (
    FLOAT64_FORMULAS,
    FLOAT64_TEMPS,
    Arrays,
    Formula,
    between,
    flags_in,
    row_for,
)
from core.backends.cpu.numpy_steps.lowering_rules import Work
from core.backends.cpu.numpy_steps.row_blocks import spread_to, with_long_rows
from core.engine.program import Step
from core.engine.registry import READY, find_kernel
from core.errors import CoreError
from core.ops.quantisation import NUDGE

#: Attributes of a step of ``prelu`` whose factors may be infinite or NaN.
ANY_FACTORS = {"any_factors": True}

#: Ops that are the same function of NumPy of int32 as of float32.
INT32_OPS = frozenset({"add", "sub", "mul", "maximum", "minimum"})

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


def element_works(step: Step, operands: Arrays, out: np.ndarray, temps: Arrays) -> list[Work]:
    """Return the calls of an element-wise step.

    Args:
        step: step of an element-wise op; the names of its inputs are ignored.
        operands: inputs in order, of shapes that broadcast to the shape of ``out``. Long contiguous
            rows, such as [height, width * channels], are best.
        out: the result, which may be one of the operands (but no other part of one).
        temps: contiguous float32 arrays of the shape of ``out``, as many as `temps_of` returns.
    """
    arrays = [out, *temps, *(spread_to(o, out.shape) for o in operands)]
    if not out.size:
        return []
    out, *rest = with_long_rows(arrays)
    formula = _FORMULAS.get(step.op.name) or _formula_by_kernel(step)
    return formula(rest[len(temps) :], out, rest[: len(temps)], step.attributes)


def temps_of(step: Step) -> int:
    """Return the number of temporaries that a step needs."""
    if step.op.name == "quantise_round":
        return int(step.attributes["low"] < step.attributes["zero_point"])
    if step.op.name == "requantise":
        return 2 if step.attributes["least"] < 0 else 1
    if step.op.name == "add_n":
        return int(len(step.inputs) > 2)
    if step.op.name == "prelu":
        return 2 if "any_factors" in step.attributes else 1
    return _TEMPS.get(step.op.name, 0)


def _formula_by_kernel(step: Step) -> Formula:
    """Return calls for ops without a formula: the kernel's result for each block is copied."""
    kernel = READY.get((step.op.name, "cpu")) or find_kernel(step.op.name, "cpu")

    def run(xs: Arrays, out: np.ndarray, attributes: Mapping[str, Any]) -> None:
        made = kernel(*step.arguments(xs), **attributes)
        if made.shape != out.shape or made.dtype != out.dtype:
            raise CoreError(
                f"the kernel of the element-wise op {step.op.name!r} returned {made.dtype} "
                f"{made.shape} for a block of {out.dtype} {out.shape}"
            )
        np.copyto(out, made)

    return lambda xs, out, temps, attributes: [partial(run, xs, out, attributes)]


def _plain(function: np.ufunc) -> Formula:
    return lambda xs, out, temps, attributes: [partial(function, *xs, out=out)]


def _negative(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """Multiply by -1, which gives zeros the sign that the kernel gives.

    `np.negative` of NumPy 2.4 reads values that are 16 bytes apart as if they were adjacent if the
    values of the result are 16 bytes apart, too: a column of one-channel pixels in a margin.
    """
    return [partial(np.multiply, xs[0], row_for(-1, out), out=out)]


def _add_n(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """Add from first to last; partial sums must not overwrite a later operand."""
    if len(xs) < 3:
        return [partial(np.add, *xs, out=out) if len(xs) == 2 else partial(np.copyto, out, xs[0])]
    so_far, *_ = temps
    first = partial(np.add, xs[0], xs[1], out=so_far)
    between = [partial(np.add, so_far, x, out=so_far) for x in xs[2:-1]]
    return [first, *between, partial(np.add, so_far, xs[-1], out=out)]


def _clip(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    limits = attributes["clip_value_min"], attributes["clip_value_max"]
    return [between(xs[0], *limits, out)]


def _with_factor(x: np.ndarray, factor: Any, out: np.ndarray, negative: np.ndarray) -> list[Work]:
    """Add the positive part and a factor times the negative part: one of them is 0.

    A choice between x and its product takes ten times as long. Factors must be finite: others make
    that 0 NaN where x is positive.
    """
    return [
        partial(np.minimum, x, row_for(0, out), out=negative),
        partial(np.multiply, negative, factor, out=negative),
        partial(np.maximum, x, row_for(0, out), out=out),
        partial(np.add, out, negative, out=out),
    ]


def _prelu(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    if "any_factors" in attributes:
        return _prelu_of_any(xs, out, temps)
    return _with_factor(xs[0], xs[1], out, temps[0])


def _prelu_of_any(xs: Arrays, out: np.ndarray, temps: Arrays) -> list[Work]:
    """Return the product for negative x, chosen by bits: a choice by flags takes ten times as long.

    The bits in which both differ change in all values whose sign is set; -0 loses its sign.
    """
    x, factor = xs
    change, signs = (temp.view(np.int32) for temp in temps)
    bits = x.view(np.int32)
    return [
        partial(np.add, x, np.array(0, np.float32), out=temps[1]),
        partial(np.right_shift, signs, np.array(31, np.int32), out=signs),
        partial(np.multiply, x, factor, out=temps[0]),
        partial(np.bitwise_xor, change, bits, out=change),
        partial(np.bitwise_and, change, signs, out=change),
        partial(np.bitwise_xor, bits, change, out=out.view(np.int32)),
    ]


def _leaky_relu(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    return _with_factor(xs[0], np.float32(attributes["alpha"]), out, temps[0])


_SIGN, _HALF = (np.array(bits, np.uint32).view(np.int32) for bits in (0x80000000, 0x3F000000))


def _quantise_round(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """Round as the kernel does, but clip first: integer limits do not change the nearest integer.

    Values of at least 0 then need no negative halves. Otherwise the half with the sign of each
    value is made of its bits, which takes a fourth of the time of np.copysign.
    """
    scale = np.array(attributes["scale"], np.float32)
    low, high = (attributes[name] - attributes["zero_point"] for name in ("low", "high"))
    works: list[Work] = [partial(np.divide, xs[0], scale, out=out)]
    if attributes["nudge"]:
        works.append(partial(np.multiply, out, np.array(NUDGE), out=out))
    works.append(between(out, low, high, out))
    half = np.array(0.5, np.float32)
    if low < 0:
        half = temps[0]
        bits = half.view(np.int32)
        works.append(partial(np.bitwise_and, out.view(np.int32), _SIGN, out=bits))
        works.append(partial(np.bitwise_or, bits, _HALF, out=bits))
    works.append(partial(np.add, out, half, out=out))
    return [*works, partial(np.trunc, out, out=out), partial(np.multiply, out, scale, out=out)]


def _sign(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    """Return the sign as the kernel does: 0 for NaN."""
    (x,), (is_above, is_below) = xs, flags_in(temps[0])
    zero = np.array(0, out.dtype)
    return [
        partial(np.greater, x, zero, out=is_above),
        partial(np.less, x, zero, out=is_below),
        partial(np.subtract, is_above.view(np.int8), is_below.view(np.int8), out=out),
    ]


def _step(xs: Arrays, out: np.ndarray, temps: Arrays, attributes: Any) -> list[Work]:
    (x,), (is_above, is_nan) = xs, flags_in(temps[0])
    return [
        partial(np.greater, x, np.array(0, out.dtype), out=is_above),
        partial(np.isnan, x, out=is_nan),
        partial(np.copyto, out, np.array(attributes["alpha"], out.dtype)),
        partial(np.copyto, out, np.array(1, out.dtype), where=is_above),
        partial(np.copyto, out, np.array(np.nan, out.dtype), where=is_nan),
    ]


_FORMULAS: dict[str, Formula] = {
    **FLOAT64_FORMULAS,
    **{op: _plain(function) for op, function in _PLAIN.items()},
    "squared_difference": lambda xs, out, temps, attributes: [
        partial(np.subtract, *xs, out=out),
        partial(np.square, out, out=out),
    ],
    "add_n": _add_n,
    "neg": _negative,
    "prelu": _prelu,
    "leaky_relu": _leaky_relu,
    "relu": lambda xs, out, temps, attributes: [
        partial(np.maximum, xs[0], row_for(0, out), out=out)
    ],
    "relu6": lambda xs, out, temps, attributes: [between(xs[0], 0, 6, out)],
    "clip_by_value": _clip,
    "quanta_binary": quanta_binary,
    "quantise_round": _quantise_round,
    "requantise": requantise,
    "sign": _sign,
    "step": _step,
}

_TEMPS = {**FLOAT64_TEMPS, **dict.fromkeys(("leaky_relu", "sign", "step"), 1)}
