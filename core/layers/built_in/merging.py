"""Layers of several inputs."""

from collections.abc import Sequence
from functools import reduce as folded
from math import prod
from typing import Any, ClassVar

from core.layers.built_in.normalization import inverse_norm
from core.layers.built_in_layer import OneResult
from core.layers.common_ops import (
    as_float,
    concat,
    expand,
    reduce,
    reshape_like,
    transpose,
)
from core.layers.layer_call import LayerCall, Masked, Operand, is_same


class _Folded(OneResult, is_base=True):
    """An op that joins inputs, one after the other."""

    #: The op of two inputs.
    op: ClassVar[str]

    keeps_mask = False
    merges_masks = True

    @classmethod
    def compute(cls, call: LayerCall, *values: Operand) -> Any:
        y = folded(getattr(call.ops, cls.op), _of_one_rank(call, values))
        return Masked(y, _merged_mask(call, values))


class Add(_Folded):
    """Add inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that
    shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Add()([x, y]).numpy().tolist()
    [[4.0, 7.0]]
    """

    op = "add"


class Multiply(_Folded):
    """Multiply inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that
    shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Multiply()([x, y]).numpy().tolist()
    [[3.0, 10.0]]
    """

    op = "mul"


class Subtract(_Folded):
    """Subtract the second of two inputs from the first, value by value.

    Called on two tensors of one shape, or of shapes that broadcast; returns a tensor of that shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Subtract()([x, y]).numpy().tolist()
    [[2.0, 3.0]]
    """

    op = "sub"


class Maximum(_Folded):
    """Return the largest of the inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that
    shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Maximum()([x, y]).numpy().tolist()
    [[3.0, 5.0]]
    """

    op = "maximum"


class Minimum(_Folded):
    """Return the smallest of the inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that
    shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Minimum()([x, y]).numpy().tolist()
    [[1.0, 2.0]]
    """

    op = "minimum"


class Average(OneResult):
    """Return the mean of inputs, value by value.

    Called on a list of tensors of one shape, or of shapes that broadcast; returns a tensor of that
    shape.

    Args:
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> x, y = core.tensor([[3.0, 5.0]]), core.tensor([[1.0, 2.0]])
    >>> core.layers.Average()([x, y]).numpy().tolist()
    [[2.0, 3.5]]
    """

    keeps_mask = False
    merges_masks = True

    @staticmethod
    def compute(call: LayerCall, *values: Operand) -> Any:
        total = folded(call.ops.add, _of_one_rank(call, values))
        return Masked(call.ops.mul(total, 1 / len(values)), _merged_mask(call, values))


def _of_one_rank(call: LayerCall, values: Sequence[Operand]) -> list[Any]:
    """Insert axes after the batch of values with fewer axes."""
    if not values:
        raise call.error("is called on nothing")
    if any(value.dtype != values[0].dtype for value in values):
        values = [as_float(call, value) for value in values]
    if any(value.shape is None for value in values):
        return list(values)
    rank = max(len(call.shape(value)) for value in values)
    found = []
    for value in values:
        while 0 < len(call.shape(value)) < rank:
            value = expand(call, value, 1)
        found.append(value)
    return found


def _merged_mask(call: LayerCall, values: Sequence[Operand]) -> Operand | None:
    """Return the mask of a merged tensor: Keras 3 keeps what any input keeps, others what all do.

    An input without a mask keeps all of its steps; Keras 2 and TensorFlow.js leave it out.
    """
    masks = [mask for mask in call.masks if mask is not None]
    if not masks or (call.dialect == "keras3" and len(masks) < len(values)):
        return None
    joined = call.ops.logical_or if call.dialect == "keras3" else call.ops.logical_and
    return folded(lambda a, b: a if is_same(a, b) else joined(a, b), masks)


