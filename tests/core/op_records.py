"""What the op tests run: for every op some inputs, attributes, and a float64 oracle.

Element-wise ops need no record: their rows say where inputs are drawn, and the oracle is found by
name in NumPy or SciPy. Every other op has its cases here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import scipy.special

import core
from core.backends.cpu.binary import BINARY as CPU_BINARY
from core.backends.cpu.compare import COMPARE as CPU_COMPARE
from core.backends.cpu.unary import UNARY as CPU_UNARY
from core.kernels import OPS
from core.ops.binary import BINARY
from core.ops.compare import COMPARE
from core.ops.unary import UNARY

Draw = Callable[[np.random.Generator], Any]


@dataclass(frozen=True)
class Case:
    """One call of an op."""

    op: str
    inputs: tuple[Any, ...]  # each a Draw, None, or a list of Draws
    oracle: Callable[..., Any]
    attributes: dict[str, Any] = field(default_factory=dict)
    label: str = ""

    def __str__(self) -> str:
        return f"{self.op} {self.label}".strip()

    def draw(self, rng: np.random.Generator) -> list[Any]:
        return [_drawn(i, rng) for i in self.inputs]


def _drawn(draw: Any, rng: np.random.Generator) -> Any:
    if isinstance(draw, list):
        return [d(rng) for d in draw]
    return None if draw is None else draw(rng)


def floats(*shape: int, domain: tuple[float, float] = (-3, 3)) -> Draw:
    """float32 values, none within 0.1 of a multiple of a half, where piecewise ops have kinks."""
    low, high = domain

    def draw(rng: np.random.Generator) -> np.ndarray:
        x = rng.uniform(low, high, shape)
        halves = np.floor(x * 2) / 2
        x = halves + 0.1 + (x - halves) * 0.6
        return np.asarray(np.clip(x, low, high), np.float32)

    return draw


def ints(*shape: int, low: int = -7, high: int = 8) -> Draw:
    return lambda rng: np.asarray(rng.integers(low, high, shape), np.int32)


def bools(*shape: int) -> Draw:
    return lambda rng: np.asarray(rng.integers(0, 2, shape), bool)


# --- element-wise ---------------------------------------------------------------------------

_ORACLES: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sigmoid": scipy.special.expit,
    "softplus": lambda x: np.log(1 + np.exp(x)),
    "relu": lambda x: x * (x > 0),
    "relu6": lambda x: np.minimum(x, 6) * (x > 0),
    "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
    "step": lambda x: (x > 0) * 1.0,
    "round": lambda x: scipy.special.round(x),
    "reciprocal": lambda x: 1 / x,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "floor_div": lambda a, b: np.floor(a / b),
    "mod": lambda a, b: a - np.floor(a / b) * b,
    "pow": np.power,
    "squared_difference": lambda a, b: (a - b) ** 2,
    "prelu": lambda a, b: np.maximum(a, 0) + b * np.minimum(a, 0),
}
_CPU_ROWS = {**CPU_UNARY, **CPU_BINARY, **CPU_COMPARE}


def oracle_of(name: str) -> Callable[..., Any]:
    """By name in NumPy or SciPy; else the cpu row itself, run in float64, defines what is right."""
    found = _ORACLES.get(name) or getattr(np, name, None) or getattr(scipy.special, name, None)
    return found or _CPU_ROWS[name]


_BROADCASTS = [((3, 5), (3, 5)), ((3, 5), (5,)), ((3, 1), (1, 5)), ((), (3, 5)), ((0, 5), (1, 5))]


def elementwise_cases() -> list[Case]:
    cases = []
    for row in UNARY:
        kind = bools if row.dtype == "bool" else floats
        keywords = {} if row.dtype == "bool" else {"domain": row.domain}
        for shape in [(3, 5), (), (0, 4)]:
            draw = kind(*shape, **keywords)
            cases.append(Case(row.name, (draw,), oracle_of(row.name), label=str(shape)))
    for row in BINARY:
        for a, b in _BROADCASTS:
            inputs = floats(*a, domain=row.domain), floats(*b, domain=row.domain)
            cases.append(Case(row.name, inputs, oracle_of(row.name), label=f"{a} {b}"))
    for row in COMPARE:
        draw = bools if row.dtype == "bool" else ints
        for a, b in _BROADCASTS:
            cases.append(
                Case(row.name, (draw(*a), draw(*b)), oracle_of(row.name), label=f"{a} {b}")
            )
    return cases


# --- the rest -------------------------------------------------------------------------------


def same_padding(size: int, filter_size: int, stride: int, dilation: int) -> tuple[int, int]:
    """TensorFlow's documented rule."""
    reach = (filter_size - 1) * dilation + 1
    total = max((int(np.ceil(size / stride)) - 1) * stride + reach - size, 0)
    return total // 2, total - total // 2


