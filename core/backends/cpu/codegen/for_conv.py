"""Generated convolutions and matrix products."""

from math import prod

import numpy as np

from core.backends.cpu.codegen.depthwise import DepthwiseProduct, is_depthwise
from core.backends.cpu.codegen.epilogue import FULL, Fused
from core.backends.cpu.codegen.images import Images
from core.backends.cpu.codegen.kernel_text import FLOAT
from core.backends.cpu.codegen.kernels import (
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.backends.cpu.codegen.products import FlatProduct, Panels
from core.backends.cpu.codegen.tile import Split, choose_tile
from core.backends.cpu.codegen.window_product import Placement, WindowProduct
from core.windows import Window, window

#: Bytes of the lines between a depthwise convolution and a product: they stay in the cache.
_BETWEEN = 1 << 17

#: Pixels of few: tasks are then cut by channels, so that each reads a part of the filter once.
_FEW_PIXELS = 256


def windows_of(call: GeneratedCall) -> Window:
    """Return the windows of a convolution over its images."""
    x, filter = call.step.inputs
    return window(call.spec(x).shape, call.spec(filter).shape[:2], **call.step.attributes)


@generates("conv2d")
def generate_conv2d(call: GeneratedCall) -> Generated | None:
    """Generate a product of pixels, or of windows, with a constant filter."""
    x, filter = call.step.inputs
    weights = call.constant(filter)
    if weights is None or not call.has_floats(x) or _is_unusual(call):
        return None
    w = windows_of(call)
    pixels = prod(call.result.shape[:3])
    if w.pointwise:
        weights = weights.reshape(weights.shape[2:])
        return _after_depthwise(call, weights) or flat_product(call, pixels, weights)
    return _windows(call, w, weights)


def _after_depthwise(call: GeneratedCall, weights: np.ndarray) -> Generated | None:
    """Return a kernel that computes the depthwise convolution before the product, too."""
    before, (channels, wide) = call.before, weights.shape
    if before is None or not is_depthwise(call, before):
        return None
    x, filter = before.inputs
    w = window(call.spec(x).shape, call.spec(filter).shape[:2], **before.attributes)
    height, width = w.out_size
    if height * width <= _FEW_PIXELS:
        return None
    high, vectors = choose_tile(call.isa, height * width, wide)
    panels = Panels(wide, vectors, call.isa.lanes)
    packed = call.weights(weights, panels)
    arguments: list[Argument] = [x, packed, call.step.name, filter]
    between = call.spec(before.name)
    inner, steps = call.fused(arguments, before.epilogue, between), call.fused(arguments)
    if inner is None or steps is None or any(o.kind == FULL for s in inner for o in s.operands):
        return None
    images = Images.of(call.spec(x).shape[0], channels, w)
    block = max(1, min(height, _BETWEEN // (FLOAT * width * channels)))
    block = min(block, -(-height // task_count(height * width * weights.size, height)))
    kernel = DepthwiseProduct(images, inner, panels, high, block, steps)
    return Generated(((kernel, tuple(arguments)),), call.packed_bytes, absorbs=True)


def _is_unusual(call: GeneratedCall) -> bool:
    """Return whether channels come first, or channels are in groups."""
    x, filter = (call.spec(r).shape for r in call.step.inputs)
    return call.step.attributes.get("data_format", "NHWC") != "NHWC" or x[-1] != filter[2]


def flat_product(call: GeneratedCall, pixels: int, weights: np.ndarray) -> Generated | None:
    """Return the product of rows of values with a matrix of weights [depth, channels]."""
    arguments: list[Argument] = [call.step.inputs[0], "", call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    depth, channels = weights.shape
    high, vectors = choose_tile(call.isa, pixels, channels)
    panels = Panels(channels, vectors, call.isa.lanes)
    arguments[1] = call.weights(weights, panels)
    tiles = Split.of(pixels, high)
    work = pixels * depth * channels
    panel_tasks = task_count(work, panels.count) if pixels <= _FEW_PIXELS else 1
    pixel_tasks = 1 if panel_tasks > 1 else task_count(work, tiles.parts)
    block = min(pixels, -(-tiles.parts // pixel_tasks) * tiles.largest)
    kernel = FlatProduct(pixels, depth, panels, tiles.largest, block, panel_tasks, steps)
    return Generated(((kernel, tuple(arguments)),), call.packed_bytes)


def _windows(call: GeneratedCall, w: Window, weights: np.ndarray) -> Generated | None:
    arguments: list[Argument] = [call.step.inputs[0], "", call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    count, _, _, depth = call.spec(call.step.inputs[0]).shape
    images = Images.of(count, depth, w)
    kernel = window_product(call, images, weights.shape[3], steps)
    arguments[1] = call.weights(weights.reshape(-1, weights.shape[3]), kernel.panels)
    return Generated(((kernel, tuple(arguments)),), call.packed_bytes)


def window_product(
    call: GeneratedCall,
    images: Images,
    channels: int,
    steps: tuple[Fused, ...],
    placement: Placement | None = None,
) -> WindowProduct:
    """Return the product of windows with a filter of some channels, with tiles and tasks chosen."""
    height, width = images.out_size
    # Tiles are parts of a line, or several whole lines that are short.
    few = width if 4 * width > call.isa.registers else height * width
    high, vectors = choose_tile(call.isa, few, channels)
    panels = Panels(channels, vectors, call.isa.lanes)
    work = height * width * prod(images.size) * images.channels * channels
    is_small = height * width <= _FEW_PIXELS
    panel_tasks = task_count(work * images.count, panels.count) if is_small else 1
    lines = max(1, high // width)
    tiles = -(-height // lines)
    blocks = 1 if panel_tasks > 1 else task_count(work, tiles)
    block = min(height, -(-tiles // blocks) * lines)
    return WindowProduct(images, panels, high, block, panel_tasks, steps, placement)


@generates("matmul")
def generate_matmul(call: GeneratedCall) -> Generated | None:
    """Generate a product of rows with a constant matrix."""
    a, b = call.step.inputs
    weights = call.constant(b)
    if weights is None or weights.ndim != 2 or not call.has_floats(a):
        return None
    if call.step.attributes["transpose_a"]:
        return None
    if call.step.attributes["transpose_b"]:
        weights = weights.T
    return flat_product(call, prod(call.result.shape[:-1]), weights)
