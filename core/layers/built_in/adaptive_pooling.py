"""Pooling to a given size, over windows that fill the input and may differ by one in length.

Source: ``keras.layers.AdaptiveAveragePooling2D`` and its relatives of Keras 3.
"""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

from core.layers.built_in_layer import OneResult
from core.layers.common_ops import as_images, concat, cut, in_data_format, reduce
from core.layers.layer_call import LayerCall, Operand


def _along(call: LayerCall, x: Operand, axis: int, count: int, op: str) -> Any:
    """Reduce ``count`` windows along an axis, the first of which begins at its start."""
    n = call.length(x, axis)
    if n == count:
        return x
    call.check_count(count)
    found = []
    for i in range(count):
        edges = [(0, 0)] * len(call.shape(x))
        edges[axis] = (i * n // count, n + (-(i + 1) * n // count))
        found.append(reduce(call, op, cut(call, x, edges), [axis], keep=True))
    return concat(call, found, axis) if count > 1 else found[0]


class _AdaptivePooling(OneResult, is_base=True):
    """Reduction of as many windows as the result shall have."""

    rank: ClassVar[int]

    #: The op that reduces.
    op: ClassVar[str]

    output_size: int | Sequence[int]
    data_format: Literal["channels_last", "channels_first"] | None = None

    keeps_mask = False

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        x = as_images(call, x, cls.rank)
        for i, count in enumerate(call.options.integers("output_size", cls.rank)):
            x = _along(call, x, i + 1, count, cls.op)
        return in_data_format(call, x)


class AdaptiveAveragePooling1D(_AdaptivePooling):
    """Return the mean of windows of sequences, as many as the result shall have.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`, with the lengths
    of output_size. Windows may have different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveAveragePooling1D(2)(core.ones((1, 5, 3))).shape
    (1, 2, 3)
    """

    rank = 1
    op = "mean"


class AdaptiveAveragePooling2D(_AdaptivePooling):
    """Return the mean of windows of images, as many as the result shall have.

    Called on `[batch, rows, columns, channels]`, returns
    `[batch, new rows, new columns, channels]`, with the lengths of output_size. Windows may have
    different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveAveragePooling2D(2)(core.ones((1, 5, 5, 3))).shape
    (1, 2, 2, 3)
    """

    rank = 2
    op = "mean"


class AdaptiveAveragePooling3D(_AdaptivePooling):
    """Return the mean of windows of volumes, as many as the result shall have.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, channels]`, with the lengths of output_size. Windows
    may have different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveAveragePooling3D(2)(core.ones((1, 5, 5, 5, 3))).shape
    (1, 2, 2, 2, 3)
    """

    rank = 3
    op = "mean"


class AdaptiveMaxPooling1D(_AdaptivePooling):
    """Return the largest value of windows of sequences, as many as the result shall have.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`, with the lengths
    of output_size. Windows may have different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveMaxPooling1D(2)(core.ones((1, 5, 3))).shape
    (1, 2, 3)
    """

    rank = 1
    op = "max"


class AdaptiveMaxPooling2D(_AdaptivePooling):
    """Return the largest value of windows of images, as many as the result shall have.

    Called on `[batch, rows, columns, channels]`, returns
    `[batch, new rows, new columns, channels]`, with the lengths of output_size. Windows may have
    different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveMaxPooling2D(2)(core.ones((1, 5, 5, 3))).shape
    (1, 2, 2, 3)
    """

    rank = 2
    op = "max"


class AdaptiveMaxPooling3D(_AdaptivePooling):
    """Return the largest value of windows of volumes, as many as the result shall have.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, channels]`, with the lengths of output_size. Windows
    may have different lengths, and overlap.

    Args:
        output_size: lengths of the result, whatever those of the input are; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.AdaptiveMaxPooling3D(2)(core.ones((1, 5, 5, 5, 3))).shape
    (1, 2, 2, 2, 3)
    """

    rank = 3
    op = "max"
