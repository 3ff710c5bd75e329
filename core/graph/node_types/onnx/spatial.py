"""Convolutions and pooling over images with their channels second.

Each is between two transpositions, as our ops have the channels last; plans have a pass that joins
these (`core.plan.passes.layouts`), so that few or none are left.
"""

from collections.abc import Sequence
from typing import Any

from core import ops
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.node_types.onnx.rows import Rows

Sides = tuple[tuple[int, int], ...]


def last(x: Tensor) -> Tensor:
    """With the channels last."""
    return ops.transpose(x, perm=(0, *range(2, x.ndim), 1))


def first(x: Tensor) -> Tensor:
    """With the channels second."""
    return ops.transpose(x, perm=(0, x.ndim - 1, *range(1, x.ndim - 1)))


def _along(values: Sequence[int], count: int, default: int = 1) -> tuple[int, ...]:
    return tuple(values) or (default,) * count


def _sides(
    auto_pad: str,
    pads: Sequence[int],
    lengths: Sequence[int],
    reach: Sequence[int],
    strides: Sequence[int],
) -> Sides:
    """The padding before and after along each axis."""
    count = len(lengths)
    if auto_pad in ("SAME_UPPER", "SAME_LOWER"):
        sides = []
        for length, size, stride in zip(lengths, reach, strides, strict=True):
            total = max((-(-length // stride) - 1) * stride + size - length, 0)
            small, large = total // 2, total - total // 2
            sides.append((small, large) if auto_pad == "SAME_UPPER" else (large, small))
        return tuple(sides)
    given = _along(pads, 2 * count, 0) if auto_pad != "VALID" else (0,) * (2 * count)
    return tuple(zip(given[:count], given[count:], strict=True))


def _reach(size: Sequence[int], dilations: Sequence[int]) -> tuple[int, ...]:
    return tuple((k - 1) * d + 1 for k, d in zip(size, dilations, strict=True))


def convolution(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] = (),
    group: int = 1,
    kernel_shape: Sequence[int] = (),
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    count = x.ndim - 2
    if count == 1:
        return _of_rows(x, w, b, auto_pad, dilations, group, pads, strides)
    strides, dilations = _along(strides, count), _along(dilations, count)
    size = w.shape[2:]
    sides = _sides(auto_pad, pads, x.shape[2:], _reach(size, dilations), strides)
    y = convolved(last(x), w, sides, strides, dilations, group)
    return first(y if b is None else y + b)


def _of_rows(x: Tensor, w: Tensor, b: Any, auto_pad: str, dilations: Any, group: int, pads: Any, strides: Any) -> Tensor:
    """As images of height 1."""
    given = _along(pads, 2, 0)
    y = convolution(
        ops.expand_dims(x, axis=2),
        ops.expand_dims(w, axis=2),
        b,
        auto_pad,
        (1, *_along(dilations, 1)),
        group,
        (),
        (0, given[0], 0, given[1]) if auto_pad == "NOTSET" else (),
        (1, *_along(strides, 1)),
    )
    return ops.squeeze(y, axis=2)


def convolved(
    x: Tensor, w: Tensor, sides: Sides, strides: Any, dilations: Any, group: int
) -> Tensor:
    """Convolve [n, .., c] with weights [out, c / group, ..]."""
    how = {"strides": tuple(strides), "pad": sides, "dilations": tuple(dilations)}
    count = x.ndim - 2
    filters = ops.transpose(w, perm=(*range(2, w.ndim), 1, 0))
    if count == 3:
        parts = _per_group(x, filters, group)
        made = [ops.conv3d(a, f, **how) for a, f in parts]
    elif group > 1 and group == x.shape[-1]:
        kernel = ops.reshape(filters, shape=(*w.shape[2:], group, w.shape[0] // group))
        return ops.depthwise_conv2d(x, kernel, **how)
    else:
        made = [ops.conv2d(a, f, **how) for a, f in _per_group(x, filters, group)]
    return made[0] if group == 1 else ops.concat(made, axis=-1)


def _per_group(x: Tensor, filters: Tensor, group: int) -> list[tuple[Tensor, Tensor]]:
    if group == 1:
        return [(x, filters)]
    parts = (ops.split(each, num_or_size_splits=group, axis=-1) for each in (x, filters))
    return [*zip(*parts, strict=True)]


def _conv_transpose(
    x: Tensor,
    w: Tensor,
    b: Tensor | None = None,
    auto_pad: str = "NOTSET",
    dilations: Sequence[int] = (),
    group: int = 1,
    kernel_shape: Sequence[int] = (),
    output_padding: Sequence[int] = (),
    output_shape: Sequence[int] = (),
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    """The gradient of a convolution for its input, whose size the attributes tell."""
    count = x.ndim - 2
    if count == 1:
        given = _along(pads, 2, 0)
        y = _conv_transpose(
            ops.expand_dims(x, axis=2),
            ops.expand_dims(w, axis=2),
            b,
            auto_pad,
            (1, *_along(dilations, 1)),
            group,
            (),
            (0, *_along(output_padding, 1, 0)),
            (1, *output_shape) if output_shape else (),
            (0, given[0], 0, given[1]),
            (1, *_along(strides, 1)),
        )
        return ops.squeeze(y, axis=2)
    strides, dilations = _along(strides, count), _along(dilations, count)
    more, reach = _along(output_padding, count, 0), _reach(w.shape[2:], dilations)
    whole = [
        stride * (n - 1) + r + extra
        for n, stride, r, extra in zip(x.shape[2:], strides, reach, more, strict=True)
    ]
    if output_shape or auto_pad.startswith("SAME"):
        size = tuple(output_shape[-count:]) or tuple(
            n * stride for n, stride in zip(x.shape[2:], strides, strict=True)
        )
        totals = [max(n - m, 0) for n, m in zip(whole, size, strict=True)]
        small = [(t // 2, t - t // 2) for t in totals]
        sides = [s if auto_pad != "SAME_LOWER" else s[::-1] for s in small]
    else:
        sides = list(_sides(auto_pad, pads, x.shape[2:], reach, strides))
        size = tuple(n - sum(side) for n, side in zip(whole, sides, strict=True))
    kernel = ops.transpose(w, perm=(*range(2, w.ndim), 1, 0))  # [.., out / group, in]
    back = ops.conv2d_backprop_input if count == 2 else ops.conv3d_backprop_input
    made = [
        back(
            a,
            f,
            input_shape=(x.shape[0], *size, w.shape[1]),
            strides=strides,
            pad=tuple(sides),
            dilations=dilations,
        )
        for a, f in _per_group(last(x), kernel, group)
    ]
    y = made[0] if group == 1 else ops.concat(made, axis=-1)
    return first(y if b is None else y + b)


def _windows(
    x: Tensor, size: Sequence[int], auto_pad: str, pads: Any, strides: Any, dilations: Any, ceil: int
) -> tuple[Sides, tuple[int, ...], tuple[int, ...]]:
    """Padding, strides and dilations of a pooling; windows that begin in the padding do not count."""
    count = x.ndim - 2
    strides, dilations = _along(strides, count), _along(dilations, count)
    reach = _reach(size, dilations)
    sides = _sides(auto_pad, pads, x.shape[2:], reach, strides)
    if not ceil:
        return sides, strides, dilations
    found = []
    for (before, after), length, r, stride in zip(sides, x.shape[2:], reach, strides, strict=True):
        windows = -(-(length + before + after - r) // stride) + 1
        windows -= (windows - 1) * stride >= length + before
        found.append((before, max((windows - 1) * stride + r - length - before, 0)))
    return tuple(found), strides, dilations


def _max_pool(
    x: Tensor,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Sequence[int] = (),
    pads: Sequence[int] = (),
    storage_order: int = 0,
    strides: Sequence[int] = (),
) -> Tensor:
    count = x.ndim - 2
    if count == 1:
        wide = _max_pool(
            ops.expand_dims(x, axis=2),
            (1, *kernel_shape),
            auto_pad,
            ceil_mode,
            (1, *_along(dilations, 1)),
            _rows(pads),
            0,
            (1, *_along(strides, 1)),
        )
        return ops.squeeze(wide, axis=2)
    sides, strides, dilations = _windows(
        x, kernel_shape, auto_pad, pads, strides, dilations, ceil_mode
    )
    if max(dilations) > 1:
        raise CoreError(f"dilations {dilations} of a pooling are not supported")
    pool = ops.max_pool if count == 2 else ops.max_pool3d
    return first(
        pool(last(x), filter_size=tuple(kernel_shape), strides=strides, pad=sides)
    )


def _rows(pads: Sequence[int]) -> tuple[int, ...]:
    return (0, pads[0], 0, pads[1]) if pads else ()


def _average_pool(
    x: Tensor,
    kernel_shape: Sequence[int],
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    count_include_pad: int = 0,
    dilations: Sequence[int] = (),
    pads: Sequence[int] = (),
    strides: Sequence[int] = (),
) -> Tensor:
    count = x.ndim - 2
    if count == 1:
        wide = _average_pool(
            ops.expand_dims(x, axis=2),
            (1, *kernel_shape),
            auto_pad,
            ceil_mode,
            count_include_pad,
            (1, *_along(dilations, 1)),
            _rows(pads),
            (1, *_along(strides, 1)),
        )
        return ops.squeeze(wide, axis=2)
    own = _windows(x, kernel_shape, auto_pad, pads, strides, dilations, 0)[0]
    sides, strides, dilations = _windows(
        x, kernel_shape, auto_pad, pads, strides, dilations, ceil_mode
    )
    if max(dilations) > 1:
        raise CoreError(f"dilations {dilations} of a pooling are not supported")
    pool = ops.avg_pool if count == 2 else ops.avg_pool3d
    images = last(x)
    if count_include_pad and any(map(any, own)):
        images = ops.pad(images, paddings=((0, 0), *own, (0, 0)))
        sides = tuple(
            (0, after - kept) for (_, after), (_, kept) in zip(sides, own, strict=True)
        )
    return first(pool(images, filter_size=tuple(kernel_shape), strides=strides, pad=sides))


def _space(x: Tensor) -> tuple[int, ...]:
    return tuple(range(2, x.ndim))


def _per_channel(values: Tensor, x: Tensor) -> Tensor:
    """One number for each channel, as it broadcasts with x."""
    return ops.reshape(values, shape=(-1, *(1,) * (x.ndim - 2)))


def _batch_norm(
    x: Tensor,
    scale: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
    epsilon: float = 1e-5,
    momentum: float = 0.9,
    training_mode: int = 0,
    spatial: int = 1,
) -> Tensor:
    factor = scale * ops.rsqrt(variance + epsilon)
    offset = bias - mean * factor
    if x.ndim < 3:
        return x * factor + offset
    return x * _per_channel(factor, x) + _per_channel(offset, x)


def _standardised(x: Tensor, axes: tuple[int, ...], epsilon: float) -> Tensor:
    return _with_moments(x, axes, epsilon)[0]


def _with_moments(x: Tensor, axes: tuple[int, ...], epsilon: float) -> list[Tensor]:
    """Standardised values, the mean, and the inverse of the deviation."""
    mean = ops.mean(x, axis=axes, keep_dims=True)
    centred = x - mean
    inverse = ops.rsqrt(ops.mean(ops.square(centred), axis=axes, keep_dims=True) + epsilon)
    return [centred * inverse, mean, inverse]


def _instance_norm(x: Tensor, scale: Tensor, bias: Tensor, epsilon: float = 1e-5) -> Tensor:
    return _standardised(x, _space(x), epsilon) * _per_channel(scale, x) + _per_channel(bias, x)


def _layer_norm(
    x: Tensor,
    scale: Tensor,
    bias: Tensor | None = None,
    axis: int = -1,
    epsilon: float = 1e-5,
    stash_type: int = 1,
) -> list[Tensor]:
    y, mean, inverse = _with_moments(x, tuple(range(axis % x.ndim, x.ndim)), epsilon)
    y = y * scale
    return [y if bias is None else y + bias, mean, inverse]


def _group_norm(
    x: Tensor, scale: Tensor, bias: Tensor, num_groups: int, epsilon: float = 1e-5, stash_type: int = 1
) -> Tensor:
    """Scale and bias are of each channel; before opset 21 of each group."""
    groups = ops.reshape(x, shape=(x.shape[0], num_groups, -1))
    y = ops.reshape(_standardised(groups, (2,), epsilon), shape=x.shape)
    return y * _per_channel(scale, x) + _per_channel(bias, x)


def _lrn(
    x: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, bias: float = 1.0
) -> Tensor:
    """Sums over (size - 1) / 2 channels before and the rest after."""
    squares, before = ops.square(x), (size - 1) // 2
    sides = ((0, 0), (before, size - 1 - before), *((0, 0),) * (x.ndim - 2))
    wide = ops.pad(squares, paddings=sides)
    total = sum(wide[:, i : i + x.shape[1]] for i in range(size))
    return x / ops.pow(bias + alpha / size * total, beta)


def _global_lp_pool(x: Tensor, p: int = 2) -> Tensor:
    total = ops.sum(ops.pow(ops.abs(x), float(p)), axis=_space(x), keep_dims=True)
    return ops.pow(total, 1 / p)


ROWS: Rows = {
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Conv": convolution,
    "ConvTranspose": _conv_transpose,
    "GlobalAveragePool": lambda x: ops.mean(x, axis=_space(x), keep_dims=True),
    "GlobalLpPool": _global_lp_pool,
    "GlobalMaxPool": lambda x: ops.max(x, axis=_space(x), keep_dims=True),
    "GroupNormalization": _group_norm,
    "InstanceNormalization": _instance_norm,
    "LRN": _lrn,
    "LayerNormalization": _layer_norm,
    "MaxPool": _max_pool,
}
