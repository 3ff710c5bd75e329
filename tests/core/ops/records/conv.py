"""Convolutions over images and volumes: one output pixel at a time in float64, and transposes."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from tests.core.ops.records.case import Case, Draw, floats, ints


def each(value, count):
    """A number for each of some axes."""
    return (value,) * count if isinstance(value, int) else tuple(value)


def same_padding(size: int, filter_size: int, stride: int, dilation: int) -> tuple[int, int]:
    """TensorFlow's documented rule."""
    reach = (filter_size - 1) * dilation + 1
    total = max((int(np.ceil(size / stride)) - 1) * stride + reach - size, 0)
    return total // 2, total - total // 2


def windows(shape, size, strides, pad, dilations=1, dim_rounding_mode=None):
    """For each axis of images [n, ..., c]: the pixels that each window reads, None in padding."""
    axes = len(shape) - 2
    size, strides, dilations = (each(v, axes) for v in (size, strides, dilations))
    found = []
    for i, (n, k, s, d) in enumerate(zip(shape[1:-1], size, strides, dilations, strict=True)):
        sides = (0, 0)
        if pad == "same":
            sides = same_padding(n, k, s, d)
        elif isinstance(pad, int):
            sides = pad, pad
        elif pad != "valid":
            sides = pad[i] if len(pad) == axes else pad[i + 1]
        before, after = sides
        exact = (n + before + after - (k - 1) * d - 1) / s + 1
        rounded = {"ceil": np.ceil, "round": lambda v: np.floor(v + 0.5)}
        count = int(rounded.get(dim_rounding_mode, np.floor)(exact))
        starts = [j * s - before for j in range(count)]
        found.append([[p if 0 <= p < n else None for p in range(b, b + k * d, d)] for b in starts])
    return found


def each_window(x, read):
    """The place of each window of x, [n, *size, c], and what it reads; NaN in padding."""
    framed = np.pad(x, ((0, 0), *((0, 1) for _ in read), (0, 0)), constant_values=np.nan)
    for place in np.ndindex(tuple(map(len, read))):
        axes = [[-1 if p is None else p for p in read[a][i]] for a, i in enumerate(place)]
        yield place, framed[np.ix_(range(len(x)), *axes, range(x.shape[-1]))]


def over_windows(x, read, take):
    """Apply ``take`` to each window."""
    results = np.stack([take(pixels) for _, pixels in each_window(x, read)], 1)
    return results.reshape(len(x), *map(len, read), results.shape[-1])


def channels_last(x, how):
    """Images with the channels last, and the attributes in that order."""
    rest = {k: v for k, v in how.items() if k != "data_format"}
    if how.get("data_format", "NHWC") == "NHWC":
        return x, rest
    pad = how["pad"]
    pad = (pad[0], *pad[2:], pad[1]) if isinstance(pad, tuple) and len(pad) == 4 else pad
    return np.moveaxis(x, 1, -1), {**rest, "pad": pad}


def in_format(x, how):
    """The inverse of that."""
    return np.moveaxis(x, -1, 1) if how.get("data_format") == "NCHW" else x


