"""Formulas of element-wise ops on vectors; NaN goes through, as in the kernels of NumPy.

The polynomials of `exp`, `log` and `tanh` are those of Moshier's Cephes library, whose errors are
below two units in the last place.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from core.backends.cpu.codegen.ir.kernel_text import KernelText, Name
from core.ops.quantisation import NUDGE

#: Function that writes a formula: (kernel text, values, attributes) -> result.
Formula = Callable[[KernelText, Sequence[Name], Mapping[str, Any]], Name]


def polynomial(k: KernelText, x: Name, coefficients: Sequence[float]) -> Name:
    """Return a polynomial by Horner's rule, the highest power first."""
    value = k.splat(coefficients[0])
    for coefficient in coefficients[1:]:
        value = k.fma(value, x, k.splat(coefficient))
    return value


def as_integers(k: KernelText, x: Name) -> Name:
    """Return the bits of values."""
    return k.let(f"bitcast {k.vector} {x} to <{k.isa.lanes} x i32>")


def as_floats(k: KernelText, bits: Name) -> Name:
    """Return the values that have some bits."""
    return k.let(f"bitcast <{k.isa.lanes} x i32> {bits} to {k.vector}")


def integers(k: KernelText, number: int) -> str:
    """Return a constant vector of one integer."""
    return f"<{', '.join([f'i32 {number}'] * k.isa.lanes)}>"


def integer_op(k: KernelText, instruction: str, a: Name, b: Name) -> Name:
    """Return the result of an instruction of two vectors of integers."""
    return k.let(f"{instruction} <{k.isa.lanes} x i32> {a}, {b}")


def function(k: KernelText, name: str, x: Name) -> Name:
    """Return an intrinsic function of values, such as ``"floor"``."""
    return k.call(k.vector, f"llvm.{name}.v{k.isa.lanes}f32", f"{k.vector} {x}")


#: Added to a number and taken away again, it leaves the nearest integer; meanwhile the integer
#: stands in the lowest bits.
_ROUNDER = 12582912.0

_EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5)


def exp(k: KernelText, x: Name) -> Name:
    """Return e to the power of values; 0 below -86.99, near the smallest normal number."""
    x = k.minimum(k.splat(89.0), k.maximum(k.splat(-87.33), x))
    raised = k.fma(x, k.splat(1.44269504088896341), k.splat(_ROUNDER))
    n = k.of("fsub", raised, k.splat(_ROUNDER))
    r = k.fma(n, k.splat(-0.693359375), x)
    r = k.fma(n, k.splat(2.12194440e-4), r)
    square = k.of("fmul", r, r)
    value = k.fma(polynomial(k, r, _EXP), square, r)
    value = k.of("fadd", value, k.splat(1.0))
    # Half the power of two, as the largest itself is no float32.
    power = integer_op(k, "add", as_integers(k, raised), integers(k, 126))
    scale = as_floats(k, integer_op(k, "shl", power, integers(k, 23)))
    return k.of("fmul", k.of("fmul", value, scale), k.splat(2.0))


_LOG = (
    7.0376836292e-2,
    -1.1514610310e-1,
    1.1676998740e-1,
    -1.2420140846e-1,
    1.4249322787e-1,
    -1.6668057665e-1,
    2.0000714765e-1,
    -2.4999993993e-1,
    3.3333331174e-1,
)


def log(k: KernelText, x: Name) -> Name:
    """Return the natural logarithm: -inf of 0, NaN of negative values."""
    tiny = k.compare("olt", x, k.splat(1.17549435e-38))
    # Numbers below the normal ones are made larger by 2 ** 23 first.
    y = k.select(tiny, k.of("fmul", x, k.splat(8388608.0)), x)
    bits = as_integers(k, y)
    exponent = integer_op(k, "sub", integer_op(k, "lshr", bits, integers(k, 23)), integers(k, 126))
    n = k.let(f"sitofp <{k.isa.lanes} x i32> {exponent} to {k.vector}")
    n = k.select(tiny, k.of("fsub", n, k.splat(23.0)), n)
    fraction = integer_op(k, "and", bits, integers(k, 0x007FFFFF))
    m = as_floats(k, integer_op(k, "or", fraction, integers(k, 0x3F000000)))
    low = k.compare("olt", m, k.splat(0.707106781186547524))
    n = k.select(low, k.of("fsub", n, k.splat(1.0)), n)
    m = k.of("fsub", k.select(low, k.of("fadd", m, m), m), k.splat(1.0))
    square = k.of("fmul", m, m)
    value = k.of("fmul", k.of("fmul", polynomial(k, m, _LOG), m), square)
    value = k.fma(n, k.splat(-2.12194440e-4), value)
    value = k.fma(square, k.splat(-0.5), value)
    value = k.fma(n, k.splat(0.693359375), k.of("fadd", value, m))
    infinite = k.compare("oeq", x, k.splat(float("inf")))
    value = k.select(infinite, x, value)
    value = k.select(k.compare("oeq", x, k.zero), k.splat(float("-inf")), value)
    return k.select(k.compare("ult", x, k.zero), k.splat(float("nan")), value)