class Concatenate(OneResult):
    """Join inputs along an axis.

    Called on a list of tensors whose shapes differ along the axis alone; returns one tensor.

    Args:
        axis: axis along which to concatenate.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Concatenate()([core.ones((1, 2)), core.zeros((1, 1))]).numpy()
    array([[1., 1., 0.]], dtype=float32)
    """

    axis: int = -1

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, *values: Operand) -> Any:
        if not values:
            raise call.error("is called on nothing")
        rank = len(call.shape(values[0]))
        axis = call.options.axis("axis", rank, -1)
        if any(value.dtype != values[0].dtype for value in values):
            values = tuple(as_float(call, value) for value in values)
        y = concat(call, values, axis) if len(values) > 1 else values[0]
        return Masked(y, _mask_of_concatenated(call, values, axis))


def _mask_of_concatenated(call: LayerCall, values: Sequence[Operand], axis: int) -> Operand | None:
    masks = [mask for mask in call.masks if mask is not None]
    if not masks:
        return None
    if all(is_same(mask, masks[0]) for mask in masks) and axis == len(call.shape(values[0])) - 1:
        return masks[0]  # inputs without a mask are masked nowhere
    if axis == 1 and len(masks) == len(values):
        return concat(call, masks, 1)
    raise call.error("the masks of its inputs cannot be joined: take them away before")


class CustomScaleLayer(OneResult):
    """The layer of Keras's InceptionResNetV2 that adds a tensor and another one times scale."""

    scale: bool

    keeps_mask = False
    is_published = False

    @staticmethod
    def compute(call: LayerCall, x: Operand, y: Operand) -> Any:
        return call.ops.add(x, call.ops.mul(y, call.options.number("scale")))


class Dot(OneResult):
    """Return the dot products of two inputs along an axis of each, sample by sample.

    Called on two tensors `[batch, ...]`; the result has their other axes, and for matrices at least
    one axis beside the batch.

    Args:
        axes: axis of both inputs, or one of each, to sum along; needed.
        normalize: divide by the norms along the axes: the result is the cosine.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Dot(axes=1)([core.tensor([[1.0, 2.0]]), core.tensor([[3.0, 4.0]])]).numpy()
    array([[11.]], dtype=float32)
    """

    axes: int | Sequence[int]
    normalize: bool = False

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand, y: Operand) -> Any:
        """Multiply the matrices of each pair of items, summed along one axis of each."""
        x, y = as_float(call, x), as_float(call, y)
        first, second = call.shape(x, 2, 3, 4), call.shape(y, 2, 3, 4)
        given = call.options.get("axes")
        pair = given if isinstance(given, (list, tuple)) else [given, given]
        if len(pair) != 2 or not all(isinstance(n, int) for n in pair):
            raise call.options.error("axes", "an integer or two of them")
        i, j = (
            n % len(s) if -len(s) <= n < len(s) else 0
            for n, s in zip(pair, (first, second), strict=True)
        )
        if 0 in (i, j) or call.length(x, i) != call.length(y, j):
            raise call.error(f"cannot multiply {first} and {second} along axes {pair}")
        if call.options.flag("normalize", False):
            x = call.ops.mul(x, inverse_norm(call, x, [i]))
            y = call.ops.mul(y, inverse_norm(call, y, [j]))
        if len(first) == len(second) == 2:
            return reduce(call, "sum", call.ops.mul(x, y), [1], keep=True)
        return _matrix_product(call, x, y, i, j)


def _matrix_product(call: LayerCall, x: Operand, y: Operand, i: int, j: int) -> Any:
    x = transpose(call, x, [n for n in range(len(call.shape(x))) if n != i] + [i])
    y = transpose(call, y, [0, j, *(n for n in range(1, len(call.shape(y))) if n != j)])
    size = call.length(y, 1)
    rows, columns = call.shape(x)[1:-1], call.shape(y)[2:]
    left = reshape_like(call, x, (call.shape(x)[0], _size(call, rows), size), x)
    right = reshape_like(call, y, (call.shape(y)[0], size, _size(call, columns)), y)
    product = call.ops.matmul(left, right)
    return reshape_like(call, product, (call.shape(x)[0], *rows, *columns), x)


def _size(call: LayerCall, lengths: Sequence[int | None]) -> int | None:
    """Return the number of items; None for a single axis of unknown length."""
    if None in lengths and len(lengths) > 1:
        raise call.error("multiplies tensors with an unknown length")
    return None if None in lengths else prod(n for n in lengths if n is not None)
