"""Convolutions in two and three dimensions, their gradients, fused ones, and dilation."""

from collections.abc import Callable
from functools import partial

import numpy as np
import tensorflow as tf

from tests.core.ops.tf_oracle.comparison import Comparison, Named
from tests.core.ops.tf_oracle.draws import values
from tests.core.ops.tf_oracle.fused import drawn_finish, finished
from tests.core.ops.tf_oracle.windows import (
    NARROW,
    channels_back,
    channels_last,
    drawn_sizes,
    drawn_windows,
    each,
    image_shape,
    number_or_list,
    padded,
    pixels,
    room,
)

Rng = np.random.Generator
Case = tuple[Named, Named]

# Every value is a sum of up to 3,200 products, here and there in another order.
_LONG_SUMS = 3e-6

# A bias, or a sum into one number, may leave next to nothing of what was rounded.
_CANCELLED = 1e-5


def _drawn(
    rng: Rng, dtype: str, rank: int = 2, data_format: str = "NHWC", dilated: bool = False
) -> Case:
    """x, filter [..., in, out], and the attributes of a convolution."""
    kernel = drawn_sizes(rng, rank, 1, 3)
    dilations = drawn_sizes(rng, rank, 1, 3) if dilated else [1] * rank
    three = rank == 3
    pads = ("same", "valid") if three else ("same", "valid", "number", "explicit")
    attributes = drawn_windows(rng, kernel, pads, data_format, strides=1 if dilated else 3)
    attributes["dataFormat"] = "NDHWC" if three else data_format
    if dilated or rng.random() < 0.5:
        attributes["dilations"] = number_or_list(rng, dilations)
    sizes = room(rng, kernel, dilations, more=4 if three else 6)
    batch, channels, out = (int(n) for n in rng.integers(1, 5, 3))
    x = values(rng, dtype, image_shape(batch % 3 + 1, sizes, channels, attributes["dataFormat"]))
    return {"x": x, "filter": values(rng, dtype, (*kernel, channels, out), -1, 1)}, attributes


def _spread(filter: tf.Tensor, dilations: list[int]) -> tf.Tensor:
    """The filter with zeros between its values: TensorFlow has no gradients of dilation on CPU."""
    for axis, dilation in enumerate(dilations):
        expanded = tf.expand_dims(filter, axis + 1)
        gaps = [(0, 0)] * len(expanded.shape)
        gaps[axis + 1] = (0, dilation - 1)
        shape = [*filter.shape]
        shape[axis] *= dilation
        whole = tf.reshape(tf.pad(expanded, gaps), shape)
        filter = tf.gather(whole, range(shape[axis] - dilation + 1), axis=axis)
    return filter


def _drawn_large(rng: Rng, dtype: str) -> Case:
    """Large filters and many channels, as networks have them."""
    kernel = [int(n) for n in rng.choice([1, 3, 5], 2)]
    attributes = drawn_windows(rng, kernel, strides=2)
    attributes["dataFormat"] = "NHWC"
    channels, out = (int(n) for n in rng.choice([16, 24, 64, 128], 2))
    x = values(rng, dtype, (2, *room(rng, kernel, [1, 1], more=20), channels))
    return {"x": x, "filter": values(rng, dtype, (*kernel, channels, out), -1, 1)}, attributes


def _convolved(x: tf.Tensor, filter: tf.Tensor, a: Named, *, spread: bool = False) -> tf.Tensor:
    """A convolution, channels last, by TensorFlow's own rule of padding where it has one."""
    rank = len(filter.shape) - 2
    strides, dilations = each(a["strides"], rank), each(a.get("dilations", 1), rank)
    padding = "VALID"
    if a["pad"] in ("same", "valid"):
        padding = a["pad"].upper()
    else:
        sides = pixels(x.shape[1:-1], filter.shape[:-2], a, a["dataFormat"])
        x = padded(x, sides)
    if spread:
        filter, dilations = _spread(filter, dilations), [1] * rank
    form = "NHWC" if rank == 2 else "NDHWC"  # without it TensorFlow has no gradient in 3D
    return tf.nn.convolution(x, filter, strides, padding, form, dilations)


def _conv(inputs: Named, a: Named, *, spread: bool = False) -> list[tf.Tensor]:
    x = channels_last(tf.convert_to_tensor(inputs["x"]), a["dataFormat"])
    y = _convolved(x, tf.convert_to_tensor(inputs["filter"]), a, spread=spread)
    return [channels_back(y, a["dataFormat"])]


