"""Layers that change the order, the number or the place of values, and compute nothing."""

from collections.abc import Sequence
from math import prod
from typing import Any, ClassVar, Literal

from core.layers.built_in_layer import OneResult
from core.layers.common_ops import (
    channels_last,
    cut,
    expand,
    is_channels_first,
    of_shape,
    padded,
    reshape,
    reshape_like,
    shape_vector,
    transpose,
)
from core.layers.layer_call import LayerCall, Operand


class Flatten(OneResult):
    """Join all axes but the batch to one.

    Called on `[batch, ...]`, returns `[batch, values]`.

    Args:
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Flatten()(core.ones((2, 3, 4))).shape
    (2, 12)
    """

    data_format: Literal["channels_last", "channels_first"] | None = None

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        if is_channels_first(call) and len(call.shape(x)) > 2:
            x = channels_last(call, x)
        size = prod(call.length(x, axis) for axis in range(1, len(call.shape(x))))
        return reshape(call, x, (None, size))


class Reshape(OneResult):
    """Give each sample another shape with as many values.

    Called on `[batch, ...]`, returns `[batch, *target_shape]`.

    Args:
        target_shape: shape of the result without the batch; one length may be -1; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Reshape((2, -1))(core.ones((5, 8))).shape
    (5, 2, 4)
    """

    target_shape: Sequence[int]

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        target = call.options.get("target_shape", [])
        if not isinstance(target, (list, tuple)):
            raise call.options.error("target_shape", "a list of lengths")
        lengths = call.options.integers("target_shape", len(target), (), least=-1) if target else ()
        if None not in call.shape(x)[1:]:
            lengths = _all_lengths(
                call, [call.length(x, i) for i in range(1, len(call.shape(x)))], lengths
            )
        shape = (call.shape(x)[0], *(None if n == -1 else n for n in lengths))
        return reshape_like(call, x, shape, x)


