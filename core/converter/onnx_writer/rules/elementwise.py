"""Rules of element-wise ops: images stay in the form in which they are."""

from collections.abc import Callable
from functools import partial

import numpy as np

from core.converter.onnx_writer.graph_writer import GraphWriter
from core.converter.onnx_writer.rules.rule import Rule
from core.engine.program import ABSENT, Step
from core.ops.quantisation import NUDGE

#: Makes the nodes of an op from a writer, the step, and the names of its inputs.
_Make = Callable[..., str]


def _elementwise(make: _Make) -> Rule:
    """Return the rule of an op whose inputs broadcast with each other."""

    def rule(writer: GraphWriter, step: Step) -> None:
        names, first = writer.operands(step.inputs, writer.rank(step.name))
        writer.keep(step.name, make(writer, step, *names), first=first)

    return rule


def _node(type: str, *attributes: str) -> Rule:
    """Return the rule of an op that is one node, with attributes of the same names."""

    def make(writer: GraphWriter, step: Step, *names: str) -> str:
        own = {name: float(step.attributes[name]) for name in attributes}
        return writer.node(type, *names, **own)

    return _elementwise(make)


def _of_floats(type: str) -> Rule:
    """Return the rule of an op that leaves integers as they are."""

    def make(writer: GraphWriter, step: Step, x: str) -> str:
        return writer.node(type if writer.dtype(step.name) == "float32" else "Identity", x)

    return _elementwise(make)


def _clip(writer: GraphWriter, step: Step, x: str, low: float, high: float) -> str:
    dtype = writer.dtype(step.inputs[0])
    return writer.node("Clip", x, writer.number(low, dtype), writer.number(high, dtype))


def _clip_by_value(writer: GraphWriter, step: Step, x: str) -> str:
    at = step.attributes
    return _clip(writer, step, x, at["clip_value_min"], at["clip_value_max"])


def _compared(type: str) -> Rule:
    """Return the rule of a comparison, of bools as integers."""

    def make(writer: GraphWriter, step: Step, *names: str) -> str:
        if writer.dtype(step.inputs[0]) == "bool":
            names = tuple(writer.cast(name, "int32") for name in names)
        return writer.node(type, *names)

    return _elementwise(make)


def _prelu(writer: GraphWriter, step: Step, x: str, factors: str) -> str:
    """Write one node, whose factors are no larger than x in ONNX, or the sum of both parts."""
    if writer.shape(step.inputs[0]) == writer.shape(step.name):
        return writer.node("PRelu", x, factors)
    zero = writer.number(0)
    below = writer.node("Mul", writer.node("Min", x, zero), factors)
    return writer.node("Add", writer.node("Max", x, zero), below)


def _square(writer: GraphWriter, step: Step, x: str) -> str:
    return writer.node("Mul", x, x)


def _squared_difference(writer: GraphWriter, step: Step, a: str, b: str) -> str:
    return _square(writer, step, writer.node("Sub", a, b))


def _rsqrt(writer: GraphWriter, step: Step, x: str) -> str:
    return writer.node("Reciprocal", writer.node("Sqrt", x))


def _expm1(writer: GraphWriter, step: Step, x: str) -> str:
    """Write exp(x) - 1 as 2 sinh(x / 2) exp(x / 2) near 0, where the difference loses digits."""
    half = writer.node("Mul", x, writer.number(0.5))
    product = writer.node("Mul", writer.node("Sinh", half), writer.node("Exp", half))
    near = writer.node("Mul", product, writer.number(2))
    far = writer.node("Sub", writer.node("Exp", x), writer.number(1))
    is_near = writer.node("Less", writer.node("Abs", x), writer.number(0.5))
    return writer.node("Where", is_near, near, far)


def _log1p(writer: GraphWriter, step: Step, x: str) -> str:
    """Write log(1 + x) as 2 atanh(x / (2 + x)) near 0, where 1 + x would lose digits."""
    ratio = writer.node("Div", x, writer.node("Add", x, writer.number(2)))
    near = writer.node("Mul", writer.node("Atanh", ratio), writer.number(2))
    far = writer.node("Log", writer.node("Add", x, writer.number(1)))
    is_near = writer.node("Less", writer.node("Abs", x), writer.number(0.5))
    return writer.node("Where", is_near, near, far)


def _is_finite(writer: GraphWriter, step: Step, x: str) -> str:
    return writer.node("Not", writer.node("Or", writer.node("IsNaN", x), writer.node("IsInf", x)))


