"""Convolutions and pooling over volumes: one window at a time in float64."""

from typing import Any

import numpy as np

from tests.core.ops.records.case import Case, floats, ints
from tests.core.ops.records.conv import conv_to_filter, conv_to_x, naive_conv
from tests.core.ops.records.pooling import average_to_x, largest_to_x, naive_average, naive_largest

CONV_HOWS: list[dict[str, Any]] = [
    {"strides": 1, "pad": "same"},
    {"strides": (2, 1, 3), "pad": "same"},
    {"strides": 2, "pad": "valid"},
    {"strides": 1, "pad": "same", "dilations": (1, 2, 1)},
    {"strides": (1, 2, 1), "pad": 1},
    {"strides": 1, "pad": ((0, 1), (1, 0), (2, 0))},
]
POOL_HOWS: list[dict[str, Any]] = [
    {"filter_size": 2, "strides": 1, "pad": "valid"},
    {"filter_size": (2, 1, 3), "strides": (1, 2, 1), "pad": "same"},
    {"filter_size": 3, "strides": 2, "pad": 1, "dim_rounding_mode": "ceil"},
]


def _conv_cases() -> list[Case]:
    cases = []
    for how in CONV_HOWS:
        x, dense, label = floats(1, 3, 4, 3, 2), floats(2, 2, 1, 2, 2), str(how)
        size = naive_conv(np.zeros((1, 3, 4, 3, 2)), np.zeros((2, 2, 1, 2, 1)), **how).shape[1:4]
        dy = floats(1, *size, 2)
        to_x = {**how, "input_shape": (1, 3, 4, 3, 2)}
        to_filter = {**how, "filter_shape": (2, 2, 1, 2, 2)}
        cases += [
            Case("conv3d", (x, dense), naive_conv, how, label),
            Case("conv3d_backprop_input", (dy, dense), conv_to_x(), to_x, label),
            Case("conv3d_backprop_filter", (x, dy), conv_to_filter(), to_filter, label),
        ]
    numbers = ints(2, 2, 3, 2, 1), ints(2, 2, 2, 1, 2)
    x, filter, dy = floats(0, 2, 3, 2, 1), floats(2, 2, 2, 1, 2), floats(0, 1, 2, 1, 2)
    to_x, to_filter = {"input_shape": (0, 2, 3, 2, 1)}, {"filter_shape": (2, 2, 2, 1, 2)}
    return [
        *cases,
        Case("conv3d", numbers, naive_conv, {}, "int32"),
        Case("conv3d", (x, filter), naive_conv, {}, "no volumes"),
        Case("conv3d_backprop_input", (dy, filter), conv_to_x(), to_x, "no volumes"),
        Case("conv3d_backprop_filter", (x, dy), conv_to_filter(), to_filter, "no volumes"),
    ]


def _pool_cases() -> list[Case]:
    cases = []
    for how in POOL_HOWS:
        x, label = floats(2, 3, 4, 3, 2), str(how)
        size = naive_average(np.zeros((1, 3, 4, 3, 1)), **how).shape[1:4]
        dy = floats(2, *size, 2)
        cases += [
            Case("avg_pool3d", (x,), naive_average, how, label),
            Case("max_pool3d", (x,), naive_largest, how, label),
            Case("avg_pool3d_grad", (dy, x), average_to_x, how, label),
            Case("max_pool3d_grad", (dy, x, dy), largest_to_x, how, label),
        ]
    whole = {"filter_size": 2, "strides": 1, "pad": "valid"}
    x, dy = floats(0, 2, 3, 2, 1), floats(0, 1, 2, 1, 1)
    return [
        *cases,
        Case("max_pool3d", (ints(1, 2, 3, 2, 1),), _largest_float, whole, "int32"),
        Case("avg_pool3d", (x,), naive_average, whole, "no volumes"),
        Case("max_pool3d", (x,), naive_largest, whole, "no volumes"),
        Case("avg_pool3d_grad", (dy, x), average_to_x, whole, "no volumes"),
        Case("max_pool3d_grad", (dy, x, dy), largest_to_x, whole, "no volumes"),
    ]


def _largest_float(x, **how):
    return naive_largest(x.astype(float), **how)


CASES = [*_conv_cases(), *_pool_cases()]