def both(value):
    return (value, value) if isinstance(value, int) else tuple(value)


def naive_conv2d(x, filter, *, strides=1, pad="valid", dilations=1, depthwise=False):
    """One output pixel at a time, in float64."""
    x, filter = np.asarray(x, np.float64), np.asarray(filter, np.float64)
    (down, right), (dy, dx) = both(strides), both(dilations)
    sides = ((0, 0), (0, 0))
    if pad == "same":
        sides = (
            same_padding(x.shape[1], filter.shape[0], down, dy),
            same_padding(x.shape[2], filter.shape[1], right, dx),
        )
    elif isinstance(pad, int):
        sides = ((pad, pad), (pad, pad))
    elif pad != "valid":
        sides = pad
    x = np.pad(x, ((0, 0), *sides, (0, 0)))
    height, width = (filter.shape[0] - 1) * dy + 1, (filter.shape[1] - 1) * dx + 1
    rows = range(0, x.shape[1] - height + 1, down)
    columns = range(0, x.shape[2] - width + 1, right)
    sum_up = "nhwc,hwcm->ncm" if depthwise else "nhwc,hwco->no"

    def pixel(i, j):
        part = x[:, i : i + height : dy, j : j + width : dx]
        return np.einsum(sum_up, part, filter).reshape(len(x), -1)

    return np.stack([np.stack([pixel(i, j) for j in columns], 1) for i in rows], 1)


def _transposed(forward: Callable[..., Any], shape: tuple[int, ...], g: Any) -> np.ndarray:
    """The transpose of a linear function of an array of ``shape``, applied to ``g``."""
    basis = np.eye(int(np.prod(shape))).reshape(-1, *shape)
    return np.array([np.sum(forward(b) * g) for b in basis]).reshape(shape)


def _conv_to_x(depthwise):
    def oracle(dy, filter, *, input_shape, **how):
        return _transposed(
            lambda x: naive_conv2d(x, filter, depthwise=depthwise, **how), input_shape, dy
        )

    return oracle


def _conv_to_filter(depthwise):
    def oracle(x, dy, *, filter_shape, **how):
        return _transposed(
            lambda f: naive_conv2d(x, f, depthwise=depthwise, **how), filter_shape, dy
        )

    return oracle


_ACTIVATIONS = {
    "linear": lambda x: x,
    "relu": lambda x: np.maximum(x, 0),
    "relu6": lambda x: np.clip(x, 0, 6),
    "elu": lambda x: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1),
    "sigmoid": scipy.special.expit,
}


def _fused(depthwise):
    def oracle(x, filter, bias=None, *, activation="linear", **how):
        y = naive_conv2d(x, filter, depthwise=depthwise, **how)
        return _ACTIVATIONS[activation](y if bias is None else y + bias)

    return oracle


