"""Preprocessing layers of images and numbers, and resizing.

If TensorFlow.js and Keras differ, a model of TensorFlow.js gets the results of TensorFlow.js, any
other model those of Keras.
"""

import numpy as np

from core.graph.nodes import DataType
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
)
from core.layers.lowering.rows import LayerType

_RESIZERS = {"bilinear": "ResizeBilinear", "nearest": "ResizeNearestNeighbor"}


def _resized(
    call: LayerCall,
    x: Value,
    size: Value,
    lengths: tuple[int | None, ...],
    *,
    align: bool,
    default: str = "bilinear",
) -> Value:
    """Resize images; Keras uses half-pixel centres."""
    shape = call.shape(x, 4)
    method = call.options.choice("interpolation", _RESIZERS, default)
    centres = call.dialect != "tfjs" or (method == "nearest" and not align)
    attributes = {"align_corners": align, "half_pixel_centers": centres}
    result = (shape[0], *lengths, shape[3])
    return call.node(_RESIZERS[method], [x, size], attributes, result)


def _up_sampling2d(call: LayerCall, x: Value) -> Value:
    x, (rows, columns) = as_images(call, x, 2), call.options.integers("size", 2, 2)
    _, height, width, _ = call.shape(x, 4)
    if height is None or width is None:
        found = call.node("Shape", [x], {}, (4,), "int32")
        inputs = [found, call.ints(1), call.ints(3), call.ints(1)]
        pixels = call.node("StridedSlice", inputs, {}, (2,), "int32")
        size = binary(call, "Mul", pixels, call.ints(rows, columns))
    else:
        size = call.ints(height * rows, width * columns)
    lengths = (
        None if height is None else height * rows,
        None if width is None else width * columns,
    )
    y = _resized(call, x, size, lengths, align=False, default="nearest")
    return in_data_format(call, y)


def _resizing(call: LayerCall, x: Value) -> Value:
    x, options = as_float(call, x), call.options
    crops = options.flag("crop_to_aspect_ratio", False)
    if call.dialect != "tfjs" and (crops or options.flag("pad_to_aspect_ratio", False)):
        raise call.error("resizing that keeps the aspect ratio is not supported")
    if options.flag("antialias", False) or is_channels_first(call):
        raise call.error("resizing with antialias or with the channels first is not supported")
    size = options.integer("height"), options.integer("width")
    align = call.dialect == "tfjs" and not crops
    return _resized(call, x, call.ints(*size), size, align=align)


def _rescaling(call: LayerCall, x: Value) -> Value:
    x = as_float(call, x)
    y = binary(call, "Mul", x, _numbers(call, "scale", 1.0))
    return binary(call, "AddV2", y, _numbers(call, "offset", 0.0))


def _numbers(call: LayerCall, name: str, default: float) -> Value:
    """Return a number, or one per channel."""
    value = call.options.get(name, default)
    if not isinstance(value, (list, tuple)):
        return call.number(call.options.number(name, default))
    try:
        return call.constant(np.array(value, np.float32).reshape(-1), name)
    except (TypeError, ValueError) as error:
        raise call.options.error(name, "a number or a list of them") from error


def _center_crop(call: LayerCall, x: Value) -> Value:
    if is_channels_first(call):
        raise call.error("with the channels first is not supported")
    height, width = call.options.integer("height"), call.options.integer("width")
    batch, _, _, channels = call.shape(x, 4)
    rows, columns = call.length(x, 1) - height, call.length(x, 2) - width
    if rows < 0 or columns < 0:
        raise call.error(
            f"cannot crop {height} x {width} out of {x.shape}: resize the images first"
        )
    begin, size = call.ints(0, rows // 2, columns // 2, 0), call.ints(-1, height, width, -1)
    return call.node("Slice", [x, begin, size], shape=(batch, height, width, channels))


def _category_encoding(call: LayerCall, x: Value) -> Value:
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
        x = call.node("Squeeze", [x], {"squeeze_dims": [len(shape) - 1]}, shape[:-1])
    shape = call.shape(x)
    inputs = [x, call.integer(count), call.number(1.0), call.number(0.0)]
    y = call.node(
        "OneHot", inputs, {"axis": -1, "T": DataType("DT_FLOAT")}, (*shape, count), "float32"
    )
    weights = call.keywords.get("count_weights")
    if isinstance(weights, Value):
        y = binary(call, "Mul", y, expand(call, as_float(call, weights), -1))
    if mode == "one_hot" or len(shape) < 2:
        return y
    return reduce(call, "Sum" if mode == "count" else "Max", y, [len(shape) - 1])


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
