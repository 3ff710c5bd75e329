"""Pooling: windows, and whole images."""

from core.layers.layer_call import LayerCall, Value
from core.layers.lowering.arguments import arguments
from core.layers.lowering.common_nodes import (
    as_float,
    as_images,
    binary,
    cast,
    expand,
    in_data_format,
    is_channels_first,
    reduce,
    squeeze,
)
from core.layers.lowering.rows import LayerType


def _pooling_of_rank(rank: int, type: str) -> LayerType:
    def lower(call: LayerCall, x: Value) -> Value:
        return in_data_format(call, _pooled(call, as_images(call, x, rank), rank, type))

    short = type[:7]
    names = (
        (f"{short}{rank}D", f"{short}ing{rank}D") if short == "AvgPool" else (f"{short}{rank}D",)
    )
    given = arguments(pool_size=2, strides=None, padding="valid", data_format=None)
    return LayerType(lower, keeps_mask=False, arguments=given, other_names=names)


def _pooled(call: LayerCall, x: Value, rank: int, type: str) -> Value:
    """Add pooling with channels last; tensors of one dimension are images with one row."""
    options = call.options
    size = options.integers("pool_size", rank, 2)
    strides = options.integers("strides", rank, size)
    padding = options.choice("padding", ("valid", "same"), "valid")
    if padding == "same":
        pairs = zip(size, strides, call.shape(x)[1:-1], strict=True)
        size = tuple(_covering(k, stride, n) for k, stride, n in pairs)
    row = (1,) if rank == 1 else ()
    attributes = {
        "ksize": [1, *row, *size, 1],
        "strides": [1, *row, *strides, 1],
        "padding": padding.upper(),
        "data_format": "NDHWC" if rank == 3 else "NHWC",
    }
    shape = call.shape(x)
    lengths = [
        None if n is None else -(-(n if padding == "same" else n - k + 1) // s)
        for n, k, s in zip(shape[1:-1], size, strides, strict=True)
    ]
    if any(n is not None and n < 1 for n in lengths):
        raise call.error(f"its window {size} is larger than its input {shape}")
    x = expand(call, x, 1) if rank == 1 else x
    y = call.node(type, [x], attributes, (shape[0], *row, *lengths, shape[-1]))
    return squeeze(call, y, 1) if rank == 1 else y


def _covering(size: int, stride: int, n: int | None) -> int:
    """Return the length of a window, at most that which covers the input from every place."""
    return size if n is None else min(size, n + (-(-n // stride) - 1) * stride + 1)


def _global_of_rank(rank: int, type: str) -> LayerType:
    def lower(call: LayerCall, x: Value) -> Value:
        x = as_float(call, x)
        call.shape(x, rank + 2)
        first = 2 if is_channels_first(call) else 1
        axes, keep = range(first, first + rank), call.options.flag("keepdims", False)
        if x.mask is not None and rank == 1 and type == "Mean" and call.dialect != "tfjs":
            return _masked_mean(call, x, x.mask, first, keep)
        return reduce(call, type, x, axes, keep)

    short = "Max" if type == "Max" else "Avg"
    return LayerType(
        lower,
        keeps_mask=False,
        arguments=arguments(data_format=None, keepdims=False),
        other_names=(f"Global{short}Pool{rank}D",),
    )


def _masked_mean(call: LayerCall, x: Value, mask: Value, axis: int, keep: bool) -> Value:
    """Return the mean of the steps that are not masked."""
    valid = expand(call, cast(call, mask, "float32"), 3 - axis)
    total = reduce(call, "Sum", binary(call, "Mul", x, valid), [axis], keep)
    return binary(call, "RealDiv", total, reduce(call, "Sum", valid, [axis], keep))


LAYER_TYPES = {
    **{
        f"{name}Pooling{n}D": _pooling_of_rank(n, f"{type}3D" if n == 3 else type)
        for name, type in (("Max", "MaxPool"), ("Average", "AvgPool"))
        for n in (1, 2, 3)
    },
    **{f"GlobalMaxPooling{n}D": _global_of_rank(n, "Max") for n in (1, 2, 3)},
    **{f"GlobalAveragePooling{n}D": _global_of_rank(n, "Mean") for n in (1, 2, 3)},
}