def _shape_of(inputs: Named, a: Named, computed: Callable) -> tuple[int, ...]:
    return tuple(computed(inputs, a)[0].shape)


def _drawn_to_x(rng: Rng, dtype: str, drawn: Callable = _drawn, computed: Callable = _conv) -> Case:
    """A case of a gradient for x: dy and filter."""
    inputs, attributes = drawn(rng, dtype)
    dy = values(rng, dtype, _shape_of(inputs, attributes, computed))
    attributes["inputShape"] = list(inputs["x"].shape)
    return {"dy": dy, "filter": inputs["filter"]}, attributes


def _drawn_to_filter(
    rng: Rng, dtype: str, drawn: Callable = _drawn, computed: Callable = _conv
) -> Case:
    """A case of a gradient for the filter: x and dy."""
    inputs, attributes = drawn(rng, dtype)
    dy = values(rng, dtype, _shape_of(inputs, attributes, computed))
    attributes["filterShape"] = list(inputs["filter"].shape)
    return {"x": inputs["x"], "dy": dy}, attributes


def _without(drawn: Callable, *names: str) -> Callable:
    """Cases that lack attributes which a kernel does not take."""

    def draw(rng: Rng, dtype: str) -> Case:
        inputs, attributes = drawn(rng, dtype)
        return inputs, {k: v for k, v in attributes.items() if k not in names}

    return draw


def _formatted(drawn: Callable) -> Callable:
    """Cases that are drawn in either data format."""

    def draw(rng: Rng, dtype: str) -> Case:
        return drawn(rng, dtype, data_format=str(rng.choice(["NHWC", "NCHW"])))

    return draw


_FLAT = _without(_formatted(_drawn), "dilations")


def _explicit(shape: list[int], kernel: list[int], a: Named) -> Named:
    """Padding as the gradients of TensorFlow's 2D convolution take it, channels last."""
    if a["pad"] in ("same", "valid"):
        return {"padding": a["pad"].upper()}
    sides = pixels(shape[1:-1], kernel, a, a.get("dataFormat", "NHWC"))
    return {"padding": "EXPLICIT", "explicit_paddings": [0, 0, *sides[0], *sides[1], 0, 0]}


def _conv2d_to_x(inputs: Named, a: Named) -> list[tf.Tensor]:
    n, *rest = a["inputShape"]
    last = a["dataFormat"] == "NHWC"
    shape = a["inputShape"] if last else [n, *rest[1:], rest[0]]
    filter = tf.convert_to_tensor(inputs["filter"])
    dx = tf.raw_ops.Conv2DBackpropInput(
        input_sizes=shape,
        filter=filter,
        out_backprop=channels_last(tf.convert_to_tensor(inputs["dy"]), a["dataFormat"]),
        strides=[1, *each(a["strides"], 2), 1],
        **_explicit(shape, filter.shape[:2], a),
    )
    return [channels_back(dx, a["dataFormat"])]


def _conv2d_to_filter(inputs: Named, a: Named) -> list[tf.Tensor]:
    x = channels_last(tf.convert_to_tensor(inputs["x"]), a["dataFormat"])
    return [
        tf.raw_ops.Conv2DBackpropFilter(
            input=x,
            filter_sizes=a["filterShape"],
            out_backprop=channels_last(tf.convert_to_tensor(inputs["dy"]), a["dataFormat"]),
            strides=[1, *each(a["strides"], 2), 1],
            **_explicit(x.shape, a["filterShape"][:2], a),
        )
    ]


