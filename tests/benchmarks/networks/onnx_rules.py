"""Rules by which steps of a program become nodes of an ONNX graph, by the names of their ops."""

from collections.abc import Callable
from typing import Any

import numpy as np

from core.engine.program import Step
from core.engine.specs import Shape
from core.engine.windows import Window, window
from tests.benchmarks.networks.onnx_writer import TO_FIRST, NotExportedError, OnnxWriter

#: Writes the nodes of a step, and notes the names of its results.
Rule = Callable[[OnnxWriter, Step], None]


def _window_of(shape: Shape, size: Shape, step: Step) -> Window:
    at = step.attributes
    dilations = at.get("dilations", 1)
    rounding = at["dim_rounding_mode"]
    return window(shape, size, at["strides"], at["pad"], "NHWC", dilations, rounding)


def _how(found: Window, *, dilated: bool = True) -> dict[str, Any]:
    """Return the attributes of windows."""
    (top, bottom), (left, right) = found.padding
    how = {"kernel_shape": found.size, "strides": found.strides, "pads": (top, left, bottom, right)}
    return {**how, "dilations": found.dilations} if dilated else how


def _conv(writer: OnnxWriter, step: Step) -> None:
    """Write a convolution of images, depthwise or not."""
    x, weights = step.inputs[0], writer.array(step.inputs[1])
    found = _window_of(writer.shape(x), weights.shape[:2], step)
    group = 1
    if step.op.name == "depthwise_conv2d":  # [height, width, in, multiplier]
        group = weights.shape[2]
        weights = weights.reshape(*weights.shape[:2], 1, -1)
    inputs = [writer.form(x, first=True), writer.constant(weights.transpose(3, 2, 0, 1))]
    inputs += [writer.constant(writer.array(bias).ravel()) for bias in step.inputs[2:]]
    writer.keep(step.name, writer.node("Conv", *inputs, group=group, **_how(found)), first=True)


def _transposed_conv(writer: OnnxWriter, step: Step) -> None:
    """Write the gradient of a convolution for its input."""
    x, weights = step.inputs[0], writer.array(step.inputs[1])  # [height, width, out, in]
    found = _window_of(step.attributes["input_shape"], weights.shape[:2], step)
    made = [
        stride * (before - 1) + (size - 1) * dilation + 1 - sum(pads)
        for stride, before, size, dilation, pads in zip(
            found.strides, found.out_size, found.size, found.dilations, found.padding, strict=True
        )
    ]
    missing = [n - m for n, m in zip(found.in_size, made, strict=True)]
    inputs = [writer.form(x, first=True), writer.constant(weights.transpose(3, 2, 0, 1))]
    inputs += [writer.constant(writer.array(bias).ravel()) for bias in step.inputs[2:]]
    how = {**_how(found), "output_padding": missing}
    writer.keep(step.name, writer.node("ConvTranspose", *inputs, **how), first=True)


def _matmul(writer: OnnxWriter, step: Step) -> None:
    a, b = (writer.form(reference) for reference in step.inputs[:2])
    turned = [int(step.attributes[name]) for name in ("transpose_a", "transpose_b")]
    if all(len(writer.shape(reference)) == 2 for reference in step.inputs[:2]):
        bias = [writer.constant(writer.array(reference).ravel()) for reference in step.inputs[2:]]
        name = writer.node("Gemm", a, b, *bias, transA=turned[0], transB=turned[1])
    elif any(turned) or step.inputs[2:]:
        raise NotExportedError("matmul of stacks")
    else:
        name = writer.node("MatMul", a, b)
    writer.keep(step.name, name)


def _pool(type: str) -> Rule:
    """Return the rule of a pooling."""

    def rule(writer: OnnxWriter, step: Step) -> None:
        (x,) = step.inputs
        found = _window_of(writer.shape(x), step.attributes["filter_size"], step)
        images = writer.form(x, first=True)
        if type == "AveragePool" and found.size == found.in_size and found.out_size == (1, 1):
            name = writer.node("GlobalAveragePool", images)
        else:
            name = writer.node(type, images, **_how(found, dilated=False))
        writer.keep(step.name, name, first=True)

    return rule


def _mean(writer: OnnxWriter, step: Step) -> None:
    (x,) = step.inputs
    if len(writer.shape(x)) != 4 or tuple(step.attributes["axis"]) != (1, 2):
        raise NotExportedError("mean over other axes")
    name = writer.node("GlobalAveragePool", writer.form(x, first=True))
    if step.attributes["keep_dims"]:
        writer.keep(step.name, name, first=True)
    else:
        writer.keep(step.name, writer.reshaped(name, writer.shape(step.name)))


def _broadcast(type: str, **attributes: Any) -> Rule:
    """Return the rule of an element-wise op: images stay in the form in which they are."""

    def rule(writer: OnnxWriter, step: Step) -> None:
        first = any(writer.is_first(reference) for reference in step.inputs)
        named = [writer.operand(reference, first=first) for reference in step.inputs]
        own = {name: step.attributes[key] for name, key in attributes.items()}
        writer.keep(step.name, writer.node(type, *named, **own), first=first)

    return rule


def _relu6(writer: OnnxWriter, step: Step) -> None:
    name, first = writer.made(step.inputs[0])
    limits = [writer.constant(np.float32(limit)) for limit in (0, 6)]
    writer.keep(step.name, writer.node("Clip", name, *limits), first=first)


