"""Generated convolutions and matrix products."""

from functools import partial
from math import prod

import numpy as np

from core.backends.cpu.codegen.for_op.grouped import generate_groups
from core.backends.cpu.codegen.ir.epilogue import FULL, Fused
from core.backends.cpu.codegen.ir.image_windows import Images, Placement
from core.backends.cpu.codegen.ir.kernel_text import FLOAT
from core.backends.cpu.codegen.kernels.depthwise import DepthwiseProduct, is_depthwise
from core.backends.cpu.codegen.kernels.grouped import Groups
from core.backends.cpu.codegen.kernels.products import FlatProduct, Panels
from core.backends.cpu.codegen.kernels.tile import Split, choose_tile
from core.backends.cpu.codegen.kernels.window_product import WindowProduct
from core.backends.cpu.codegen.packing import View, packed_argument, panels_for
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.engine.windows import Window, window

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
    """Generate a product of pixels, or of windows, with a filter."""
    x, filter = call.step.inputs
    is_last = call.step.attributes.get("data_format", "NHWC") == "NHWC"
    if not call.has_floats(x, filter) or not is_last:
        return None
    w = windows_of(call)
    channels, (depth, results) = call.spec(x).shape[3], call.spec(filter).shape[2:]
    if channels != depth:
        count = channels // depth
        return generate_groups(call, w, Groups(count, depth, results // count))
    if w.pointwise:
        channels = call.result.shape[3]
        view = partial(_as_matrix, channels=channels)
        sizes = prod(call.result.shape[:3]), call.spec(x).shape[3], channels
        return _after_depthwise(call) or flat_product(call, sizes, view)
    return _windows(call, w)


def _as_matrix(weights: np.ndarray, channels: int) -> np.ndarray:
    """Return a view of a filter as [depth, channels]."""
    return weights.reshape(-1, channels)


def _after_depthwise(call: GeneratedCall) -> Generated | None:
    """Return a kernel that fuses the depthwise convolution before the product."""
    before, weights = call.before, call.constant(call.step.inputs[1])
    if before is None or weights is None or not is_depthwise(call, before):
        return None
    channels, wide = weights.shape[2:]
    x, filter = before.inputs
    w = window(call.spec(x).shape, call.spec(filter).shape[:2], **before.attributes)
    height, width = w.out_size
    if height * width <= _FEW_PIXELS:
        return None
    high, vectors = choose_tile(call.isa, height * width, wide)
    panels = Panels(wide, vectors, call.isa.lanes)
    packed = call.weights(_as_matrix(weights, wide), panels)
    arguments: list[Argument] = [x, packed, call.step.name, filter]
    between = call.spec(before.name)
    inner, steps = call.fused(arguments, before.epilogue, between), call.fused(arguments)
    if inner is None or steps is None or any(o.kind == FULL for s in inner for o in s.operands):
        return None
    images = Images.of(call.spec(x).shape[0], channels, w)
    block = max(1, min(height, _BETWEEN // (FLOAT * width * channels)))
    block = min(block, -(-height // task_count(height * width * weights.size, height)))
    kernel = DepthwiseProduct(images, block, inner, panels, high, steps)
    return call.generated((kernel, tuple(arguments)), absorbs=True)


def flat_product(
    call: GeneratedCall,
    sizes: tuple[int, int, int],
    view: View,
    *,
    is_plain: bool = True,
    transposed: bool = False,
) -> Generated | None:
    """Return the product of the first input with a matrix of weights, which is the second.

    Args:
        call: the step.
        sizes: pixels, depth and channels.
        view: shows the weights as [depth, channels].
        is_plain: whether they lie in memory so.
        transposed: whether the first input lies in memory as [depth, pixels].
    """
    (pixels, depth, channels), (x, filter) = sizes, call.step.inputs
    arguments: list[Argument] = [x, "", call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    high, vectors = choose_tile(call.isa, pixels, channels, 1 if transposed else depth)
    panels = panels_for(call, filter, channels, vectors, is_plain=is_plain)
    arguments[1] = packed_argument(call, filter, view, panels)
    tiles = Split.of(pixels, high)
    work = pixels * depth * channels
    panel_tasks = task_count(work, panels.count) if pixels <= _FEW_PIXELS else 1
    pixel_tasks = 1 if panel_tasks > 1 else task_count(work, tiles.parts)
    block = min(pixels, -(-tiles.parts // pixel_tasks) * tiles.largest)
    kernel = FlatProduct(
        pixels, depth, panels, tiles.largest, block, panel_tasks, steps, transposed
    )
    return call.generated((kernel, tuple(arguments)))


def _windows(call: GeneratedCall, w: Window) -> Generated | None:
    x, filter = call.step.inputs
    arguments: list[Argument] = [x, "", call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    count, _, _, depth = call.spec(x).shape
    images, channels = Images.of(count, depth, w), call.result.shape[3]
    kernel = window_product(call, images, channels, steps)
    view = partial(_as_matrix, channels=channels)
    arguments[1] = packed_argument(call, filter, view, kernel.panels)
    return call.generated((kernel, tuple(arguments)))


def window_product(
    call: GeneratedCall,
    images: Images,
    channels: int,
    steps: tuple[Fused, ...],
    placement: Placement | None = None,
    *,
    is_plain: bool = True,
) -> WindowProduct:
    """Return the product of windows with the second input, with tiles and tasks chosen.

    Args:
        call: the step.
        images: how windows lie over the images.
        channels: channels of the filter.
        steps: the epilogue.
        placement: where the pixels go; None if they are the whole result.
        is_plain: whether the filter lies in memory as [depth, channels].
    """
    height, width = images.out_size
    # Tiles are parts of a line, or several whole lines that are short.
    few = width if 4 * width > call.isa.registers else height * width
    high, vectors = choose_tile(call.isa, few, channels)
    panels = panels_for(call, call.step.inputs[1], channels, vectors, is_plain=is_plain)
    work = height * width * prod(images.size) * images.channels * channels
    is_small = height * width <= _FEW_PIXELS
    panel_tasks = task_count(work * images.count, panels.count) if is_small else 1
    lines = max(1, high // width)
    tiles = -(-height // lines)
    blocks = 1 if panel_tasks > 1 else task_count(work, tiles)
    block = min(height, -(-tiles // blocks) * lines)
    return WindowProduct(images, block, panels, high, panel_tasks, steps, placement)


@generates("matmul")
def generate_matmul(call: GeneratedCall) -> Generated | None:
    """Generate a product of rows with a matrix."""
    a, b = (call.spec(reference) for reference in call.step.inputs)
    how = call.step.attributes
    if len(b.shape) != 2 or not call.has_floats(*call.step.inputs):
        return None
    if how["transpose_a"] and len(a.shape) != 2:
        return None
    *_, channels = call.result.shape
    pixels, depth = call.result.size // channels, b.shape[how["transpose_b"]]
    view = np.transpose if how["transpose_b"] else np.asarray
    return flat_product(
        call,
        (pixels, depth, channels),
        view,
        is_plain=not how["transpose_b"],
        transposed=how["transpose_a"],
    )