def _conv3d_to_x(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [
        tf.raw_ops.Conv3DBackpropInputV2(
            input_sizes=a["inputShape"],
            filter=inputs["filter"],
            out_backprop=inputs["dy"],
            strides=[1, *each(a["strides"], 3), 1],
            padding=a["pad"].upper(),
        )
    ]


def _conv3d_to_filter(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [
        tf.raw_ops.Conv3DBackpropFilterV2(
            input=inputs["x"],
            filter_sizes=a["filterShape"],
            out_backprop=inputs["dy"],
            strides=[1, *each(a["strides"], 3), 1],
            padding=a["pad"].upper(),
        )
    ]


_drawn_3d = partial(_drawn, rank=3)
_FLAT_3D = _without(_drawn_3d, "dilations", "dataFormat")


def _conv3d(inputs: Named, a: Named) -> list[tf.Tensor]:
    return _conv(inputs, {**a, "dataFormat": "NDHWC"})


def _drawn_depthwise(
    rng: Rng, dtype: str, data_format: str = "NHWC", dilated: bool | None = None
) -> Case:
    """x, filter [height, width, channels, multiplier], and the attributes."""
    dilated = bool(rng.integers(2)) if dilated is None else dilated
    inputs, attributes = _drawn(rng, dtype, data_format=data_format, dilated=dilated)
    return inputs, attributes


def _depthwise(inputs: Named, a: Named) -> list[tf.Tensor]:
    """TensorFlow's depthwise convolution, which knows equal strides alone."""
    form = a.get("dataFormat", "NHWC")
    x = channels_last(tf.convert_to_tensor(inputs["x"]), form)
    filter = tf.convert_to_tensor(inputs["filter"])
    down, along = each(a["strides"], 2)
    dilations = each(a.get("dilations", 1), 2)
    if down == along and a["pad"] in ("same", "valid"):
        strides = [1, down, down, 1]
        y = tf.nn.depthwise_conv2d(x, filter, strides, a["pad"].upper(), dilations=dilations)
    else:
        x = padded(x, pixels(x.shape[1:3], filter.shape[:2], a, form))
        y = tf.nn.depthwise_conv2d(x, filter, [1, 1, 1, 1], "VALID", dilations=dilations)
        y = y[:, ::down, ::along]
    return [channels_back(y, form)]


def _gradient(computed: Callable, inputs: Named, a: Named, *, wanted: str) -> list[tf.Tensor]:
    """The gradient of a computation by TensorFlow's tape, for one of its inputs."""
    shape = a["inputShape" if wanted == "x" else "filterShape"]
    moved = tf.zeros(shape)  # a convolution is linear: its gradient for x does not depend on x
    with tf.GradientTape() as tape:
        tape.watch(moved)
        y = computed({**inputs, wanted: moved}, a)[0]
    return [tape.gradient(y, moved, tf.convert_to_tensor(inputs["dy"]))]


def _fused(drawn: Callable, computed: Callable) -> Callable:
    """Cases of a convolution with a bias and an activation."""

    def draw(rng: Rng, dtype: str) -> Case:
        inputs, attributes = drawn(rng, dtype)
        shape = _shape_of(inputs, attributes, computed)
        channels = shape[1 if attributes["dataFormat"] == "NCHW" else -1]
        more = drawn_finish(rng, dtype, [channels], [channels])
        return {**inputs, **more[0]}, {**attributes, **more[1]}

    return draw


def _fused_conv(inputs: Named, a: Named) -> list[tf.Tensor]:
    x = channels_last(tf.convert_to_tensor(inputs["x"]), a["dataFormat"])
    y = _convolved(x, tf.convert_to_tensor(inputs["filter"]), a)
    return [channels_back(finished(y, inputs, a), a["dataFormat"])]


def _fused_depthwise(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [finished(_depthwise(inputs, a)[0], inputs, a)]


def _drawn_dilation(rng: Rng, dtype: str) -> Case:
    """x and a filter [height, width, channels] whose sums are all distinct: no ties."""
    kernel = drawn_sizes(rng, 2, 1, 3)
    dilations = drawn_sizes(rng, 2, 1, 3)
    attributes = drawn_windows(rng, kernel, ("same", "valid"))
    attributes["dilations"] = number_or_list(rng, dilations)
    channels = int(rng.integers(1, 4))
    x = values(rng, dtype, (int(rng.integers(1, 4)), *room(rng, kernel, dilations), channels))
    return {"x": x, "filter": values(rng, dtype, (*kernel, channels))}, attributes


def _drawn_dilation_gradient(rng: Rng, dtype: str) -> Case:
    inputs, attributes = _drawn_dilation(rng, dtype)
    dy = values(rng, dtype, _shape_of(inputs, attributes, _dilation))
    return {**inputs, "dy": dy}, attributes


def _dilation_arguments(inputs: Named, a: Named) -> Named:
    return {
        "input": inputs["x"],
        "filter": inputs["filter"],
        "strides": [1, *each(a["strides"], 2), 1],
        "rates": [1, *each(a["dilations"], 2), 1],
        "padding": a["pad"].upper(),
    }


def _dilation(inputs: Named, a: Named) -> list[tf.Tensor]:
    return [tf.raw_ops.Dilation2D(**_dilation_arguments(inputs, a))]


def _dilation_to_x(inputs: Named, a: Named) -> list[tf.Tensor]:
    arguments = _dilation_arguments(inputs, a)
    return [tf.raw_ops.Dilation2DBackpropInput(out_backprop=inputs["dy"], **arguments)]


def _dilation_to_filter(inputs: Named, a: Named) -> list[tf.Tensor]:
    arguments = _dilation_arguments(inputs, a)
    return [tf.raw_ops.Dilation2DBackpropFilter(out_backprop=inputs["dy"], **arguments)]


_dilated = partial(_drawn, dilated=True)
_depthwise_gradients = _without(_drawn_depthwise, "dataFormat")

COMPARISONS = [
    Comparison("Conv2D", _drawn, _conv, gradient=True),
    Comparison("Conv2D", partial(_drawn, data_format="NCHW"), _conv, label="NCHW", gradient=True),
    Comparison("Conv2D", _formatted(_dilated), _conv, label="dilated"),
    Comparison(
        "Conv2D",
        _dilated,
        partial(_conv, spread=True),
        label="dilated, with gradients",
        gradient=True,
    ),
    Comparison("Conv2D", _drawn_large, _conv, label="large", tolerance=_LONG_SUMS, gradient=True),
    Comparison(
        "Conv2DBackpropInput", partial(_drawn_to_x, drawn=_FLAT), _conv2d_to_x, gradient=True
    ),
    Comparison(
        "Conv2DBackpropFilter",
        partial(_drawn_to_filter, drawn=_FLAT),
        _conv2d_to_filter,
        gradient=True,
    ),
    Comparison("Conv3D", _drawn_3d, _conv3d, gradient=True, differs=NARROW),
    Comparison("Conv3D", partial(_drawn_3d, dilated=True), _conv3d, label="dilated", gradient=True),
    Comparison(
        "Conv3DBackpropInputV2",
        partial(_drawn_to_x, drawn=_FLAT_3D, computed=_conv3d),
        _conv3d_to_x,
        gradient=True,
        differs=NARROW,
    ),
    Comparison(
        "Conv3DBackpropFilterV2",
        partial(_drawn_to_filter, drawn=_FLAT_3D, computed=_conv3d),
        _conv3d_to_filter,
        gradient=True,
        differs=NARROW,
    ),
    Comparison("DepthwiseConv2dNative", _drawn_depthwise, _depthwise, gradient=True),
    Comparison(
        "DepthwiseConv2dNative",
        partial(_drawn_depthwise, data_format="NCHW"),
        _depthwise,
        label="NCHW",
        gradient=True,
    ),
    Comparison(
        "DepthwiseConv2dNativeBackpropInput",
        partial(_drawn_to_x, drawn=_depthwise_gradients, computed=_depthwise),
        partial(_gradient, _depthwise, wanted="x"),
        gradient=True,
    ),
    Comparison(
        "DepthwiseConv2dNativeBackpropFilter",
        partial(_drawn_to_filter, drawn=_depthwise_gradients, computed=_depthwise),
        partial(_gradient, _depthwise, wanted="filter"),
        gradient=True,
    ),
    Comparison(
        "FusedConv2D",
        _fused(_formatted(_drawn), _conv),
        _fused_conv,
        tolerance=_CANCELLED,
        gradient=True,
    ),
    Comparison(
        "FusedConv2D",
        _fused(_formatted(_dilated), _conv),
        _fused_conv,
        tolerance=_CANCELLED,
        label="dilated",
    ),
    Comparison(
        "FusedDepthwiseConv2D",
        _fused(_drawn_depthwise, _depthwise),
        _fused_depthwise,
        tolerance=_CANCELLED,
        gradient=True,
    ),
    Comparison("Dilation2D", _drawn_dilation, _dilation, gradient=True),
    Comparison("Dilation2DBackpropInput", _drawn_dilation_gradient, _dilation_to_x),
    Comparison(
        "Dilation2DBackpropFilter",
        _drawn_dilation_gradient,
        _dilation_to_filter,
        tolerance=_CANCELLED,
    ),
]
