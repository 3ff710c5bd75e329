"""Preprocessing layers of images and numbers, and resizing.

If TensorFlow.js and Keras differ, a model of TensorFlow.js gets the results of TensorFlow.js, any
other model those of Keras.
"""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

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
from core.layers.layer_call import LayerCall, Operand, RunLengths, is_operand

_RESIZERS = {"bilinear": "resize_bilinear", "nearest": "resize_nearest_neighbor"}


def _resized(
    call: LayerCall,
    x: Operand,
    size: tuple[int, int] | RunLengths,
    *,
    align: bool,
    default: str = "bilinear",
) -> Any:
    """Resize images; Keras uses half-pixel centres."""
    call.shape(x, 4)
    method = call.options.choice("interpolation", _RESIZERS, default)
    centres = call.dialect != "tfjs" or (method == "nearest" and not align)
    resize = getattr(call.ops, _RESIZERS[method])
    return resize(x, size=size, align_corners=align, half_pixel_centers=centres)


class UpSampling2D(OneResult):
    """Enlarge images by repetition or interpolation.

    Called on `[batch, rows, columns, channels]`, returns
    `[batch, new rows, new columns, channels]`: lengths times size.

    Args:
        size: how often each value is repeated along each axis.
        data_format: the axis of the channels; by default "channels_last".
        interpolation: how values between pixels are made.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.UpSampling2D(2)(core.ones((1, 2, 2, 1))).shape
    (1, 4, 4, 1)
    """

    size: int | Sequence[int] = 2
    data_format: Literal["channels_last", "channels_first"] | None = None
    interpolation: Literal["nearest", "bilinear"] = "nearest"

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x, (rows, columns) = as_images(call, x, 2), call.options.integers("size", 2, 2)
        _, height, width, _ = call.shape(x, 4)
        size: tuple[int, int] | RunLengths
        if height is None or width is None:
            pixels = call.ops.strided_slice(call.lengths(x), begin=(1,), end=(3,), strides=(1,))
            counts = call.constant(np.array([rows, columns], np.int32), "ints")
            lengths = (
                None if height is None else height * rows,
                None if width is None else width * columns,
            )
            size = RunLengths(call.ops.mul(pixels, counts), lengths)
        else:
            size = height * rows, width * columns
        y = _resized(call, x, size, align=False, default="nearest")
        return in_data_format(call, y)


class Resizing(OneResult):
    """Resize images.

    Called on `[batch, rows, columns, channels]`, returns `[batch, height, width, channels]`.

    Args:
        height: rows of the result; needed.
        width: columns of the result; needed.
        interpolation: how values between pixels are made.
        crop_to_aspect_ratio: cut off what does not fit, instead of distorting.
        pad_to_aspect_ratio: pad, instead of distorting.
        antialias: smooth before making images smaller.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Resizing(2, 2)(core.ones((1, 4, 6, 3))).shape
    (1, 2, 2, 3)
    """

    height: int
    width: int
    interpolation: Literal["nearest", "bilinear"] = "bilinear"
    crop_to_aspect_ratio: bool = False
    pad_to_aspect_ratio: bool = False
    antialias: bool = False
    data_format: Literal["channels_last", "channels_first"] | None = None

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x, options = as_float(call, x), call.options
        crops = options.flag("crop_to_aspect_ratio", False)
        if call.dialect != "tfjs" and (crops or options.flag("pad_to_aspect_ratio", False)):
            raise call.error("resizing that keeps the aspect ratio is not supported")
        if options.flag("antialias", False) or is_channels_first(call):
            raise call.error("resizing with antialias or with the channels first is not supported")
        size = options.integer("height"), options.integer("width")
        align = call.dialect == "tfjs" and not crops
        return _resized(call, x, size, align=align)


