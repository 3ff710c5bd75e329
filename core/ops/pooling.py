"""The average or the largest value of each window of images."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from math import inf, nan
from typing import Any, NamedTuple

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import image_op, zero_gradient
from core.engine.nan_check import unchecked
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Spec, check_choice, check_dy
from core.engine.tensors import Tensor
from core.engine.windows import Padding, Pair, Window, window
from core.errors import CoreError

#: Reductions of a window by `pool`.
POOLING_TYPES = ("avg", "max")


def pool_spec(x: Spec, w: Window, dtype: str = "float32") -> Spec:
    """The result of pooling."""
    return Spec((x.shape[0], *w.out_size, x.shape[-1]), dtype)


def pool_window(x: Any, filter_size: Pair, data_format: str = "NHWC", **how: Any) -> Window:
    """Return the windows of pooled images or volumes; the attributes are those of `window`."""
    return window(x.shape, filter_size, data_format=data_format, **how)


def taps(x: Any, w: Window, border: float = 0) -> Iterator[Any]:
    """Yield for each position in a window, row by row, the values of all windows there."""
    x = ops.pad(x, ((0, 0), *w.padding, (0, 0)), border)
    for position in product(*map(range, w.size)):
        begin = [p * d for p, d in zip(position, w.dilations, strict=True)]
        reach = [(n - 1) * s + 1 for n, s in zip(w.out_size, w.strides, strict=True)]
        end = [b + r for b, r in zip(begin, reach, strict=True)]
        index = (0, *begin, 0), (x.shape[0], *end, x.shape[-1]), (1, *w.strides, 1)
        yield ops.strided_slice(x, *index)


@unchecked()  # borders are NaN
def of_winners(
    values: Iterable[Any], flows: Iterable[Any], better: Callable[..., Any], lowest: float = -inf
) -> Any:
    """The gradient at the winning position of each window: transposes max pooling's gradient.

    Args:
        values: for each position the values of all windows; NaN, as that of a border, never wins.
        flows: for each position its gradient.
        better: whether a value wins over the best of earlier positions.
        lowest: the bound for the first winner; without a winner the result is 0.
    """
    best: Any = lowest
    found: Any = 0.0
    for value, flow in zip(values, flows, strict=True):
        wins = better(value, best)
        best, found = ops.select(wins, value, best), ops.select(wins, flow, found)
    return found


def _comparable(x: Spec) -> str:
    if x.dtype == "complex64":
        raise CoreError("complex64 values have no order: none is the largest")
    return x.dtype


@image_op(kernel_name="AvgPool", input_dtype="float32", method=True)
def avg_pool(
    x: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Padding,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The average of each window; padding does not count.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter_size: of a window, one number or (height, width).
        strides: step between windows, one number or (vertical, horizontal).
        pad: ``"same"``, ``"valid"``, or in pixels; see `conv2d`.
        dim_rounding_mode: see `conv2d`.

    Returns:
        [batch, new height, new width, channels]; NaN for a window of padding only.

    >>> core.avg_pool([[[1.0], [3.0], [5.0]]], (1, 2), 1, "same").numpy().ravel()
    array([2., 4., 5.], dtype=float32)
    """
    x = spec_of(x)
    return pool_spec(x, window(x.shape, filter_size, strides, pad, "NHWC", 1, dim_rounding_mode))


@avg_pool.gradient("x")
def _(g, x, **how):
    return ops.avg_pool_grad(g, x, **how)


@op(kernel_name="AvgPoolGrad", input_dtype="float32")
def avg_pool_grad(
    dy: TensorLike,
    input: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Padding,
    dim_rounding_mode: str | None = None,
    dilations: Pair = 1,
) -> Spec:
    """The gradient of `avg_pool`; of the input only the shape is used.

    Args:
        dy: [batch, new height, new width, channels], the gradient of the result.
        input: [batch, height, width, channels], the images that were pooled.
        filter_size: see `avg_pool`.
        strides: see `avg_pool`.
        pad: see `avg_pool`.
        dim_rounding_mode: see `avg_pool`.
        dilations: see `pool`.

    Returns:
        float32, of the shape of input.

    >>> core.avg_pool_grad([[[[6.0]]]], core.ones((1, 1, 2, 1)), (1, 2), 1, "valid").numpy().ravel()
    array([3., 3.], dtype=float32)
    """
    dy, input = spec_of(dy), spec_of(input)
    w = window(input.shape, filter_size, strides, pad, "NHWC", dilations, dim_rounding_mode)
    check_dy(pool_spec(input, w), dy)
    return input


@avg_pool_grad.gradient("dy")
def _(g, filter_size, **how):
    return ops.pool(g, window_shape=filter_size, pooling_type="avg", **how)


zero_gradient(avg_pool_grad, "input")