def _step(writer: GraphWriter, step: Step, x: str) -> str:
    dtype = writer.dtype(step.name)
    number = partial(writer.number, dtype=dtype)
    above = writer.node("Greater", x, number(0))
    found = writer.node("Where", above, number(1), number(step.attributes["alpha"]))
    if dtype != "float32":
        return found
    return writer.node("Where", writer.node("IsNaN", x), x, found)


def _filled(value: int) -> _Make:
    """Return what makes values of the shape of an input."""

    def make(writer: GraphWriter, step: Step, x: str) -> str:
        one = np.full(1, value, writer.dtype(step.name))
        return writer.node("ConstantOfShape", writer.node("Shape", x), value=one)

    return make


def _add_n(writer: GraphWriter, step: Step, *names: str) -> str:
    if writer.dtype(step.name) == "float32":
        return writer.node("Sum", *names)
    total, *rest = names
    for name in rest:
        total = writer.node("Add", total, name)
    return total


def _mod(writer: GraphWriter, step: Step, a: str, b: str) -> str:
    """Write the remainder that has the sign of the divisor."""
    if writer.dtype(step.name) != "float32":
        return writer.node("Mod", a, b)
    rest, zero = writer.node("Mod", a, b, fmod=1), writer.number(0)
    signs = [writer.node("Less", name, zero) for name in (rest, b)]
    is_none = writer.node("Equal", rest, zero)
    is_right = writer.node("Or", is_none, writer.node("Equal", *signs))
    return writer.node("Where", is_right, rest, writer.node("Add", rest, b))


def _floor_div(writer: GraphWriter, step: Step, a: str, b: str) -> str:
    if writer.dtype(step.inputs[0]) != "float32":
        return writer.node("Div", writer.node("Sub", a, writer.node("Mod", a, b)), b)
    floor, dtype = writer.node("Floor", writer.node("Div", a, b)), writer.dtype(step.name)
    return floor if dtype == "float32" else writer.cast(floor, dtype)


def _not_equal(writer: GraphWriter, step: Step, a: str, b: str) -> str:
    return writer.node("Not", writer.node("Equal", a, b))


def _select(writer: GraphWriter, step: Step, condition: str, t: str, e: str) -> str:
    if writer.dtype(step.name) != "bool":
        return writer.node("Where", condition, t, e)
    taken = writer.node("And", condition, t)
    other = writer.node("And", writer.node("Not", condition), e)
    return writer.node("Or", taken, other)


def _atan2(writer: GraphWriter, step: Step, a: str, b: str) -> str:
    """Write the angle of (b, a) as atan(a / b), and half a turn more on the left."""
    zero, pi = writer.number(0), writer.number(np.pi)
    half = writer.node("Atan", writer.node("Div", a, b))
    turn = writer.node("Where", writer.node("Less", a, zero), writer.node("Neg", pi), pi)
    is_left = writer.node("Less", b, zero)
    found = writer.node("Where", is_left, writer.node("Add", half, turn), half)
    is_none = writer.node("And", writer.node("Equal", a, zero), writer.node("Equal", b, zero))
    return writer.node("Where", is_none, zero, found)


def _cast(writer: GraphWriter, step: Step, x: str) -> str:
    return writer.cast(x, writer.dtype(step.name))


def _quantise_round(writer: GraphWriter, step: Step, x: str) -> str:
    """Write the float32 steps of the kernel of `core.quantise_round`, so equal bits."""
    at = step.attributes
    scale, half = writer.number(at["scale"]), writer.number(0.5)
    steps = writer.node("Div", x, scale)
    if at["nudge"]:
        steps = writer.node("Mul", steps, writer.number(NUDGE))
    low, high = (float(at[limit] - at["zero_point"]) for limit in ("low", "high"))
    if low >= 0:  # values below 0 are clipped, so only halves above 0 matter
        rounded = writer.node("Floor", writer.node("Add", steps, half))
    else:
        above = writer.node("Floor", writer.node("Add", writer.node("Abs", steps), half))
        rounded = writer.node("Mul", above, writer.node("Sign", steps))
    clipped = writer.node("Clip", rounded, writer.number(low), writer.number(high))
    return writer.node("Mul", clipped, scale)


