"""Pooling of images and volumes: one window at a time in float64, padding left out."""

from math import prod
from typing import Any

import numpy as np

from tests.core.ops.records.case import Case, bools, floats, ints
from tests.core.ops.records.conv import over_windows, transposed, windows


def naive_average(x, filter_size, strides, pad, dim_rounding_mode=None, dilations=1):
    read = windows(x.shape, filter_size, strides, pad, dilations, dim_rounding_mode)
    return over_windows(
        np.asarray(x, np.float64), read, lambda p: np.nanmean(p, axis=tuple(range(1, p.ndim - 1)))
    )


def naive_largest(x, filter_size, strides, pad, dim_rounding_mode=None, dilations=1):
    read = windows(x.shape, filter_size, strides, pad, dilations, dim_rounding_mode)
    largest = over_windows(
        np.asarray(x, np.float64), read, lambda p: np.nanmax(p, axis=tuple(range(1, p.ndim - 1)))
    )
    return largest.astype(x.dtype)


def average_to_x(dy, input, **how):
    return transposed(lambda x: naive_average(x, **how), input.shape, dy)


def _places_of_largest(x, **how):
    """Where in the flattened x each window has its largest value, if no two are equal."""
    order = np.argsort(x.ravel())
    rank = np.argsort(order).reshape(x.shape)
    return order[naive_largest(rank, **how)]


def largest_to_x(dy, input, output, **how):
    dx = np.zeros(input.size)
    np.add.at(dx, _places_of_largest(input, **how), dy)
    return dx.reshape(input.shape)


def _with_argmax(x, include_batch_in_index=False, **how):
    index = _places_of_largest(x, **how)
    return naive_largest(x, **how), index if include_batch_in_index else index % prod(x.shape[1:])


def _dilated(input, *, window_shape, pooling_type, pad, dilations=1, strides=1, **rounding):
    """TensorFlow's `nn.pool`: with dilations, padding is zeros that count."""
    read = windows(input.shape, window_shape, strides, pad, dilations, **rounding)
    take = np.nanmean if pooling_type == "avg" else np.nanmax

    def reduced(pixels):
        if np.max(dilations) > 1:
            pixels = np.nan_to_num(pixels)
        return take(pixels, axis=(1, 2))

    return over_windows(np.asarray(input, np.float64), read, reduced)


#: For images of 6 x 5.
HOWS: list[dict[str, Any]] = [
    {"filter_size": 2, "strides": 2, "pad": "valid"},
    {"filter_size": (3, 2), "strides": (2, 1), "pad": "same"},
    {"filter_size": 3, "strides": 1, "pad": 1},
    {"filter_size": (1, 3), "strides": 3, "pad": ((0, 0), (1, 2))},
    {"filter_size": 3, "strides": 2, "pad": 0, "dim_rounding_mode": "ceil"},
    {"filter_size": 3, "strides": 3, "pad": 1, "dim_rounding_mode": "round"},
    {"filter_size": 1, "strides": 1, "pad": "same"},
    {"filter_size": (6, 5), "strides": 1, "pad": "valid"},
]
POOLS: list[dict[str, Any]] = [
    {"window_shape": (2, 3), "pad": "same"},
    {"window_shape": 2, "pad": "same", "dilations": 2},
    {"window_shape": (2, 3), "pad": "valid", "dilations": (3, 2)},
    {"window_shape": 2, "pad": 1, "dilations": (1, 2)},
    {"window_shape": 3, "pad": 1, "strides": 2, "dim_rounding_mode": "ceil"},
]


def _apart_cases() -> list[Case]:
    """Gradients of windows that read pixels at a distance, as `pool` has them."""
    cases = []
    for dilations, size in ((2, (4, 3)), ((3, 1), (3, 4))):
        how = {"filter_size": 2, "strides": 1, "pad": "valid", "dilations": dilations}
        x, dy = floats(2, 6, 5, 2), floats(2, *size, 2)
        cases += [
            Case("avg_pool_grad", (dy, x), average_to_x, how, str(how)),
            Case("max_pool_grad", (dy, x, dy), largest_to_x, how, str(how)),
        ]
    return cases


def _empty_cases(how: dict[str, Any]) -> list[Case]:
    x, dy, label = floats(0, 3, 3, 2), floats(0, 2, 2, 2), "no images"
    pool = {"window_shape": 2, "pooling_type": "avg", "pad": "valid"}
    return [
        Case("avg_pool", (x,), naive_average, how, label),
        Case("max_pool", (x,), naive_largest, how, label),
        Case("avg_pool_grad", (dy, x), average_to_x, how, label),
        Case("max_pool_grad", (dy, x, dy), largest_to_x, how, label),
        Case("max_pool_with_argmax", (x,), _with_argmax, how, label),
        Case("pool", (x,), _dilated, pool, label),
    ]


def _image_cases() -> list[Case]:
    cases = []
    for how in HOWS:
        x, label = floats(2, 6, 5, 2), str(how)
        size = naive_average(np.zeros((1, 6, 5, 1)), **how).shape[1:3]
        dy = floats(2, *size, 2)
        cases += [
            Case("avg_pool", (x,), naive_average, how, label),
            Case("max_pool", (x,), naive_largest, how, label),
            Case("avg_pool_grad", (dy, x), average_to_x, how, label),
            Case("max_pool_grad", (dy, x, dy), largest_to_x, how, label),
        ]
        if "dim_rounding_mode" not in how:
            in_batch = {**how, "include_batch_in_index": len(cases) % 8 == 4}
            cases.append(Case("max_pool_with_argmax", (x,), _with_argmax, in_batch, label))
    for how in POOLS:
        for pooling_type in ("avg", "max"):
            attributes = {**how, "pooling_type": pooling_type}
            cases.append(Case("pool", (floats(2, 6, 5, 2),), _dilated, attributes, str(attributes)))
    pair = {"filter_size": 2, "strides": 1, "pad": "valid"}
    return [
        *cases,
        Case("avg_pool", (ints(1, 3, 3, 2),), naive_average, pair, "int32"),
        Case("max_pool", (ints(1, 3, 3, 2),), naive_largest, pair, "int32"),
        Case("max_pool", (bools(1, 3, 3, 2),), naive_largest, pair, "bool"),
        *_apart_cases(),
        *_empty_cases(pair),
        Case(
            "pool",
            (ints(1, 3, 3, 2),),
            _dilated,
            {"window_shape": 1, "pooling_type": "avg", "pad": "valid"},
            "int32",
        ),
    ]


CASES = _image_cases()
