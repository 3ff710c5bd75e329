"""Convolutions: one output pixel at a time in float64, and transposes of that."""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.special

from tests.core.records.case import Case, floats


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


def transposed(forward: Callable[..., Any], shape: tuple[int, ...], g: Any) -> np.ndarray:
    """The transpose of a linear function of an array of ``shape``, applied to ``g``."""
    basis = np.eye(int(np.prod(shape))).reshape(-1, *shape)
    return np.array([np.sum(forward(b) * g) for b in basis]).reshape(shape)


def _conv_to_x(depthwise):
    def oracle(dy, filter, *, input_shape, **how):
        return transposed(
            lambda x: naive_conv2d(x, filter, depthwise=depthwise, **how), input_shape, dy
        )

    return oracle


def _conv_to_filter(depthwise):
    def oracle(x, dy, *, filter_shape, **how):
        return transposed(
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


CASES = _conv_cases()
