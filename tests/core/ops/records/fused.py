"""Fused ops: the convolution or product in float64, then the bias and the activation."""

from typing import Any

import numpy as np
import scipy.special

from tests.core.ops.records.case import Case, floats
from tests.core.ops.records.conv import HOWS, depthwise_conv, images, naive_conv

_ACTIVATIONS = {
    "linear": lambda x, below: x,
    "relu": lambda x, below: np.maximum(x, 0),
    "relu6": lambda x, below: np.clip(x, 0, 6),
    "elu": lambda x, below: np.where(x > 0, x, np.exp(np.minimum(x, 0)) - 1),
    "sigmoid": lambda x, below: scipy.special.expit(x),
    "leakyrelu": lambda x, below: np.where(x > 0, x, below * x),
    "prelu": lambda x, below: np.where(x > 0, x, below * x),
}


def _channelwise(part, data_format):
    return part.reshape(-1, 1, 1) if data_format == "NCHW" and part.ndim == 1 else part


def _finish(y, bias, weights, activation, alpha, data_format=""):
    if bias is not None:
        y = y + _channelwise(bias, data_format)
    below = alpha if weights is None else _channelwise(weights, data_format)
    return _ACTIVATIONS[activation](y, below)


def _fused(forward):
    def oracle(x, filter, *parts, activation="linear", leakyrelu_alpha=0.2, **how):
        bias, weights = (*parts, None, None)[:2]
        y = forward(x, filter, **how)
        return _finish(y, bias, weights, activation, leakyrelu_alpha, how.get("data_format", ""))

    return oracle


def _matmul(a, b, transpose_a=False, transpose_b=False):
    a, b = (
        np.swapaxes(a, -1, -2) if transpose_a else a,
        np.swapaxes(b, -1, -2) if transpose_b else b,
    )
    return a @ b


FUSED: dict[str, Any] = {
    "fused_conv2d": (_fused(naive_conv), floats(3, 2, 2, 3), 3),
    "fused_depthwise_conv2d": (_fused(depthwise_conv), floats(3, 2, 2, 2), 4),
    "fused_matmul": (_fused(_matmul), floats(4, 3), 3),
}


def _conv_cases(op: str) -> list[Case]:
    oracle, filter, out = FUSED[op]
    cases = []
    for how in HOWS[1::3]:
        inputs = images(2, 6, 5, 2, how), filter, floats(out)
        cases.append(Case(op, inputs, oracle, {**how, "activation": "relu6"}, str(how)))
    first = {"data_format": "NCHW", "activation": "prelu"}
    x, weights = floats(2, 2, 6, 5), floats(out, domain=(-1, 1))
    return [
        *cases,
        Case(op, (floats(2, 6, 5, 2), filter), oracle, {}, "no bias"),
        Case(op, (floats(0, 6, 5, 2), filter, floats(out)), oracle, {}, "no images"),
        Case(op, (floats(2, 6, 5, 2), filter, floats()), oracle, {}, "one bias"),
        Case(op, (floats(2, 6, 5, 2), filter, floats(1, 4, 1)), oracle, {}, "bias of rows"),
        Case(op, (x, filter, floats(out), weights), oracle, first, "NCHW"),
        Case(op, (x, filter, floats(out), floats(out, 4, 1)), oracle, first, "NCHW, rows"),
        Case(op, (x, filter, floats(1), floats(1)), oracle, first, "NCHW, one of each"),
        Case(
            op,
            (floats(2, 6, 5, 2), filter, floats(out), floats(4, 4, out)),
            oracle,
            {"activation": "prelu"},
            "prelu of pixels",
        ),
    ]


def _activation_cases(op: str) -> list[Case]:
    oracle, filter, out = FUSED[op]
    x = floats(2, 4) if op == "fused_matmul" else floats(1, 4, 4, 2)
    cases = []
    for activation in _ACTIVATIONS:
        inputs = [x, filter, floats(out, domain=(-2, 2))]
        if activation == "prelu":
            inputs.append(floats(out, domain=(-1, 1)))
        how = {"activation": activation}
        cases.append(Case(op, tuple(inputs), oracle, how, activation))
    # Slopes below zero that hide the sign of what was there, and weights that are not used.
    for alpha in (-0.5, 0.0):
        how = {"activation": "leakyrelu", "leakyrelu_alpha": alpha}
        cases.append(Case(op, (x, filter, floats(out)), oracle, how, f"leakyrelu {alpha}"))
    unused = x, filter, floats(out), floats(out)
    return [*cases, Case(op, unused, oracle, {"activation": "relu"}, "weights not used")]


def _matmul_cases() -> list[Case]:
    oracle = FUSED["fused_matmul"][0]
    both = {"transpose_a": True, "transpose_b": True, "activation": "relu"}
    batches = floats(2, 4, 3), floats(1, 5, 4), floats(3, 5), floats(5)
    return [
        Case("fused_matmul", (floats(2, 4), floats(4, 3)), oracle, {}, "no bias"),
        Case("fused_matmul", batches, oracle, both, "transposed"),
        Case(
            "fused_matmul",
            (floats(2, 3, 4), floats(5, 4), None, floats(3, 1)),
            lambda a, b, w, **how: oracle(a, b, None, w, **how),
            {"transpose_b": True, "activation": "prelu"},
            "batches",
        ),
        Case("fused_matmul", (floats(0, 4), floats(4, 3)), oracle, {}, "empty"),
    ]


CASES = [
    *_conv_cases("fused_conv2d"),
    *_conv_cases("fused_depthwise_conv2d"),
    *_matmul_cases(),
    *(case for op in FUSED for case in _activation_cases(op)),
]
