"""PyTorch's functions for our ops, and how `tests.benchmarks.gpu.torch_reader` calls each."""

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch.nn import functional

from core.engine.program import Step
from core.engine.specs import Shape
from core.engine.windows import Window, window
from core.errors import CoreError

if TYPE_CHECKING:
    from tests.benchmarks.gpu.torch_reader import Reader, Value

#: Where each axis of ours, [batch, height, width, channels], is in PyTorch's images.
AXES = (0, 2, 3, 1)
TO_IMAGES, FROM_IMAGES = (0, 3, 1, 2), (0, 2, 3, 1)

Function = Callable[..., Any]
#: From a node, with the bias that PyTorch's function may take, to its value.
Read = Callable[["Reader", Step, Any], "Value"]


def prelu(x: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    """PyTorch's own wants one slope, or one for each channel."""
    return torch.where(x >= 0, x, x * alpha)


ELEMENTWISE: dict[str, Function] = {
    "abs": torch.abs,
    "add": torch.add,
    "elu": functional.elu,
    "exp": torch.exp,
    "leaky_relu": functional.leaky_relu,
    "log": torch.log,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "mul": torch.mul,
    "neg": torch.neg,
    "pow": torch.pow,
    "prelu": prelu,
    "relu": torch.relu,
    "relu6": functional.relu6,
    "rsqrt": torch.rsqrt,
    "sigmoid": torch.sigmoid,
    "sqrt": torch.sqrt,
    "square": torch.square,
    "sub": torch.sub,
    "tanh": torch.tanh,
}

REDUCTIONS: dict[str, Function] = {
    "max": torch.amax,
    "mean": torch.mean,
    "min": torch.amin,
    "sum": torch.sum,
}


def takes_bias(reader: "Reader", node: Step) -> bool:
    """Whether PyTorch's function for an op adds a bias by itself."""
    return node.op.name in CONVOLUTIONS or (node.op.name == "matmul" and _is_linear(reader, node))


def _window(node: Step, x: Shape, size: Any) -> Window:
    how = node.attributes
    given = how["strides"], how["pad"], "NHWC", how.get("dilations", 1)
    return window(x, size, *given, how.get("dim_rounding_mode"))


def _padded(
    reader: "Reader", x: "Value", w: Window, border: float = 0.0
) -> "tuple[Value, list[int]]":
    """What a window goes over, and the padding that its kernel is told: the same on both sides."""
    even = [before for before, _ in w.padding]
    if all(a == b for a, b in w.padding) and all(
        2 * p <= n for p, n in zip(even, w.size, strict=True)
    ):
        return x, even
    (top, bottom), (left, right) = w.padding
    shape = (x.shape[0], x.shape[1] + top + bottom, x.shape[2] + left + right, x.shape[3])
    sides = [left, right, top, bottom]
    return reader.call(functional.pad, x, sides, value=border, shape=shape), [0, 0]


def _conv(reader: "Reader", node: Step, bias: np.ndarray | None) -> "Value":
    x, kernel = reader.value(node.inputs[0]), _filter(reader, node)
    w = _window(node, x.shape, kernel.shape[:2])
    groups = kernel.shape[2] if node.op.name == "depthwise_conv2d" else 1
    order = (2, 3, 0, 1) if groups > 1 else (3, 2, 0, 1)
    kernel = kernel.transpose(order).reshape(-1, kernel.shape[2] // groups, *kernel.shape[:2])
    x, padding = _padded(reader, x, w)
    how = list(w.strides), padding, list(w.dilations), groups
    weights = reader.held(kernel), None if bias is None else reader.held(bias)
    return reader.call(torch.conv2d, x, *weights, *how, shape=reader.shape_of(node))


def _transposed_conv(reader: "Reader", node: Step, bias: np.ndarray | None) -> "Value":
    dy, kernel = reader.value(node.inputs[0]), _filter(reader, node)
    shape = reader.shape_of(node)
    w = _window(node, shape, kernel.shape[:2])
    cut = [before for before, _ in w.padding]
    # What windows touch begins at the padding. It may end after the result, or before: zeros there.
    touched = zip(w.out_size, w.strides, w.size, w.dilations, strict=True)
    ends = [(n - 1) * s + (k - 1) * d + 1 for n, s, k, d in touched]
    more = [n + 2 * before - end for n, before, end in zip(w.in_size, cut, ends, strict=True)]
    how = list(w.strides), cut, [max(m, 0) for m in more], 1, list(w.dilations)
    weights = (
        reader.held(kernel.transpose(3, 2, 0, 1)),
        None if bias is None else reader.held(bias),
    )
    found = reader.call(torch.conv_transpose2d, dy, *weights, *how, shape=shape)
    if min(more) >= 0:
        return found
    kept = (slice(None), slice(None), *(slice(n) for n in w.in_size))
    return reader.call(operator.getitem, found, kept, shape=shape)


def _filter(reader: "Reader", node: Step) -> np.ndarray:
    """The filter of a convolution."""
    found = reader.program.constants.get(node.inputs[1])
    if found is None or node.attributes["data_format"] != "NHWC":
        raise CoreError(f"{node.name}: the PyTorch reader needs NHWC and a constant filter")
    return found


def _is_linear(reader: "Reader", node: Step) -> bool:
    matrix = reader.program.specs[node.inputs[1]].shape
    constant = node.inputs[1] in reader.program.constants
    return constant and len(matrix) == 2 and not node.attributes["transpose_a"]


def _matmul(reader: "Reader", node: Step, bias: np.ndarray | None) -> "Value":
    shape, how = reader.shape_of(node), node.attributes
    left = reader.plain(reader.value(node.inputs[0]))
    if _is_linear(reader, node):
        matrix = reader.program.constants[node.inputs[1]]
        weights = reader.held(matrix if how["transpose_b"] else matrix.T)
        held = None if bias is None else reader.held(bias)
        found = reader.call(functional.linear, left, weights, held, shape=shape)
        return reader.images(found.node, shape)
    right = reader.plain(reader.value(node.inputs[1]))
    sides = [
        reader.call(torch.transpose, side, -1, -2, shape=side.shape) if how[flag] else side
        for side, flag in ((left, "transpose_a"), (right, "transpose_b"))
    ]
    return reader.images(reader.call(torch.matmul, *sides, shape=shape).node, shape)


def _max_pool(reader: "Reader", node: Step, bias: None) -> "Value":
    x = reader.value(node.inputs[0])
    w = _window(node, x.shape, node.attributes["filter_size"])
    x, padding = _padded(reader, x, w, -np.inf)
    how = list(w.size), list(w.strides), padding
    return reader.call(functional.max_pool2d, x, *how, shape=reader.shape_of(node))


def _avg_pool(reader: "Reader", node: Step, bias: None) -> "Value":
    x = reader.value(node.inputs[0])
    w = _window(node, x.shape, node.attributes["filter_size"])
    x, padding = _padded(reader, x, w)
    if padding != [before for before, _ in w.padding]:
        raise CoreError(f"{node.name}: PyTorch's average counts pixels of uneven padding")
    how = list(w.size), list(w.strides), padding, False, False
    return reader.call(functional.avg_pool2d, x, *how, shape=reader.shape_of(node))


def _reduction(reader: "Reader", node: Step, bias: None) -> "Value":
    x, how, shape = reader.value(node.inputs[0]), node.attributes, reader.shape_of(node)
    given = how["axis"]
    axes = range(len(x.shape)) if given is None else np.atleast_1d(given)
    axes = sorted(int(axis) % len(x.shape) for axis in axes)
    if x.is_images and not how["keep_dims"] and axes not in ([1, 2], [0, 1, 2], [0, 1, 2, 3]):
        x = reader.plain(x)  # the axes that stay are in another order there
    elif x.is_images:
        axes = [AXES[axis] for axis in axes]
    function = REDUCTIONS[node.op.name]
    return reader.call(function, x, axes, how["keep_dims"], shape=shape)


def _softmax(reader: "Reader", node: Step, bias: None) -> "Value":
    x = reader.value(node.inputs[0])
    axis = _axis(x, node.attributes["axis"])
    return reader.call(torch.softmax, x, axis, shape=x.shape)


def _axis(value: "Value", axis: int) -> int:
    """Where an axis of ours is there."""
    axis %= len(value.shape)
    return AXES[axis] if value.is_images else axis


def _resize(reader: "Reader", node: Step, bias: None) -> "Value":
    x, how = reader.value(node.inputs[0]), node.attributes
    if not (how["align_corners"] or how["half_pixel_centers"]) or not x.is_images:
        raise CoreError(f"{node.name}: PyTorch does not resize with centres at whole numbers")
    size, corners = list(how["size"]), bool(how["align_corners"])
    options = {"size": size, "mode": "bilinear", "align_corners": corners}
    return reader.call(functional.interpolate, x, **options, shape=reader.shape_of(node))


def _pad(reader: "Reader", node: Step, bias: None) -> "Value":
    x, how = reader.value(node.inputs[0]), node.attributes
    sides = list(how["paddings"])
    if x.is_images:
        sides = [sides[axis] for axis in TO_IMAGES]
    flat = [int(n) for pair in reversed(sides) for n in pair]
    border, shape = how["constant_value"], reader.shape_of(node)
    return reader.call(functional.pad, x, flat, value=border, shape=shape)


def _concat(reader: "Reader", node: Step, bias: None) -> "Value":
    values = [reader.value(i) for i in node.inputs]
    axis = _axis(values[0], node.attributes["axis"])
    nodes = [value.node for value in values]
    return reader.call(torch.cat, nodes, axis, shape=reader.shape_of(node))


def _reshape(reader: "Reader", node: Step, bias: None) -> "Value":
    """Another shape of the same values; of images of one pixel in any order."""
    x, shape = reader.value(node.inputs[0]), reader.shape_of(node)
    if x.shape == shape:
        return x
    if not (x.is_images and (x.shape[1] == x.shape[2] == 1 or x.shape[3] == 1)):
        x = reader.plain(x)
    return reader.images(reader.call(torch.reshape, x, shape, shape=shape).node, shape)


def _slice(reader: "Reader", node: Step, bias: None) -> "Value":
    x, shape = reader.value(node.inputs[0]), reader.shape_of(node)
    begin = np.atleast_1d(node.attributes["begin"])
    index = [slice(int(b), int(b) + n) for b, n in zip(begin, shape, strict=True)]
    order = TO_IMAGES if x.is_images else range(len(shape))
    picked = tuple(index[axis] for axis in order)
    return reader.call(operator.getitem, x, picked, shape=shape)


CONVOLUTIONS: dict[str, Read] = {
    "conv2d": _conv,
    "conv2d_backprop_input": _transposed_conv,
    "depthwise_conv2d": _conv,
}

OPS: dict[str, Read] = {
    **CONVOLUTIONS,
    **dict.fromkeys(REDUCTIONS, _reduction),
    **dict.fromkeys(("reshape", "expand_dims", "identity"), _reshape),
    "avg_pool": _avg_pool,
    "concat": _concat,
    "matmul": _matmul,
    "max_pool": _max_pool,
    "pad": _pad,
    "resize_bilinear": _resize,
    "slice": _slice,
    "softmax": _softmax,
}
