"""Rules of convolutions, pooling, resizing: images have their channels first in ONNX."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from core.converter.onnx_writer.graph_writer import GraphWriter, NotWrittenError
from core.converter.onnx_writer.rules.rule import Rule
from core.engine.program import ABSENT, Step
from core.engine.specs import Shape
from core.engine.windows import FORMATS, Window, window

# --- images, by the order of their axes -----------------------------------------------------------


def _is_first(step: Step) -> bool:
    """Return whether the images of a step have their channels first as they are."""
    return str(step.attributes.get("data_format", "NHWC"))[1] == "C"


def _images(writer: GraphWriter, step: Step, reference: str, axes: int) -> str:
    """Return the name of images with the channels first, floats; one image becomes a batch."""
    is_float = writer.dtype(reference) == "float32"
    if writer.rank(reference) == axes + 2:
        name = writer.form(reference, first=not _is_first(step))
        return name if is_float else writer.cast(name, "float32")
    perm = tuple(range(axes + 1)) if _is_first(step) else (axes, *range(axes))
    turned = writer.transposed(writer.form(reference), perm)
    turned = turned if is_float else writer.cast(turned, "float32")
    return writer.node("Unsqueeze", turned, writer.integers([0]))


def _keep_images(writer: GraphWriter, step: Step, name: str, axes: int) -> None:
    """Note the result of a step, images with the channels first."""
    dtype = writer.dtype(step.name)
    name = name if dtype == "float32" else writer.cast(name, dtype)
    if writer.rank(step.name) == axes + 2:
        writer.keep(step.name, name, first=not _is_first(step))
        return
    image = writer.node("Squeeze", name, writer.integers([0]))
    perm = tuple(range(axes + 1)) if _is_first(step) else (*range(1, axes + 1), 0)
    writer.keep(step.name, writer.transposed(image, perm))


def _batched(shape: Sequence[int], axes: int) -> Shape:
    """Return the shape of images, also of one image, with the batch."""
    return (*(1,) * (axes + 2 - len(shape)), *shape)


# --- windows --------------------------------------------------------------------------------------


def _window_of(shape: Shape, size: Sequence[int] | int, step: Step, axes: int = 2) -> Window:
    at, default = step.attributes, FORMATS[axes][0]
    data_format = at.get("data_format", default)
    rounding = at.get("dim_rounding_mode")
    dilations = at.get("dilations", 1)
    images = _batched(shape, axes)
    return window(images, size, at["strides"], at["pad"], data_format, dilations, rounding)


def _how(found: Window) -> dict[str, Any]:
    """Return the attributes of windows; the padding behind is as long as the windows reach."""
    before = [sides[0] for sides in found.padding]
    behind = [
        max((out - 1) * stride + (size - 1) * dilation + 1 - n - first, 0)
        for out, stride, size, dilation, n, first in zip(
            found.out_size,
            found.strides,
            found.size,
            found.dilations,
            found.in_size,
            before,
            strict=True,
        )
    ]
    return {
        "kernel_shape": found.size,
        "strides": found.strides,
        "pads": (*before, *behind),
        "dilations": found.dilations,
    }


def _conv(axes: int, *, depthwise: bool = False) -> Rule:
    """Return the rule of a convolution."""

    def rule(writer: GraphWriter, step: Step) -> None:
        x, filters = step.inputs[:2]
        sizes, (depth, count) = writer.shape(filters)[:axes], writer.shape(filters)[axes:]
        found = _window_of(writer.shape(x), sizes, step, axes)
        channels = writer.shape(x)[-axes - 1 if _is_first(step) else -1]
        if depthwise:  # [height, width, in, multiplier]
            weights = writer.permuted(filters, (2, 3, 0, 1), (depth * count, 1, *sizes))
        else:
            perm = (axes + 1, axes, *range(axes))
            weights = writer.permuted(filters, perm)
        if writer.dtype(filters) != "float32":
            weights = writer.cast(weights, "float32")
        group = depth if depthwise else channels // depth
        inputs = [_images(writer, step, x, axes), weights, *_bias(writer, step)]
        _keep_images(writer, step, writer.node("Conv", *inputs, group=group, **_how(found)), axes)

    return rule


def _bias(writer: GraphWriter, step: Step) -> list[str]:
    """Return the name of the bias that a step takes as its third input, if any."""
    return [writer.permuted(r, range(writer.rank(r)), (-1,)) for r in step.inputs[2:]]


def _transposed_conv(axes: int, *, depthwise: bool = False) -> Rule:
    """Return the rule of the gradient of a convolution for its input."""

    def rule(writer: GraphWriter, step: Step) -> None:
        dy, filters = step.inputs[:2]  # [height, width, out, in]
        sizes, (depth, count) = writer.shape(filters)[:axes], writer.shape(filters)[axes:]
        shape = step.attributes["input_shape"]
        found = _window_of(shape, sizes, step, axes)
        if depthwise:
            weights = writer.permuted(filters, (2, 3, 0, 1), (depth * count, 1, *sizes))
        else:
            weights = writer.permuted(filters, (axes + 1, axes, *range(axes)))
        channels = shape[-axes - 1 if _is_first(step) else -1]
        group = depth if depthwise else channels // depth
        inputs = [_images(writer, step, dy, axes), weights, *_bias(writer, step)]
        how = {**_how(found), **_padding_of_result(found), "group": group}
        _keep_images(writer, step, writer.node("ConvTranspose", *inputs, **how), axes)

    return rule


def _padding_of_result(found: Window) -> dict[str, Any]:
    """Return what a transposed convolution cuts off, and adds where that is not enough."""
    befores, behinds, missing = [], [], []
    for i, (before, behind) in enumerate(found.padding):
        reach = (found.size[i] - 1) * found.dilations[i] + 1
        full = found.strides[i] * (found.out_size[i] - 1) + reach
        lacking = found.in_size[i] - (full - before - behind)
        befores.append(before)
        behinds.append(behind - min(lacking, 0))
        missing.append(max(lacking, 0))
    return {"pads": (*befores, *behinds), "output_padding": tuple(missing)}


def _pool(type: str, axes: int = 2) -> Rule:
    """Return the rule of a pooling."""

    def rule(writer: GraphWriter, step: Step) -> None:
        (x,) = step.inputs
        found = _window_of(writer.shape(x), step.attributes["filter_size"], step, axes)
        images = _images(writer, step, x, axes)
        if type == "AveragePool" and found.size == found.in_size and prod(found.out_size) == 1:
            name = writer.node("GlobalAveragePool", images)
        else:
            how = _how(found)
            if type == "AveragePool":
                del how["dilations"]
            name = writer.node(type, images, **how)
        _keep_images(writer, step, name, axes)

    return rule


def _dilated_pool(writer: GraphWriter, step: Step) -> None:
    at = step.attributes
    if prod(_pair(at["dilations"])) != 1:
        raise NotWrittenError("dilated pooling")
    type = {"avg": "AveragePool", "max": "MaxPool"}[at["pooling_type"]]
    _pool(type)(writer, step._replace(attributes={**at, "filter_size": at["window_shape"]}))


def _pair(value: int | Sequence[int]) -> Sequence[int]:
    return (value,) * 2 if isinstance(value, int) else value


# --- resizing -------------------------------------------------------------------------------------

#: The rounding to the nearest pixel, by the grid.
_NEAREST = {
    "asymmetric": "floor",
    "half_pixel": "round_prefer_ceil",
    "align_corners": "round_prefer_ceil",
}


def _resize(mode: str) -> Rule:
    """Return the rule of a resizing."""

    def rule(writer: GraphWriter, step: Step) -> None:
        at = step.attributes
        corners, centers = at["align_corners"], at["half_pixel_centers"]
        grid = "align_corners" if corners else "half_pixel" if centers else "asymmetric"
        how = {"mode": mode, "coordinate_transformation_mode": grid}
        if mode == "nearest":
            how["nearest_mode"] = _NEAREST[grid]
        images = _images(writer, step, step.inputs[0], 2)
        # Of two axes alone, by the attribute axes, ONNX Runtime refuses them for a free batch.
        size = writer.integers([int(n) for n in at["size"]])
        kept = writer.node("Shape", images, start=0, end=2)
        size = writer.node("Concat", kept, size, axis=0)
        _keep_images(writer, step, writer.node("Resize", images, "", "", size, **how), 2)

    return rule


def _depth_to_space(writer: GraphWriter, step: Step) -> None:
    images = _images(writer, step, step.inputs[0], 2)
    how = {"blocksize": step.attributes["block_size"], "mode": "DCR"}
    _keep_images(writer, step, writer.node("DepthToSpace", images, **how), 2)


def _grid_sample(writer: GraphWriter, step: Step) -> None:
    x, grid = step.inputs
    at = step.attributes
    how = {
        "mode": at["mode"],
        "padding_mode": at["padding_mode"],
        "align_corners": int(at["align_corners"]),
    }
    images = writer.form(x, first=True)
    name = writer.node("GridSample", images, writer.form(grid), **how)
    writer.keep(step.name, name, first=True)


#: The padding of GridSample by the fill mode of warps.
_PADDINGS = {"constant": "zeros", "nearest": "border", "reflect": "reflection"}


def _transform(writer: GraphWriter, step: Step) -> None:
    """Write a projective warp as products of its rows with positions, and a sampling there."""
    (x, rows), at = step.inputs, step.attributes
    how = (at["interpolation"], at["fill_mode"], at["fill_value"])
    if how[0] != "bilinear" or how[1] not in _PADDINGS or how[2] != 0:
        raise NotWrittenError(
            "transform of nearest pixels, of wrapped images, or with a fill value"
        )
    height, width = writer.shape(step.name)[1:3]
    spots = np.stack(np.meshgrid(range(width), range(height), [1.0]), axis=0).reshape(3, -1)
    positions = writer.constant(spots.astype(np.float32))  # x, y, 1 of each pixel
    lengths = writer.integers([3, 3, 2])
    parts = writer.node_of_several(3, "Split", writer.form(rows), lengths, axis=1)
    parts[2] = writer.node("Pad", parts[2], writer.integers([0, 0, 0, 1]), writer.number(1))
    across, down, below = (writer.node("MatMul", part, positions) for part in parts)
    sides = []
    for product, length in zip((across, down), writer.shape(x)[2:0:-1], strict=True):
        pixel = writer.node("Div", product, below)  # and -1 to 1 from edge to edge
        scaled = writer.node("Mul", pixel, writer.number(2 / length))
        sides.append(writer.node("Add", scaled, writer.number(1 / length - 1)))
    pairs = [writer.node("Unsqueeze", side, writer.integers([2])) for side in sides]
    batch = writer.dims(x)[0]
    grid = writer.node("Concat", *pairs, axis=2)
    grid = writer.reshaped(grid, (writer.dims(rows)[0], height, width, 2))
    if writer.shape(rows)[0] != writer.shape(x)[0]:
        grid = writer.expanded(grid, (batch, height, width, 2))
    padding = _PADDINGS[how[1]]
    images = writer.form(x, first=True)
    name = writer.node("GridSample", images, grid, mode="bilinear", padding_mode=padding)
    writer.keep(step.name, name, first=True)


# --- normalization --------------------------------------------------------------------------------


def _instance_norm(writer: GraphWriter, step: Step) -> None:
    x, *others = step.inputs
    channels = writer.shape(x)[-1]
    scale, offset = (*others, ABSENT, ABSENT)[:2]
    named = [
        writer.form(reference)
        if reference
        else writer.constant(np.full(channels, default, np.float32))
        for reference, default in ((scale, 1), (offset, 0))
    ]
    images = writer.form(x, first=True)
    epsilon = float(step.attributes["epsilon"])
    name = writer.node("InstanceNormalization", images, *named, epsilon=epsilon)
    writer.keep(step.name, name, first=True)


def _local_response(writer: GraphWriter, step: Step) -> None:
    at = step.attributes
    size = 2 * at["depth_radius"] + 1
    how = {"alpha": float(at["alpha"] * size), "beta": float(at["beta"]), "bias": float(at["bias"])}
    name = writer.node("LRN", _images(writer, step, step.inputs[0], 2), size=size, **how)
    _keep_images(writer, step, name, 2)


RULES: dict[str, Rule] = {
    "avg_pool": _pool("AveragePool"),
    "avg_pool3d": _pool("AveragePool", 3),
    "conv2d": _conv(2),
    "conv2d_backprop_input": _transposed_conv(2),
    "conv3d": _conv(3),
    "conv3d_backprop_input": _transposed_conv(3),
    "depth_to_space": _depth_to_space,
    "depthwise_conv2d": _conv(2, depthwise=True),
    "depthwise_conv2d_backprop_input": _transposed_conv(2, depthwise=True),
    "grid_sample": _grid_sample,
    "instance_norm": _instance_norm,
    "local_response_normalization": _local_response,
    "max_pool": _pool("MaxPool"),
    "max_pool3d": _pool("MaxPool", 3),
    "pool": _dilated_pool,
    "resize_bilinear": _resize("linear"),
    "resize_nearest_neighbor": _resize("nearest"),
    "transform": _transform,
}
