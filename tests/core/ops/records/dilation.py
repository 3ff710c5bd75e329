"""Morphological dilation: one window at a time in float64."""

from typing import Any

import numpy as np

from tests.core.ops.records.case import Case, floats, ints
from tests.core.ops.records.conv import each_window, over_windows, windows


def naive_dilation(x, filter, *, strides, pad, dilations=1):
    read = windows(x.shape, filter.shape[:2], strides, pad, dilations)
    largest = over_windows(
        np.asarray(x, np.float64), read, lambda p: np.nanmax(p + filter, axis=(1, 2))
    )
    return largest.astype(np.result_type(x, filter))


def _winners(x, filter, *, strides, pad, dilations=1):
    """For each window: where its largest sum goes, the pixel in it, and the place of the filter."""
    read = windows(x.shape, filter.shape[:2], strides, pad, dilations)
    for place, pixels in each_window(x, read):
        for n, c in np.ndindex(len(x), x.shape[-1]):
            sums = pixels[n, ..., c] + filter[..., c]
            i, j = np.unravel_index(np.nanargmax(sums), sums.shape)
            row, column = read[0][place[0]][i], read[1][place[1]][j]
            yield (n, *place, c), (n, row, column, c), (i, j, c)


def _to_x(x, dy, filter, **how):
    dx = np.zeros(x.shape)
    for window, pixel, _ in _winners(x, filter, **how):
        dx[pixel] += dy[window]
    return dx


def _to_filter(x, dy, filter, **how):
    gradient = np.zeros(filter.shape)
    for window, _, place in _winners(x, filter, **how):
        gradient[place] += dy[window]
    return gradient


HOWS: list[dict[str, Any]] = [
    {"strides": 1, "pad": "same"},
    {"strides": (2, 1), "pad": "valid"},
    {"strides": 2, "pad": "same", "dilations": 2},
    {"strides": 1, "pad": 1, "dilations": (1, 2)},
]


def _dilation_cases() -> list[Case]:
    cases = []
    for how in HOWS:
        x, filter, label = floats(2, 5, 6, 2), floats(3, 2, 2), str(how)
        shape = naive_dilation(np.zeros((2, 5, 6, 2)), np.zeros((3, 2, 2)), **how).shape
        three = x, floats(*shape), filter
        cases += [
            Case("dilation2d", (x, filter), naive_dilation, how, label),
            Case("dilation2d_backprop_input", three, _to_x, how, label),
            Case("dilation2d_backprop_filter", three, _to_filter, how, label),
        ]
    numbers = ints(1, 4, 4, 2), ints(2, 2, 2)
    none, filter = floats(0, 5, 6, 2), floats(3, 2, 2)
    return [
        *cases,
        Case("dilation2d", numbers, naive_dilation, HOWS[0], "int32"),
        Case("dilation2d", (none, filter), naive_dilation, HOWS[0], "no images"),
        Case("dilation2d_backprop_input", (none, none, filter), _to_x, HOWS[0], "no images"),
        Case("dilation2d_backprop_filter", (none, none, filter), _to_filter, HOWS[0], "no images"),
    ]


CASES = _dilation_cases()