_TANH = (
    -5.70498872745e-3,
    2.06390887954e-2,
    -5.37397155531e-2,
    1.33314422036e-1,
    -3.33332819422e-1,
)


def tanh(k: KernelText, x: Name) -> Name:
    """Return the hyperbolic tangent: a polynomial near 0, else by `exp`."""
    square = k.of("fmul", x, x)
    near = k.fma(k.of("fmul", polynomial(k, square, _TANH), square), x, x)
    e = exp(k, k.of("fadd", x, x))
    far = k.of("fdiv", k.splat(2.0), k.of("fadd", e, k.splat(1.0)))
    far = k.of("fsub", k.splat(1.0), far)
    is_near = k.compare("olt", function(k, "fabs", x), k.splat(0.625))
    return k.select(is_near, near, far)


def sigmoid(k: KernelText, x: Name) -> Name:
    """Return ``1 / (1 + exp(-x))``."""
    e = exp(k, k.of("fsub", k.zero, x))
    return k.of("fdiv", k.splat(1.0), k.of("fadd", e, k.splat(1.0)))


_ERF_NEAR = (
    -5.96761703e-4,
    4.99119423e-3,
    -2.67681349e-2,
    1.12819925e-1,
    -3.76125336e-1,
    1.28379166e-1,
)
_ERF_FAR = (
    -1.72853470e-5,
    3.83197126e-4,
    -3.88396438e-3,
    2.42546219e-2,
    -1.06777877e-1,
    -6.34846687e-1,
    -1.28717512e-1,
)


def erf(k: KernelText, x: Name) -> Name:
    """Return the error function, by Norbert Juffa's polynomials: its own, of ln(1 - erf) beyond."""
    far = k.minimum(k.splat(5.0), function(k, "fabs", x))
    near = k.fma(polynomial(k, k.of("fmul", x, x), _ERF_NEAR), x, x)
    rest = exp(k, k.fma(polynomial(k, far, _ERF_FAR), far, k.of("fsub", k.zero, far)))
    v = k.vector
    above = k.of("fsub", k.splat(1.0), rest)
    above = k.call(v, f"llvm.copysign.v{k.isa.lanes}f32", f"{v} {above}", f"{v} {x}")
    return k.select(k.compare("ogt", far, k.splat(0.927734375)), above, near)


def relu(k: KernelText, x: Name) -> Name:
    """Return ``max(x, 0)``."""
    return k.maximum(k.zero, x)


def between(k: KernelText, x: Name, low: float, high: float) -> Name:
    """Return values limited to a range."""
    return k.minimum(k.splat(high), k.maximum(k.splat(low), x))


def prelu(k: KernelText, x: Name, slope: Name) -> Name:
    """Return values, the negative ones times a factor."""
    return k.select(k.compare("olt", x, k.zero), k.of("fmul", x, slope), x)


def elu(k: KernelText, x: Name) -> Name:
    """Return ``x`` where it is positive, else ``exp(x) - 1``."""
    # Near 0, where the difference would lose digits: exp(x) - 1 = tanh(x / 2) * (exp(x) + 1).
    negative = k.minimum(k.zero, x)
    half = tanh(k, k.of("fmul", negative, k.splat(0.5)))
    below = k.of("fmul", half, k.of("fadd", exp(k, negative), k.splat(1.0)))
    return k.select(k.compare("olt", x, k.zero), below, x)


def step(k: KernelText, x: Name, alpha: float) -> Name:
    """Return 1 for values above 0, NaN for NaN, else alpha."""
    value = k.select(k.compare("ogt", x, k.zero), k.splat(1.0), k.splat(alpha))
    return k.select(k.compare("uno", x, x), x, value)


def elu_grad(k: KernelText, dy: Name, y: Name) -> Name:
    """Return the gradient of `elu`, by its result."""
    below = k.of("fmul", dy, k.of("fadd", y, k.splat(1.0)))
    return k.select(k.compare("oge", y, k.zero), dy, below)


def quantise_round(k: KernelText, x: Name, attributes: Mapping[str, Any]) -> Name:
    """Return values rounded to quantized ones, halves away from zero, as NumPy's kernel does."""
    return k.of("fmul", quanta_of(k, x, attributes), k.splat(attributes["scale"]))


def quanta_of(k: KernelText, x: Name, attributes: Mapping[str, Any]) -> Name:
    """Return the numbers of steps from 0 of what `quantise_round` rounds values to."""
    scale = k.splat(attributes["scale"])
    low, high = (attributes[name] - attributes["zero_point"] for name in ("low", "high"))
    quanta = k.of("fdiv", x, scale)
    if attributes["nudge"]:
        quanta = k.of("fmul", quanta, k.splat(NUDGE))
    quanta = between(k, quanta, low, high)
    half = k.splat(0.5)
    if low < 0:
        v = k.vector
        half = k.call(v, f"llvm.copysign.v{k.isa.lanes}f32", f"{v} {half}", f"{v} {quanta}")
    return function(k, "trunc", k.of("fadd", quanta, half))