def _all_lengths(call: LayerCall, known: Sequence[int], target: tuple[int, ...]) -> tuple[int, ...]:
    """Return the target shape with the length that follows from the others in place of -1."""
    size, others = prod(known), prod(n for n in target if n != -1)
    fits = size % others == 0 if others and target.count(-1) == 1 else size == others
    if not fits or target.count(-1) > 1:
        raise call.error(f"cannot reshape {tuple(known)} to {target}")
    return tuple(size // others if n == -1 else n for n in target)


class Permute(OneResult):
    """Change the order of the axes of each sample.

    Called on `[batch, ...]`, returns the axes in the order of dims, which are counted from 1.

    Args:
        dims: order of the axes, counted from 1, without the batch; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Permute((2, 1))(core.ones((5, 3, 4))).shape
    (5, 4, 3)
    """

    dims: Sequence[int]

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        rank = len(call.shape(x))
        order = call.options.integers("dims", rank - 1)
        if sorted(order) != list(range(1, rank)):
            raise call.options.error("dims", f"the axes from 1 to {rank - 1} in some order")
        return transpose(call, x, (0, *order))


class RepeatVector(OneResult):
    """Repeat each vector as steps of a sequence.

    Called on `[batch, features]`, returns `[batch, n, features]`.

    Args:
        n: how often to repeat; needed.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.RepeatVector(3)([[1.0, 2.0]]).numpy()
    array([[[1., 2.],
            [1., 2.],
            [1., 2.]]], dtype=float32)
    """

    n: int

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        count = call.options.integer("n")
        call.shape(x, 2)
        return call.ops.tile(expand(call, x, 1), reps=(1, count, 1))


def _spatial(
    call: LayerCall, x: Operand, edges: tuple[tuple[int, int], ...]
) -> list[tuple[int, int]]:
    """Return the edges of all axes from those of the spatial axes."""
    call.shape(x, len(edges) + 2)
    if is_channels_first(call):
        return [(0, 0), (0, 0), *edges]
    return [(0, 0), *edges, (0, 0)]


class _ZeroPadding(OneResult, is_base=True):
    """Zeros at the edges of one to three axes."""

    rank: ClassVar[int]

    padding: int | Sequence[int] | Sequence[Sequence[int]] = 1
    data_format: Literal["channels_last", "channels_first"] | None = None

    keeps_mask = False

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        return padded(call, x, _spatial(call, x, call.options.edges("padding", cls.rank, 1)))


class ZeroPadding1D(_ZeroPadding):
    """Add zeros at the edges of sequences.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`.

    Args:
        padding: zeros at the edges of each axis: a number, or pairs of them.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ZeroPadding1D(1)(core.ones((1, 2, 1))).shape
    (1, 4, 1)
    """

    rank = 1


class ZeroPadding2D(_ZeroPadding):
    """Add zeros at the edges of images.

    Called on `[batch, rows, columns, channels]`, returns
    `[batch, new rows, new columns, channels]`.

    Args:
        padding: zeros at the edges of each axis: a number, or pairs of them.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ZeroPadding2D(1)(core.ones((1, 2, 2, 1))).shape
    (1, 4, 4, 1)
    """

    rank = 2


class ZeroPadding3D(_ZeroPadding):
    """Add zeros at the edges of volumes.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, channels]`.

    Args:
        padding: zeros at the edges of each axis: a number, or pairs of them.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.ZeroPadding3D(1)(core.ones((1, 2, 2, 2, 1))).shape
    (1, 4, 4, 4, 1)
    """

    rank = 3


class _Cropping(OneResult, is_base=True):
    """Edges cut off from one to three axes."""

    rank: ClassVar[int]

    keeps_mask = False

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        edges = call.options.edges("cropping", cls.rank, cls.arguments["cropping"])
        return cut(call, x, _spatial(call, x, edges))


class Cropping1D(_Cropping):
    """Cut values off the edges of sequences.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`.

    Args:
        cropping: values to cut off the edges of each axis: a number, or pairs.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Cropping1D(1)(core.ones((1, 4, 1))).shape
    (1, 2, 1)
    """

    cropping: int | Sequence[int] | Sequence[Sequence[int]] = 1

    rank = 1


class Cropping2D(_Cropping):
    """Cut values off the edges of images.

    Called on `[batch, rows, columns, channels]`, returns
    `[batch, new rows, new columns, channels]`.

    Args:
        cropping: values to cut off the edges of each axis: a number, or pairs.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Cropping2D(1)(core.ones((1, 4, 4, 1))).shape
    (1, 2, 2, 1)
    """

    cropping: int | Sequence[int] | Sequence[Sequence[int]] = 0
    data_format: Literal["channels_last", "channels_first"] | None = None

    rank = 2


class Cropping3D(_Cropping):
    """Cut values off the edges of volumes.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, channels]`.

    Args:
        cropping: values to cut off the edges of each axis: a number, or pairs.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Cropping3D(1)(core.ones((1, 4, 4, 4, 1))).shape
    (1, 2, 2, 2, 1)
    """

    cropping: int | Sequence[int] | Sequence[Sequence[int]] = 1
    data_format: Literal["channels_last", "channels_first"] | None = None

    rank = 3


def _tiled(call: LayerCall, x: Operand, axis: int, count: int) -> Any:
    """Repeat each row along an axis ``count`` times."""
    shape = call.shape(x)
    rows = expand(call, x, axis + 1)
    counts = [1] * len(call.shape(rows))
    counts[axis + 1] = count
    tiles = call.ops.tile(rows, reps=tuple(counts))
    n = shape[axis]
    result = (*shape[:axis], None if n is None else n * count, *shape[axis + 1 :])
    if result.count(None) <= 1:
        return reshape(call, tiles, result)
    marked = tuple(-1 if i == axis else n for i, n in enumerate(result))
    return of_shape(call, call.ops.reshape(tiles, shape=shape_vector(call, marked, x)), result)


class _Repetition(OneResult, is_base=True):
    """Values repeated along one to three axes."""

    rank: ClassVar[int]

    keeps_mask = False

    @classmethod
    def compute(cls, call: LayerCall, x: Operand) -> Any:
        call.shape(x, cls.rank + 2)
        first = 2 if is_channels_first(call) else 1
        for i, count in enumerate(call.options.integers("size", cls.rank, 2)):
            x = _tiled(call, x, first + i, count) if count > 1 else x
        return x


class UpSampling1D(_Repetition):
    """Enlarge sequences: each value is repeated.

    Called on `[batch, steps, channels]`, returns `[batch, new steps, channels]`: lengths times
    size.

    Args:
        size: how often each value is repeated along each axis.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.UpSampling1D(2)(core.ones((1, 2, 1))).shape
    (1, 4, 1)
    """

    size: int | Sequence[int] = 2

    rank = 1


class UpSampling3D(_Repetition):
    """Enlarge volumes: each value is repeated.

    Called on `[batch, depth, rows, columns, channels]`, returns
    `[batch, new depth, new rows, new columns, channels]`: lengths times size.

    Args:
        size: how often each value is repeated along each axis.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.UpSampling3D(2)(core.ones((1, 2, 2, 2, 1))).shape
    (1, 4, 4, 4, 1)
    """

    size: int | Sequence[int] = 2
    data_format: Literal["channels_last", "channels_first"] | None = None

    rank = 3