def _softmax(writer: OnnxWriter, step: Step) -> None:
    (x,) = step.inputs
    name, first = writer.made(x)
    rank = len(writer.shape(x))
    axis = step.attributes["axis"] % rank
    axis = TO_FIRST.index(axis) if first else axis
    writer.keep(step.name, writer.node("Softmax", name, axis=axis), first=first)


def _concat(writer: OnnxWriter, step: Step) -> None:
    first = any(writer.is_first(reference) for reference in step.inputs)
    axis = step.attributes["axis"] % len(writer.shape(step.name))
    named = [writer.form(reference, first=first) for reference in step.inputs]
    axis = TO_FIRST.index(axis) if first else axis
    writer.keep(step.name, writer.node("Concat", *named, axis=axis), first=first)


def _pad(writer: OnnxWriter, step: Step) -> None:
    name, first = writer.made(step.inputs[0])
    pads = step.attributes["paddings"]
    pads = [pads[i] for i in TO_FIRST] if first else pads
    sides = writer.constant(np.int64(pads).T.ravel())
    value = writer.constant(np.float32(step.attributes["constant_value"]))
    writer.keep(step.name, writer.node("Pad", name, sides, value), first=first)


def _resize(mode: str, **more: Any) -> Rule:
    """Return the rule of a resizing."""

    def rule(writer: OnnxWriter, step: Step) -> None:
        at = step.attributes
        corners, centers = at["align_corners"], at["half_pixel_centers"]
        grid = "align_corners" if corners else "half_pixel" if centers else "asymmetric"
        if mode == "nearest" and grid != "asymmetric":
            raise NotExportedError("resize_nearest_neighbor by another grid")
        size = writer.constant(np.int64([writer.shape(step.name)[i] for i in TO_FIRST]))
        images = writer.form(step.inputs[0], first=True)
        how = {"mode": mode, "coordinate_transformation_mode": grid, **more}
        writer.keep(step.name, writer.node("Resize", images, "", "", size, **how), first=True)

    return rule


def _depth_to_space(writer: OnnxWriter, step: Step) -> None:
    images = writer.form(step.inputs[0], first=True)
    how = {"blocksize": step.attributes["block_size"], "mode": "DCR"}
    writer.keep(step.name, writer.node("DepthToSpace", images, **how), first=True)


def _reshape(writer: OnnxWriter, step: Step) -> None:
    name = writer.flat(step.inputs[0])
    writer.keep(step.name, writer.reshaped(name, writer.shape(step.name)))


def _transpose(writer: OnnxWriter, step: Step) -> None:
    name = writer.node(
        "Transpose", writer.form(step.inputs[0]), perm=tuple(step.attributes["perm"])
    )
    writer.keep(step.name, name)


def _slice(writer: OnnxWriter, step: Step) -> None:
    begin = step.attributes["begin"]
    end = [a + n for a, n in zip(begin, writer.shape(step.name), strict=True)]
    sides = [writer.constant(np.int64(side)) for side in (begin, end)]
    writer.keep(step.name, writer.node("Slice", writer.form(step.inputs[0]), *sides))


def _stack(writer: OnnxWriter, step: Step) -> None:
    axis = step.attributes["axis"] % len(writer.shape(step.name))
    at = writer.constant(np.int64([axis]))
    parts = [writer.node("Unsqueeze", writer.form(reference), at) for reference in step.inputs]
    writer.keep(step.name, writer.node("Concat", *parts, axis=axis))


def _unstack(writer: OnnxWriter, step: Step) -> None:
    axis = step.attributes["axis"] % len(writer.shape(step.inputs[0]))
    at = writer.constant(np.int64([axis]))
    whole = writer.form(step.inputs[0])
    parts = writer.node_of_several(len(step.outputs), "Split", whole, axis=axis)
    for reference, part in zip(step.outputs, parts, strict=True):
        writer.keep(reference, writer.node("Squeeze", part, at))


#: Ops that take a bias in ONNX.
WITH_BIAS = frozenset({"conv2d", "depthwise_conv2d", "conv2d_backprop_input", "matmul"})

RULES: dict[str, Rule] = {
    "conv2d": _conv,
    "depthwise_conv2d": _conv,
    "conv2d_backprop_input": _transposed_conv,
    "matmul": _matmul,
    "max_pool": _pool("MaxPool"),
    "avg_pool": _pool("AveragePool"),
    "mean": _mean,
    "add": _broadcast("Add"),
    "sub": _broadcast("Sub"),
    "mul": _broadcast("Mul"),
    "div": _broadcast("Div"),
    "add_n": _broadcast("Sum"),
    "maximum": _broadcast("Max"),
    "minimum": _broadcast("Min"),
    "relu": _broadcast("Relu"),
    "prelu": _broadcast("PRelu"),
    "leaky_relu": _broadcast("LeakyRelu", alpha="alpha"),
    "sigmoid": _broadcast("Sigmoid"),
    "tanh": _broadcast("Tanh"),
    "exp": _broadcast("Exp"),
    "sqrt": _broadcast("Sqrt"),
    "relu6": _relu6,
    "softmax": _softmax,
    "concat": _concat,
    "pad": _pad,
    "resize_bilinear": _resize("linear"),
    "resize_nearest_neighbor": _resize("nearest", nearest_mode="floor"),
    "depth_to_space": _depth_to_space,
    "reshape": _reshape,
    "transpose": _transpose,
    "slice": _slice,
    "stack": _stack,
    "unstack": _unstack,
}