def _conv_cases() -> list[Case]:
    hows = [
        {"strides": 1, "pad": "same"},
        {"strides": 2, "pad": "same"},
        {"strides": 2, "pad": "valid"},
        {"strides": 1, "pad": "same", "dilations": 2},
        {"strides": 2, "pad": ((1, 0), (2, 1))},
        {"strides": (1, 2), "pad": "same", "dilations": (2, 1)},
        {"strides": (2, 1), "pad": "valid", "dilations": (1, 2)},
        {"pad": 2},
    ]
    cases = []
    for how in hows:
        label = str(how)
        x, dense, deep = floats(2, 6, 5, 2), floats(3, 2, 2, 3), floats(3, 2, 2, 2)
        probe = np.zeros((2, 6, 5, 2)), np.zeros((3, 2, 2, 3))
        out = naive_conv2d(*probe, **how).shape[1:3]
        dy, deep_dy = floats(2, *out, 3), floats(2, *out, 4)
        to_x = {**how, "input_shape": (2, 6, 5, 2)}
        cases += [
            Case("conv2d", (x, dense), naive_conv2d, how, label),
            Case("depthwise_conv2d", (x, deep), _fused(True), how, label),
            Case("conv2d_backprop_input", (dy, dense), _conv_to_x(False), to_x, label),
            Case("depthwise_conv2d_backprop_input", (deep_dy, deep), _conv_to_x(True), to_x, label),
            Case(
                "conv2d_backprop_filter",
                (x, dy),
                _conv_to_filter(False),
                {**how, "filter_shape": (3, 2, 2, 3)},
                label,
            ),
            Case(
                "depthwise_conv2d_backprop_filter",
                (x, deep_dy),
                _conv_to_filter(True),
                {**how, "filter_shape": (3, 2, 2, 2)},
                label,
            ),
        ]
        fused = {**how, "activation": "relu6"}
        bias, deep_bias = floats(3), floats(4)
        cases += [
            Case("fused_conv2d", (x, dense, bias), _fused(False), fused, label),
            Case("fused_depthwise_conv2d", (x, deep, deep_bias), _fused(True), fused, label),
        ]
    pointwise = floats(2, 4, 3, 5), floats(1, 1, 5, 2)
    cases.append(Case("conv2d", pointwise, naive_conv2d, {}, "pointwise"))
    for activation in _ACTIVATIONS:
        how = {"pad": "same", "activation": activation}
        cases += [
            Case(
                "fused_conv2d",
                (floats(1, 4, 4, 2), floats(3, 3, 2, 3), floats(3)),
                _fused(False),
                how,
                activation,
            ),
            Case(
                "fused_depthwise_conv2d",
                (floats(1, 4, 4, 2), floats(3, 3, 2, 1), floats(2)),
                _fused(True),
                how,
                activation,
            ),
        ]
    cases.append(
        Case("fused_conv2d", (floats(1, 4, 4, 2), floats(1, 1, 2, 3)), _fused(False), {}, "no bias")
    )
    return cases


def _naive_resize(images, *, size, align_corners=False, half_pixel_centers=False, nearest=False):
    """Each new pixel by the formula of TensorFlow's documentation, one at a time."""
    images = np.asarray(images, np.float64)
    old = images.shape[1:3]

    def position(i, axis):
        if align_corners and size[axis] > 1:
            return i * (old[axis] - 1) / (size[axis] - 1)
        ratio = old[axis] / size[axis]
        return (i + 0.5) * ratio - 0.5 if half_pixel_centers else i * ratio

    def weights(i, axis):
        at = position(i, axis)
        if nearest:
            at = np.floor(at + 0.5) if align_corners or half_pixel_centers else np.floor(at)
        at = min(max(at, 0), old[axis] - 1)
        return np.maximum(1 - abs(np.arange(old[axis]) - at), 0)

    rows = np.array([weights(i, 0) for i in range(size[0])])
    columns = np.array([weights(i, 1) for i in range(size[1])])
    return np.einsum("nhwc,ph,qw->npqc", images, rows, columns)


def _resize_grad(nearest):
    def oracle(dy, images, **how):
        shape = np.shape(images)
        return _transposed(lambda x: _naive_resize(x, nearest=nearest, **how), shape, dy)

    return oracle


def _resize_cases() -> list[Case]:
    cases = []
    for modes in [{}, {"align_corners": True}, {"half_pixel_centers": True}]:
        for size in [(7, 4), (2, 3), (1, 1)]:
            how = {"size": size, **modes}
            images, dy, label = floats(2, 4, 5, 2), floats(2, *size, 2), str(how)
            near = partial(_naive_resize, nearest=True)
            cases += [
                Case("resize_bilinear", (images,), _naive_resize, how, label),
                Case("resize_nearest_neighbor", (images,), near, how, label),
                Case("resize_bilinear_grad", (dy, images), _resize_grad(False), how, label),
                Case("resize_nearest_neighbor_grad", (dy, images), _resize_grad(True), how, label),
            ]
    cases.append(Case("flip_left_right", (floats(2, 3, 4, 1),), lambda x: x[:, :, ::-1]))
    return cases


def _numpy_reduction(name: str) -> Callable[..., Any]:
    function = getattr(np, name)

    def oracle(x, *, axis=None, keep_dims=False):
        axis = tuple(axis) if isinstance(axis, list) else axis
        return function(x, axis=axis, keepdims=keep_dims)

    return oracle


