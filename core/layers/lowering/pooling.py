"""Pooling: windows, and whole images."""

from typing import Any

from core.layers.layer_call import LayerCall, Operand
from core.layers.lowering.arguments import arguments
from core.layers.lowering.common_ops import (
    as_float,
    as_images,
    cast,
    expand,
    in_data_format,
    is_channels_first,
    reduce,
)
from core.layers.lowering.rows import LayerType


def _pooling_of_rank(rank: int, op: str) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        return in_data_format(call, _pooled(call, as_images(call, x, rank), rank, op))

    short = "AvgPool" if op.startswith("avg") else "MaxPool"
    names = (
        (f"{short}{rank}D", f"{short}ing{rank}D") if short == "AvgPool" else (f"{short}{rank}D",)
    )
    given = arguments(pool_size=2, strides=None, padding="valid", data_format=None)
    return LayerType(lower, keeps_mask=False, arguments=given, other_names=names)


def _pooled(call: LayerCall, x: Operand, rank: int, op: str) -> Any:
    """Add pooling with channels last; tensors of one dimension are images with one row."""
    options = call.options
    size = options.integers("pool_size", rank, 2)
    strides = options.integers("strides", rank, size)
    padding = options.choice("padding", ("valid", "same"), "valid")
    if padding == "same":
        pairs = zip(size, strides, call.shape(x)[1:-1], strict=True)
        size = tuple(_covering(k, stride, n) for k, stride, n in pairs)
    shape = call.shape(x)
    needed = size if padding == "valid" else (1,) * rank
    if any(n is not None and n < k for n, k in zip(shape[1:-1], needed, strict=True)):
        raise call.error(f"its window {size} is larger than its input {shape}")
    row = (1,) if rank == 1 else ()
    how = {"filter_size": (*row, *size), "strides": (*row, *strides), "pad": padding}
    x = expand(call, x, 1) if rank == 1 else x
    y = getattr(call.ops, op)(x, **how)
    return call.ops.squeeze(y, axis=(1,)) if rank == 1 else y


def _covering(size: int, stride: int, n: int | None) -> int:
    """Return the length of a window, at most that which covers the input from every place."""
    return size if n is None else min(size, n + (-(-n // stride) - 1) * stride + 1)


def _global_of_rank(rank: int, op: str) -> LayerType:
    def lower(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        call.shape(x, rank + 2)
        first = 2 if is_channels_first(call) else 1
        axes, keep = range(first, first + rank), call.options.flag("keepdims", False)
        mask = call.mask
        if mask is not None and rank == 1 and op == "mean" and call.dialect != "tfjs":
            return _masked_mean(call, x, mask, first, keep)
        return reduce(call, op, x, axes, keep)

    short = "Max" if op == "max" else "Avg"
    return LayerType(
        lower,
        keeps_mask=False,
        takes_mask=rank == 1 and op == "mean",
        arguments=arguments(data_format=None, keepdims=False),
        other_names=(f"Global{short}Pool{rank}D",),
    )


def _masked_mean(call: LayerCall, x: Operand, mask: Operand, axis: int, keep: bool) -> Any:
    """Return the mean of the steps that are not masked."""
    valid = expand(call, cast(call, mask, "float32"), 3 - axis)
    total = reduce(call, "sum", call.ops.mul(x, valid), [axis], keep)
    return call.ops.div(total, reduce(call, "sum", valid, [axis], keep))


LAYER_TYPES = {
    **{
        f"{name}Pooling{n}D": _pooling_of_rank(n, f"{op}3d" if n == 3 else op)
        for name, op in (("Max", "max_pool"), ("Average", "avg_pool"))
        for n in (1, 2, 3)
    },
    **{f"GlobalMaxPooling{n}D": _global_of_rank(n, "max") for n in (1, 2, 3)},
    **{f"GlobalAveragePooling{n}D": _global_of_rank(n, "mean") for n in (1, 2, 3)},
}