class Rescaling(OneResult):
    """Multiply by a factor, and add an offset: pixels from 0 to 255 become values from 0 to 1.

    Called on a tensor of any shape, returns one of that shape.

    Args:
        scale: factor, or one per channel; needed.
        offset: summand, or one per channel.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.Rescaling(scale=2.0, offset=-1.0)([[0.0, 0.5, 1.0]]).numpy()
    array([[-1.,  0.,  1.]], dtype=float32)
    """

    scale: float | Sequence[float]
    offset: float | Sequence[float] = 0.0

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        x = as_float(call, x)
        y = call.ops.mul(x, _numbers(call, "scale", 1.0))
        return call.ops.add(y, _numbers(call, "offset", 0.0))


def _numbers(call: LayerCall, name: str, default: float) -> Any:
    """Return a number, or a vector of one per channel."""
    value = call.options.get(name, default)
    if not isinstance(value, (list, tuple)):
        return call.options.number(name, default)
    try:
        return call.constant(np.array(value, np.float32).reshape(-1), name)
    except (TypeError, ValueError) as error:
        raise call.options.error(name, "a number or a list of them") from error


class CenterCrop(OneResult):
    """Cut the centre out of images; smaller images are resized.

    Called on `[batch, rows, columns, channels]`, returns `[batch, height, width, channels]`.

    Args:
        height: rows of the result; needed.
        width: columns of the result; needed.
        data_format: the axis of the channels; by default "channels_last".
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.CenterCrop(2, 2)(core.ones((1, 4, 6, 3))).shape
    (1, 2, 2, 3)
    """

    height: int
    width: int
    data_format: Literal["channels_last", "channels_first"] | None = None

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        if is_channels_first(call):
            raise call.error("with the channels first is not supported")
        height, width = call.options.integer("height"), call.options.integer("width")
        call.shape(x, 4)
        rows, columns = call.length(x, 1) - height, call.length(x, 2) - width
        if rows < 0 or columns < 0:
            raise call.error(
                f"cannot crop {height} x {width} out of {x.shape}: resize the images first"
            )
        return call.ops.slice(
            x, begin=(0, rows // 2, columns // 2, 0), size=(-1, height, width, -1)
        )


class CategoryEncoding(OneResult):
    """Encode integers as vectors with a place for each category.

    Called on integers `[batch]` or `[batch, values]`, returns `[batch, num_tokens]`; with
    output_mode "one_hot" `[batch, values, num_tokens]`. The call takes `count_weights` for the mode
    "count".

    Args:
        num_tokens: number of categories.
        output_mode: kind of the result.
        **options: arguments of every `core.layers.Layer`: name, trainable, dtype, input_shape,
            batch_input_shape, batch_size, weights.

    Raises:
        CoreError: an argument or the shape of an input is invalid.

    >>> import core
    >>> core.layers.CategoryEncoding(4)(core.tensor([[0, 1], [3, 3]])).numpy()
    array([[1., 1., 0., 0.],
           [0., 0., 0., 1.]], dtype=float32)
    """

    num_tokens: int | None = None
    output_mode: Literal["multi_hot", "one_hot", "count", "int"] = "multi_hot"

    keeps_mask = False

    @staticmethod
    def compute(call: LayerCall, x: Operand) -> Any:
        options = call.options
        count = options.integer("num_tokens")
        modes = ("multi_hot", "one_hot", "count", "multihot", "onehot", "int")
        mode = (
            options.choice("output_mode", modes, "multi_hot")
            .replace("hot", "_hot")
            .replace("__", "_")
        )
        x = cast(call, x, "int32")
        shape = call.shape(x)
        if mode == "int":
            return x
        if mode == "one_hot" and len(shape) > 1 and shape[-1] == 1:
            x = call.ops.squeeze(x, axis=(len(shape) - 1,))
        shape = call.shape(x)
        y = call.ops.one_hot(x, depth=count, on_value=1.0, off_value=0.0, dtype="float32")
        weights = call.keywords.get("count_weights")
        if weights is not None and is_operand(weights):
            y = call.ops.mul(y, expand(call, as_float(call, weights), -1))
        if mode == "one_hot" or len(shape) < 2:
            return y
        return reduce(call, "sum" if mode == "count" else "max", y, [len(shape) - 1])