def _reduce_cases() -> list[Case]:
    cases = []
    for name in ["sum", "mean", "max", "min", "all", "any"]:
        draw = bools if name in ("all", "any") else floats
        for how in [{}, {"axis": 1}, {"axis": (0, -1), "keep_dims": True}, {"axis": [-1]}]:
            cases.append(Case(name, (draw(2, 3, 4),), _numpy_reduction(name), how, str(how)))
    for name in ["argmax", "argmin"]:
        for axis in [0, -1]:
            cases.append(Case(name, (floats(3, 4),), getattr(np, name), {"axis": axis}, str(axis)))
    for name in ["sum", "max", "min"]:
        cases.append(Case(name, (ints(3, 4),), _numpy_reduction(name), {"axis": 1}, "int32"))
    cases.append(Case("mean", (ints(3, 4),), _numpy_reduction("mean"), {"axis": 0}, "int32"))
    cases.append(Case("sum", (bools(3, 4),), _numpy_reduction("sum"), {"axis": 0}, "bool"))
    return cases


def _shape_cases() -> list[Case]:
    x = floats(2, 3, 4)
    return [
        Case("identity", (x,), lambda x: x),
        Case("reshape", (x,), lambda x, shape: np.reshape(x, shape), {"shape": (4, -1)}),
        Case("expand_dims", (x,), lambda x, dim: np.expand_dims(x, dim), {"dim": 1}),
        Case("expand_dims", (x,), lambda x, dim: np.expand_dims(x, dim), {"dim": -1}, "last"),
        Case("cast", (ints(2, 3),), lambda x, dtype: x.astype(float), {"dtype": "float32"}),
        Case("cast", (x,), lambda x, dtype: x, {"dtype": "float32"}, "same"),
        Case("transpose", (x,), lambda x: x.T),
        Case("transpose", (x,), lambda x, perm: np.transpose(x, perm), {"perm": (1, 2, 0)}, "perm"),
        Case(
            "broadcast_to",
            (floats(3, 1),),
            lambda x, shape: np.broadcast_to(x, shape),
            {"shape": (2, 3, 4)},
        ),
        Case("tile", (x,), lambda x, reps: np.tile(x, reps), {"reps": (2, 1, 3)}),
        Case(
            "concat",
            ([floats(2, 3), floats(2, 1), floats(2, 2)],),
            lambda x, axis: np.concatenate(x, axis),
            {"axis": -1},
        ),
        Case(
            "split",
            (floats(2, 6),),
            lambda x, num_or_size_splits, axis: np.split(x, 3, axis),
            {"num_or_size_splits": 3, "axis": 1},
        ),
        Case(
            "split",
            (floats(5, 2),),
            lambda x, num_or_size_splits: np.split(x, [1, 3]),
            {"num_or_size_splits": [1, -1, 2]},
            "sizes",
        ),
        Case(
            "pad",
            (floats(2, 3),),
            lambda x, paddings, constant_value: np.pad(x, paddings, constant_values=constant_value),
            {"paddings": [(1, 0), (2, 3)], "constant_value": 0.5},
        ),
        Case(
            "slice",
            (x,),
            lambda x, begin, size: x[1:, :2, 1:3],
            {"begin": (1, 0, 1), "size": (-1, 2, 2)},
        ),
        Case("reverse", (x,), lambda x, dims: np.flip(x, dims), {"dims": (0, -1)}),
        Case(
            "fill",
            (),
            lambda shape, value, dtype: np.full(shape, value),
            {"shape": (2, 3), "value": 4, "dtype": "int32"},
        ),
        Case("select", (bools(3, 1), floats(3, 4), floats(4)), np.where),
        Case("select", (bools(3), ints(3), floats(3)), np.where, {}, "mixed dtypes"),
    ]


def _matmul(a, b, transpose_a=False, transpose_b=False):
    return np.matmul(
        np.swapaxes(a, -1, -2) if transpose_a else a, np.swapaxes(b, -1, -2) if transpose_b else b
    )


def _linear_cases() -> list[Case]:
    cases = []
    for ta in (False, True):
        for tb in (False, True):
            a = floats(2, 4, 3) if ta else floats(2, 3, 4)
            b = floats(5, 4) if tb else floats(4, 5)
            how = {"transpose_a": ta, "transpose_b": tb}
            cases.append(Case("matmul", (a, b), _matmul, how, str(how)))
    cases.append(Case("matmul", (ints(2, 3), ints(3, 2)), _matmul, {}, "int32"))
    return cases


CASES = [
    *elementwise_cases(),
    *_reduce_cases(),
    *_shape_cases(),
    *_linear_cases(),
    *_conv_cases(),
    *_resize_cases(),
]
OP_NAMES = sorted(OPS)
assert core.get_backend() == "cpu"
