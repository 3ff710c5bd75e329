"""Pooling: windows, and whole images."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from core.layers.built_in_layer import OneResult
from core.layers.common_ops import (
    as_float,
    as_images,
    cast,
    expand,
    in_data_format,
    is_channels_first,
    reduce,
)
from core.layers.layer_call import LayerCall, Operand


class _Pooling(OneResult, is_base=True):
    """Reduction of windows of one to three axes."""

    rank: ClassVar[int]

    #: The op that reduces.
    op: ClassVar[str]

    pool_size: int | Sequence[int] = 2
    strides: int | Sequence[int] | None = None
    padding: Literal["valid", "same", "causal"] = "valid"
    data_format: Literal["channels_last", "channels_first"] | None = None

    keeps_mask = False

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        return in_data_format(call, _pooled(call, as_images(call, x, cls.rank), cls.rank, cls.op))


class MaxPooling1D(_Pooling):
    """Return the largest value of each window of sequences, channel by channel.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.MaxPooling1D(2)(core.ones((1, 4, 3))).shape
    (1, 2, 3)
    """

    rank = 1
    op = "max_pool"
    other_names = ("MaxPool1D",)


class MaxPooling2D(_Pooling):
    """Return the largest value of each window of images, channel by channel.

    Called on `[batch, rows, columns, channels]`, returns
    `[batch, new rows, new columns, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.MaxPooling2D(2)(core.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 3)
    """

    rank = 2
    op = "max_pool"
    other_names = ("MaxPool2D",)


class MaxPooling3D(_Pooling):
    """Return the largest value of each window of volumes, channel by channel.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.MaxPooling3D(2)(core.ones((1, 4, 4, 4, 3))).shape
    (1, 2, 2, 2, 3)
    """

    rank = 3
    op = "max_pool3d"
    other_names = ("MaxPool3D",)


class AveragePooling1D(_Pooling):
    """Return the mean of each window of sequences, channel by channel.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AveragePooling1D(2)(core.ones((1, 4, 3))).shape
    (1, 2, 3)
    """

    rank = 1
    op = "avg_pool"
    other_names = (
        "AvgPool1D",
        "AvgPooling1D",
    )


class AveragePooling2D(_Pooling):
    """Return the mean of each window of images, channel by channel.

    Called on `[batch, rows, columns, channels]`, returns
    `[batch, new rows, new columns, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AveragePooling2D(2)(core.ones((1, 4, 4, 3))).shape
    (1, 2, 2, 3)
    """

    rank = 2
    op = "avg_pool"
    other_names = (
        "AvgPool2D",
        "AvgPooling2D",
    )


class AveragePooling3D(_Pooling):
    """Return the mean of each window of volumes, channel by channel.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, channels]`.

    Args:
        pool_size: lengths of the window.
        strides: steps of the window, by default its lengths.
        padding: "valid" stays inside of the input; "same" pads with zeros, so that the result has
            the input's lengths divided by the strides; "causal", of one axis, pads the begin alone.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AveragePooling3D(2)(core.ones((1, 4, 4, 4, 3))).shape
    (1, 2, 2, 2, 3)
    """

    rank = 3
    op = "avg_pool3d"
    other_names = (
        "AvgPool3D",
        "AvgPooling3D",
    )


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


class _GlobalPooling(OneResult, is_base=True):
    """Reduction of all of one to three axes."""

    rank: ClassVar[int]

    #: The op that reduces.
    op: ClassVar[str]

    data_format: Literal["channels_last", "channels_first"] | None = None
    keepdims: bool = False

    keeps_mask = False

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        call.shape(x, cls.rank + 2)
        first = 2 if is_channels_first(call) else 1
        axes, keep = range(first, first + cls.rank), call.options.flag("keepdims", False)
        mask = call.mask
        if mask is not None and cls.takes_mask and call.dialect != "tfjs":
            return _masked_mean(call, x, mask, first, keep)
        return reduce(call, cls.op, x, axes, keep)


class GlobalMaxPooling1D(_GlobalPooling):
    """Return the largest value of each channel of sequences.

    Called on `[batch, steps, channels]`, returns `[batch, channels]`, or lengths of 1 between them
    with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalMaxPooling1D()(core.ones((1, 4, 3))).shape
    (1, 3)
    """

    rank = 1
    op = "max"
    other_names = ("GlobalMaxPool1D",)


class GlobalMaxPooling2D(_GlobalPooling):
    """Return the largest value of each channel of images.

    Called on `[batch, rows, columns, channels]`, returns `[batch, channels]`, or lengths of 1
    between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalMaxPooling2D()(core.ones((1, 4, 4, 3))).shape
    (1, 3)
    """

    rank = 2
    op = "max"
    other_names = ("GlobalMaxPool2D",)


class GlobalMaxPooling3D(_GlobalPooling):
    """Return the largest value of each channel of volumes.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, channels]`, or lengths of
    1 between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalMaxPooling3D()(core.ones((1, 4, 4, 4, 3))).shape
    (1, 3)
    """

    rank = 3
    op = "max"
    other_names = ("GlobalMaxPool3D",)


class GlobalAveragePooling1D(_GlobalPooling):
    """Return the mean of each channel of sequences.

    Called on `[batch, steps, channels]`, returns `[batch, channels]`, or lengths of 1 between them
    with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalAveragePooling1D()(core.ones((1, 4, 3))).shape
    (1, 3)
    """

    rank = 1
    op = "mean"
    takes_mask = True
    other_names = ("GlobalAvgPool1D",)


class GlobalAveragePooling2D(_GlobalPooling):
    """Return the mean of each channel of images.

    Called on `[batch, rows, columns, channels]`, returns `[batch, channels]`, or lengths of 1
    between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalAveragePooling2D()(core.ones((1, 4, 4, 3))).shape
    (1, 3)
    """

    rank = 2
    op = "mean"
    other_names = ("GlobalAvgPool2D",)


class GlobalAveragePooling3D(_GlobalPooling):
    """Return the mean of each channel of volumes.

    Called on `[batch, depth, rows, columns, channels]`, returns `[batch, channels]`, or lengths of
    1 between them with keepdims.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        keepdims: keep the reduced axes with length 1.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.GlobalAveragePooling3D()(core.ones((1, 4, 4, 4, 3))).shape
    (1, 3)
    """

    rank = 3
    op = "mean"
    other_names = ("GlobalAvgPool3D",)


def _masked_mean(call: LayerCall, x: Operand, mask: Operand, axis: int, keep: bool) -> Any:
    """Return the mean of the steps that are not masked."""
    valid = expand(call, cast(call, mask, "float32"), 3 - axis)
    total = reduce(call, "sum", call.ops.mul(x, valid), [axis], keep)
    return call.ops.div(total, reduce(call, "sum", valid, [axis], keep))
