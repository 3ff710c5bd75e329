"""Preprocessing layers of images and numbers, and resizing.

If TensorFlow.js and Keras differ, a model of TensorFlow.js gets the results of TensorFlow.js, any
other model those of Keras.
"""

from typing import Any

import numpy as np

from core.layers.layer_call import LayerCall, Operand, RunLengths, is_operand
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


def _up_sampling2d(call: LayerCall, x: Operand) -> Any:
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


def _resizing(call: LayerCall, x: Operand) -> Any:
    x, options = as_float(call, x), call.options
    crops = options.flag("crop_to_aspect_ratio", False)
    if call.dialect != "tfjs" and (crops or options.flag("pad_to_aspect_ratio", False)):
        raise call.error("resizing that keeps the aspect ratio is not supported")
    if options.flag("antialias", False) or is_channels_first(call):
        raise call.error("resizing with antialias or with the channels first is not supported")
    size = options.integer("height"), options.integer("width")
    align = call.dialect == "tfjs" and not crops
    return _resized(call, x, size, align=align)


def _rescaling(call: LayerCall, x: Operand) -> Any:
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


def _center_crop(call: LayerCall, x: Operand) -> Any:
    if is_channels_first(call):
        raise call.error("with the channels first is not supported")
    height, width = call.options.integer("height"), call.options.integer("width")
    call.shape(x, 4)
    rows, columns = call.length(x, 1) - height, call.length(x, 2) - width
    if rows < 0 or columns < 0:
        raise call.error(
            f"cannot crop {height} x {width} out of {x.shape}: resize the images first"
        )
    return call.ops.slice(x, begin=(0, rows // 2, columns // 2, 0), size=(-1, height, width, -1))


def _category_encoding(call: LayerCall, x: Operand) -> Any:
    options = call.options
    count = options.integer("num_tokens")
    modes = ("multi_hot", "one_hot", "count", "multihot", "onehot", "int")
    mode = (
        options.choice("output_mode", modes, "multi_hot").replace("hot", "_hot").replace("__", "_")
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


LAYER_TYPES = {
    "UpSampling2D": LayerType(
        _up_sampling2d,
        keeps_mask=False,
        arguments=arguments(size=2, data_format=None, interpolation="nearest"),
    ),
    "Resizing": LayerType(
        _resizing,
        keeps_mask=False,
        arguments=arguments(
            "height",
            "width",
            interpolation="bilinear",
            crop_to_aspect_ratio=False,
            pad_to_aspect_ratio=False,
            antialias=False,
            data_format=None,
        ),
    ),
    "Rescaling": LayerType(_rescaling, arguments=arguments("scale", offset=0.0)),
    "CenterCrop": LayerType(
        _center_crop, keeps_mask=False, arguments=arguments("height", "width", data_format=None)
    ),
    "CategoryEncoding": LayerType(
        _category_encoding,
        keeps_mask=False,
        arguments=arguments(num_tokens=None, output_mode="multi_hot"),
    ),
}