def _batch_norm(writer: GraphWriter, step: Step) -> None:
    """Write a node whose channels are the second axis: as they are, or of rows of pixels."""
    x, *given = step.inputs
    mean, variance, offset, scale = (*given, ABSENT, ABSENT)[:4]
    channels = writer.shape(x)[-1:]
    present = [reference for reference in (mean, variance, offset, scale) if reference != ABSENT]
    dims = writer.dims(step.name)
    is_other = any(writer.shape(reference) != channels for reference in present)
    if is_other or not channels or dims.count(None) > 1:
        _elementwise(_normalized)(writer, step)
        return
    name, first = writer.made(x)
    is_second = first or len(dims) == 2
    values = [
        writer.constant(np.full(channels, value, np.float32)) if r == ABSENT else writer.form(r)
        for value, r in {1: scale, 0: offset}.items()
    ]
    values += [writer.form(mean), writer.form(variance)]
    how = {"epsilon": float(step.attributes["variance_epsilon"])}
    name = name if is_second else writer.reshaped(name, (None, *channels))
    name = writer.node("BatchNormalization", name, *values, **how)
    writer.keep(step.name, name if is_second else writer.reshaped(name, dims), first=first)


def _normalized(
    writer: GraphWriter, step: Step, x: str, mean: str, variance: str, *rest: str
) -> str:
    """Write the normalization by other moments than those of channels."""
    offset, scale = (*rest, ABSENT, ABSENT)[:2]
    epsilon = writer.number(step.attributes["variance_epsilon"])
    deviation = writer.node("Sqrt", writer.node("Add", variance, epsilon))
    found = writer.node("Div", writer.node("Sub", x, mean), deviation)
    found = writer.node("Mul", found, scale) if scale else found
    return writer.node("Add", found, offset) if offset else found


RULES: dict[str, Rule] = {
    "abs": _node("Abs"),
    "acos": _node("Acos"),
    "acosh": _node("Acosh"),
    "add": _node("Add"),
    "add_n": _elementwise(_add_n),
    "asin": _node("Asin"),
    "asinh": _node("Asinh"),
    "atan": _node("Atan"),
    "atan2": _elementwise(_atan2),
    "atanh": _node("Atanh"),
    "batch_norm": _batch_norm,
    "bitwise_and": _node("BitwiseAnd"),
    "cast": _elementwise(_cast),
    "ceil": _of_floats("Ceil"),
    "check_numerics": _node("Identity"),
    "clip_by_value": _elementwise(_clip_by_value),
    "cos": _node("Cos"),
    "cosh": _node("Cosh"),
    "div": _node("Div"),
    "elu": _node("Elu"),
    "equal": _node("Equal"),
    "erf": _node("Erf"),
    "exp": _node("Exp"),
    "expm1": _elementwise(_expm1),
    "floor": _of_floats("Floor"),
    "floor_div": _elementwise(_floor_div),
    "greater": _compared("Greater"),
    "greater_equal": _compared("GreaterOrEqual"),
    "identity": _node("Identity"),
    "is_finite": _elementwise(_is_finite),
    "is_inf": _node("IsInf"),
    "is_nan": _node("IsNaN"),
    "leaky_relu": _node("LeakyRelu", "alpha"),
    "less": _compared("Less"),
    "less_equal": _compared("LessOrEqual"),
    "log": _node("Log"),
    "log1p": _elementwise(_log1p),
    "logical_and": _node("And"),
    "logical_not": _node("Not"),
    "logical_or": _node("Or"),
    "logical_xor": _node("Xor"),
    "maximum": _node("Max"),
    "minimum": _node("Min"),
    "mod": _elementwise(_mod),
    "mul": _node("Mul"),
    "neg": _node("Neg"),
    "not_equal": _elementwise(_not_equal),
    "ones_like": _elementwise(_filled(1)),
    "pow": _node("Pow"),
    "prelu": _elementwise(_prelu),
    "quantise_round": _elementwise(_quantise_round),
    "reciprocal": _node("Reciprocal"),
    "relu": _node("Relu"),
    "relu6": _elementwise(partial(_clip, low=0, high=6)),
    "round": _of_floats("Round"),
    "rsqrt": _elementwise(_rsqrt),
    "select": _elementwise(_select),
    "selu": _node("Selu"),
    "sigmoid": _node("Sigmoid"),
    "sign": _node("Sign"),
    "sin": _node("Sin"),
    "sinh": _node("Sinh"),
    "softplus": _node("Softplus"),
    "sqrt": _node("Sqrt"),
    "square": _elementwise(_square),
    "squared_difference": _elementwise(_squared_difference),
    "step": _elementwise(_step),
    "sub": _node("Sub"),
    "tan": _node("Tan"),
    "tanh": _node("Tanh"),
    "zeros_like": _elementwise(_filled(0)),
}