@image_op(kernel_name="MaxPool", input_dtype="no string", method=True)
def max_pool(
    x: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Padding,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The largest value of each window; NaN and padding are ignored.

    Args:
        x: [batch, height, width, channels], or [height, width, channels]: one image.
        filter_size: see `avg_pool`.
        strides: see `avg_pool`.
        pad: see `avg_pool`.
        dim_rounding_mode: see `avg_pool`.

    Returns:
        [batch, new height, new width, channels]; -inf for a window without a number.

    >>> core.max_pool([[[1.0], [3.0], [2.0]]], (1, 2), 1, "valid").numpy().ravel()
    array([3., 3.], dtype=float32)
    """
    x = spec_of(x)
    w = window(x.shape, filter_size, strides, pad, "NHWC", 1, dim_rounding_mode)
    return pool_spec(x, w, _comparable(x))


@max_pool.gradient("x")
def _(g, x, y, **how):
    return ops.max_pool_grad(g, x, y, **how)


@op(kernel_name="MaxPoolGrad", input_dtype="float32")
def max_pool_grad(
    dy: TensorLike,
    input: TensorLike,
    output: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Padding,
    dim_rounding_mode: str | None = None,
    dilations: Pair = 1,
) -> Spec:
    """The gradient of `max_pool`: that of a window belongs to the first of its largest values.

    Args:
        dy: [batch, new height, new width, channels], the gradient of the result.
        input: [batch, height, width, channels], the images that were pooled.
        output: the result, of the shape of dy.
        filter_size: see `avg_pool_grad`.
        strides: see `avg_pool_grad`.
        pad: see `avg_pool_grad`.
        dim_rounding_mode: see `avg_pool_grad`.
        dilations: see `avg_pool_grad`.

    Returns:
        float32, of the shape of input.

    >>> core.max_pool_grad([[[[6.0]]]], [[[[1.0], [1.0]]]], [[[[1.0]]]], (1, 2), 1, "valid"
    ...                    ).numpy().ravel()
    array([6., 0.], dtype=float32)
    """
    dy, input, output = spec_of(dy), spec_of(input), spec_of(output)
    w = window(input.shape, filter_size, strides, pad, "NHWC", dilations, dim_rounding_mode)
    check_dy(pool_spec(input, w), dy)
    check_dy(dy, output, "output")
    return input


@max_pool_grad.gradient("dy")
def _(g, input, **how):
    w = pool_window(input, **how)
    return of_winners(taps(input, w, nan), taps(g, w), ops.greater)


zero_gradient(max_pool_grad, "input", "output")


class MaxPoolWithArgmaxResults(NamedTuple):
    """The results of `max_pool_with_argmax`."""

    result: Tensor
    indexes: Tensor


@op(kernel_name="MaxPoolWithArgmax", input_dtype="no string", results=MaxPoolWithArgmaxResults)
def max_pool_with_argmax(
    x: TensorLike,
    filter_size: Pair,
    strides: Pair,
    pad: Padding,
    include_batch_in_index: bool = False,
) -> tuple[Spec, Spec]:
    """The largest value of each window, and its index.

    Args:
        x: [batch, height, width, channels].
        filter_size: see `avg_pool`.
        strides: see `avg_pool`.
        pad: see `avg_pool`.
        include_batch_in_index: count through the batch, not through each image by itself.

    Returns:
        ``result`` as `max_pool` gives it, and ``indexes``, int32 of the same shape: positions of
        the first largest values in the flattened input, -1 where a window has no number.

    >>> core.max_pool_with_argmax([[[[1.0], [3.0], [2.0]]]], (1, 2), 1, "valid").indexes.numpy()
    array([[[[1],
             [1]]]], dtype=int32)
    """
    x = spec_of(x)
    spec = pool_spec(x, window(x.shape, filter_size, strides, pad, "NHWC"), _comparable(x))
    return spec, Spec(spec.shape, "int32")


@max_pool_with_argmax.gradient("x")
def _(g, x, y, include_batch_in_index, **how):
    return ops.max_pool_grad(g[0], x, y[0], **how)


@image_op(kernel_name="Pool", input_dtype="no string", method=True)
def pool(
    input: TensorLike,
    window_shape: Pair,
    pooling_type: str,
    pad: Padding,
    dilations: Pair = 1,
    strides: Pair = 1,
    dim_rounding_mode: str | None = None,
) -> Spec:
    """The average or the largest value of each window, which may be dilated.

    Args:
        input: [batch, height, width, channels], or [height, width, channels]: one image.
        window_shape: of a window, one number or (height, width).
        pooling_type: ``"avg"`` or ``"max"``.
        pad: see `avg_pool`. With dilations, padding counts as zeros.
        dilations: distance between the pixels that a window reads; 1 if the strides are not.
        strides: see `avg_pool`.
        dim_rounding_mode: see `conv2d`.

    >>> core.pool([[[1.0], [9.0], [4.0]]], (1, 2), "max", "valid", dilations=(1, 2)).item()
    4.0
    """
    input = spec_of(input)
    check_choice(pooling_type, "pooling_type", POOLING_TYPES)
    w = window(input.shape, window_shape, strides, pad, "NHWC", dilations, dim_rounding_mode)
    if max(w.strides) > 1 and max(w.dilations) > 1:
        raise CoreError(
            f"strides {w.strides} and dilations {w.dilations} exclude each other: one must be 1"
        )
    dtype = _comparable(input)
    return pool_spec(input, w, "float32" if pooling_type == "avg" else dtype)


@pool.gradient("input")
def _(g, input, y, window_shape, pooling_type, pad, dilations, strides, dim_rounding_mode):
    w = window(input.shape, window_shape, strides, pad, "NHWC", dilations, dim_rounding_mode)
    x, corner = input, (0, 0, 0, 0)
    if max(w.dilations) > 1:
        x, pad, dim_rounding_mode = ops.pad(input, ((0, 0), *w.padding, (0, 0))), "valid", None
        corner = (0, w.padding[0][0], w.padding[1][0], 0)
    how = window_shape, strides, pad, dim_rounding_mode, dilations
    if pooling_type == "avg":
        dx = ops.avg_pool_grad(g, x, *how)
    else:
        dx = ops.max_pool_grad(g, x, y, *how)
    return dx if x is input else ops.slice(dx, corner, input.shape)