def with_zeros(filter, channels):
    """A filter for all channels, of one for those of a group."""
    depth, results = filter.shape[-2:]
    if channels == depth or not depth:
        return filter
    whole = np.zeros((*filter.shape[:-2], channels, results), filter.dtype)
    each = results * depth // channels
    for group in range(channels // depth):
        part = slice(group * each, (group + 1) * each)
        whole[..., group * depth : (group + 1) * depth, part] = filter[..., part]
    return whole


def naive_conv(x, filter, depthwise=False, **given):
    """One output pixel at a time, in float64; whole numbers stay such."""
    dtype = np.result_type(x, filter)
    x, how = channels_last(np.asarray(x, np.float64), {"strides": 1, "pad": "valid", **given})
    letters = "hwd"[: filter.ndim - 2]
    sum_up = f"n{letters}c,{letters}cm->n" + ("cm" if depthwise else "m")
    channels = filter.shape[-1] * (filter.shape[-2] if depthwise else 1)
    if not depthwise:
        filter = with_zeros(filter, x.shape[-1])

    def pixel(part):
        return np.einsum(sum_up, np.nan_to_num(part), filter).reshape(len(x), channels)

    y = over_windows(x, windows(x.shape, filter.shape[:-2], **how), pixel)
    return in_format(y, given).astype(dtype)


def transposed(forward: Callable[..., Any], shape: Sequence[int], g: Any) -> np.ndarray:
    """The transpose of a linear function of each item of a batch of ``shape``, applied to ``g``."""
    size = prod(shape[1:])
    basis = np.eye(size).reshape(size, *shape[1:])
    results = forward(basis)
    return np.tensordot(g, results, (range(1, g.ndim), range(1, g.ndim))).reshape(shape)


def conv_to_x(depthwise=False):
    def oracle(dy, filter, *, input_shape, **how):
        return transposed(lambda x: naive_conv(x, filter, depthwise, **how), input_shape, dy)

    return oracle


def of_groups(whole, shape):
    """The parts of a filter for all channels that `with_zeros` puts there."""
    depth, results = shape[-2:]
    each = results * depth // whole.shape[-2]
    parts = [whole[..., i // each * depth : (i // each + 1) * depth, i] for i in range(results)]
    return np.stack(parts, axis=-1)


def conv_to_filter(depthwise=False):
    def oracle(x, dy, *, filter_shape, **given):
        x, how = channels_last(x, {"strides": 1, "pad": "valid", **given})
        dy = np.moveaxis(dy, 1, -1) if given.get("data_format") == "NCHW" else dy
        letters = "hwd"[: len(filter_shape) - 2]
        if not depthwise and x.shape[-1] != filter_shape[-2]:
            whole = (*filter_shape[:-2], x.shape[-1], filter_shape[-1])
            return of_groups(oracle(x, dy, filter_shape=whole, **how), filter_shape)
        out = "cm" if depthwise else "m"
        total = np.zeros(filter_shape)
        for place, part in each_window(x, windows(x.shape, filter_shape[:-2], **how)):
            g = dy[(slice(None), *place)].reshape(len(x), *filter_shape[-len(out) :])
            total += np.einsum(f"n{letters}c,n{out}->{letters}cm", np.nan_to_num(part), g)
        return total

    return oracle


def depthwise_conv(x, filter, **how):
    return naive_conv(x, filter, True, **how)


#: Strides, padding and the rest, for images of 6 x 5 and filters of 3 x 2.
HOWS: list[dict[str, Any]] = [
    {"strides": 1, "pad": "same"},
    {"strides": 2, "pad": "same"},
    {"strides": (2, 1), "pad": "valid"},
    {"strides": 1, "pad": "same", "dilations": 2},
    {"strides": 1, "pad": "valid", "dilations": (1, 2)},
    {"strides": 2, "pad": ((1, 0), (2, 1))},
    {"pad": 2},
    {"strides": 2, "pad": 1, "dim_rounding_mode": "ceil"},
    {"strides": (3, 2), "pad": 0, "dim_rounding_mode": "round"},
    {"strides": 2, "pad": ((0, 0), (1, 2), (0, 1), (0, 0)), "dim_rounding_mode": "floor"},
    {"strides": 2, "pad": "same", "data_format": "NCHW"},
    {"strides": 3, "pad": ((0, 0), (0, 0), (1, 2), (0, 1)), "data_format": "NCHW"},
    {"strides": 2, "pad": "same", "dilations": 2},
    {"strides": (3, 2), "pad": 2, "dilations": (2, 1)},
]


def images(n: int, height: int, width: int, channels: int, how: dict[str, Any]) -> Draw:
    """Images in the data format of some attributes."""
    return floats(*format_shape(n, height, width, channels, how))


def format_shape(n, height, width, channels, how) -> tuple[int, ...]:
    first = how.get("data_format", "NHWC") == "NCHW"
    return (n, channels, height, width) if first else (n, height, width, channels)


def out_size(how: dict[str, Any]) -> tuple[int, ...]:
    """Height and width of the result for HOWS."""
    shape = format_shape(1, 6, 5, 2, how)
    y = naive_conv(np.zeros(shape), np.zeros((3, 2, 2, 1)), **how)
    return y.shape[2:] if how.get("data_format") == "NCHW" else y.shape[1:3]


def _conv_cases() -> list[Case]:
    cases = []
    for how in HOWS:
        label, dense = str(how), floats(3, 2, 2, 3)
        x, dy = images(2, 6, 5, 2, how), images(2, *out_size(how), 3, how)
        to_x = {**how, "input_shape": format_shape(2, 6, 5, 2, how)}
        to_filter = {**how, "filter_shape": (3, 2, 2, 3)}
        cases += [
            Case("conv2d", (x, dense), naive_conv, how, label),
            Case("conv2d_backprop_input", (dy, dense), conv_to_x(), to_x, label),
            Case("conv2d_backprop_filter", (x, dy), conv_to_filter(), to_filter, label),
        ]
    for how in (HOWS[0], HOWS[1], HOWS[3], HOWS[10], HOWS[12]):
        label, of_group = f"groups, {how}", floats(3, 2, 3, 4)
        x, dy = images(2, 6, 5, 6, how), images(2, *out_size(how), 4, how)
        to_x = {**how, "input_shape": format_shape(2, 6, 5, 6, how)}
        to_filter = {**how, "filter_shape": (3, 2, 3, 4)}
        cases += [
            Case("conv2d", (x, of_group), naive_conv, how, label),
            Case("conv2d_backprop_input", (dy, of_group), conv_to_x(), to_x, label),
            Case("conv2d_backprop_filter", (x, dy), conv_to_filter(), to_filter, label),
        ]
    grouped = floats(2, 3, 4, 6), floats(1, 1, 2, 9)
    grouped_numbers = ints(1, 4, 4, 4), ints(2, 2, 1, 8)
    pointwise = floats(2, 4, 3, 5), floats(1, 1, 5, 2)
    numbers = ints(1, 4, 4, 2), ints(2, 2, 2, 3)
    first = floats(2, 5, 4, 3), floats(1, 1, 5, 2)
    none, no_dy = ((floats(0, n, n, c), floats(2, 2, 2, 3)) for n, c in ((4, 2), (3, 3)))
    to_x, to_filter = {"input_shape": (0, 4, 4, 2)}, {"filter_shape": (2, 2, 2, 3)}
    return [
        *cases,
        Case("conv2d", pointwise, naive_conv, {}, "pointwise"),
        Case("conv2d", first, naive_conv, {"data_format": "NCHW"}, "pointwise NCHW"),
        Case("conv2d", grouped, naive_conv, {}, "pointwise groups"),
        Case("conv2d", grouped_numbers, naive_conv, {"pad": "same"}, "int32 groups"),
        Case("conv2d", numbers, naive_conv, {"pad": "same"}, "int32"),
        Case("conv2d", (ints(1, 4, 4, 2), floats(2, 2, 2, 3)), naive_conv, {}, "mixed"),
        Case("conv2d", none, naive_conv, {}, "no images"),
        Case("conv2d_backprop_input", no_dy, conv_to_x(), to_x, "no images"),
        Case(
            "conv2d_backprop_filter", (none[0], no_dy[0]), conv_to_filter(), to_filter, "no images"
        ),
    ]


CASES = _conv_cases()