def add_n(k: KernelText, xs: Sequence[Name]) -> Name:
    """Return the sum of all operands, from first to last."""
    total = xs[0]
    for x in xs[1:]:
        total = k.of("fadd", total, x)
    return total


def _squared(k: KernelText, x: Name) -> Name:
    return k.of("fmul", x, x)


FORMULAS: dict[str, Formula] = {
    "add": lambda k, x, a: k.of("fadd", x[0], x[1]),
    "sub": lambda k, x, a: k.of("fsub", x[0], x[1]),
    "mul": lambda k, x, a: k.of("fmul", x[0], x[1]),
    "div": lambda k, x, a: k.of("fdiv", x[0], x[1]),
    "maximum": lambda k, x, a: _of_both(k, k.maximum(x[0], x[1]), x[0]),
    "minimum": lambda k, x, a: _of_both(k, k.minimum(x[0], x[1]), x[0]),
    "squared_difference": lambda k, x, a: _squared(k, k.of("fsub", x[0], x[1])),
    "add_n": lambda k, x, a: add_n(k, x),
    "neg": lambda k, x, a: k.of("fsub", k.splat(-0.0), x[0]),
    "abs": lambda k, x, a: function(k, "fabs", x[0]),
    "square": lambda k, x, a: _squared(k, x[0]),
    "sqrt": lambda k, x, a: function(k, "sqrt", x[0]),
    "rsqrt": lambda k, x, a: k.of("fdiv", k.splat(1.0), function(k, "sqrt", x[0])),
    "reciprocal": lambda k, x, a: k.of("fdiv", k.splat(1.0), x[0]),
    "floor": lambda k, x, a: function(k, "floor", x[0]),
    "ceil": lambda k, x, a: function(k, "ceil", x[0]),
    "round": lambda k, x, a: function(k, "rint", x[0]),
    "exp": lambda k, x, a: exp(k, x[0]),
    "log": lambda k, x, a: log(k, x[0]),
    "tanh": lambda k, x, a: tanh(k, x[0]),
    "sigmoid": lambda k, x, a: sigmoid(k, x[0]),
    "elu": lambda k, x, a: elu(k, x[0]),
    "erf": lambda k, x, a: erf(k, x[0]),
    "relu": lambda k, x, a: relu(k, x[0]),
    "relu6": lambda k, x, a: between(k, x[0], 0.0, 6.0),
    "clip_by_value": lambda k, x, a: between(k, x[0], a["clip_value_min"], a["clip_value_max"]),
    "leaky_relu": lambda k, x, a: prelu(k, x[0], k.splat(a["alpha"])),
    "prelu": lambda k, x, a: prelu(k, x[0], x[1]),
    "quantise_round": lambda k, x, a: quantise_round(k, x[0], a),
    "step": lambda k, x, a: step(k, x[0], a["alpha"]),
    "relu_grad": lambda k, x, a: k.of("fmul", step(k, x[1], 0.0), x[0]),
    "elu_grad": lambda k, x, a: elu_grad(k, x[0], x[1]),
}

#: Comparisons of two values, by LLVM's names; NaN is unequal to all.
COMPARISONS = {
    "equal": "oeq",
    "not_equal": "une",
    "less": "olt",
    "less_equal": "ole",
    "greater": "ogt",
    "greater_equal": "oge",
}

#: Ops on flags, which are what comparisons give.
LOGICAL: dict[str, Callable[[KernelText, Sequence[Name]], Name]] = {
    "logical_and": lambda k, x: k.let(f"and <{k.isa.lanes} x i1> {x[0]}, {x[1]}"),
    "logical_or": lambda k, x: k.let(f"or <{k.isa.lanes} x i1> {x[0]}, {x[1]}"),
    "logical_not": lambda k, x: k.let(f"xor <{k.isa.lanes} x i1> {x[0]}, {_all_set(k)}"),
}


def _all_set(k: KernelText) -> str:
    return f"<{', '.join(['i1 true'] * k.isa.lanes)}>"


def batch_norm(k: KernelText, x: Sequence[Name], attributes: Mapping[str, Any]) -> Name:
    """Return normalized values; the last operands, offset and scale, may be absent."""
    value, mean, variance, *more = x
    offset, scale = (*more, "", "")[:2]
    raised = k.of("fadd", variance, k.splat(attributes["variance_epsilon"]))
    factor = k.of("fdiv", k.splat(1.0), function(k, "sqrt", raised))
    if scale:
        factor = k.of("fmul", factor, scale)
    value = k.of("fmul", k.of("fsub", value, mean), factor)
    return k.of("fadd", value, offset) if offset else value


#: Formulas of ops that only groups have: they take flags, or operands that repeat.
OF_GROUPS: dict[str, Formula] = {
    "select": lambda k, x, a: k.select(x[0], x[1], x[2]),
    "batch_norm": batch_norm,
    "sum_grad": lambda k, x, a: x[0],
}


def _of_both(k: KernelText, chosen: Name, first: Name) -> Name:
    """Return the chosen one of two values, NaN also where the first is NaN."""
    return k.select(k.compare("uno", first, first), first, chosen)
