"""Generated transposed convolutions: windows side by side, or a convolution for each phase."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from core.backends.cpu.codegen.epilogue import CHANNEL, Fused
from core.backends.cpu.codegen.for_conv import window_product
from core.backends.cpu.codegen.images import Images
from core.backends.cpu.codegen.kernels import (
    Argument,
    Generated,
    GeneratedCall,
    Kernel,
    generates,
    task_count,
)
from core.backends.cpu.codegen.narrow import MOST_RESULTS, NarrowSideBySide
from core.backends.cpu.codegen.products import FILTER, Panels
from core.backends.cpu.codegen.side_by_side import SideBySide
from core.backends.cpu.codegen.tile import choose_tile
from core.backends.cpu.codegen.window_product import Placement
from core.windows import Window, window


@generates("conv2d_backprop_input")
def generate_transposed_convolution(call: GeneratedCall) -> Generated | None:
    """Generate products of pixels with a constant filter [height, width, channels, depth]."""
    dy, filter = call.step.inputs
    weights = call.constant(filter)
    how = {name: v for name, v in call.step.attributes.items() if name != "input_shape"}
    if weights is None or not call.has_floats(dy) or how.get("data_format", "NHWC") != "NHWC":
        return None
    arguments: list[Argument] = [dy, "", call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    w = window(call.result.shape, weights.shape[:2], **how)
    fits = all(n == m * s for n, m, s in zip(w.in_size, w.out_size, w.strides, strict=True))
    if w.size == w.strides and fits and not any(map(any, w.padding)):
        return _side_by_side(call, weights, arguments, steps)
    return _by_phase(call, w, weights, arguments, steps)


def _side_by_side(
    call: GeneratedCall, weights: np.ndarray, arguments: list[Argument], steps: tuple[Fused, ...]
) -> Generated | None:
    """Return a product for each line of the windows, whose values lie side by side."""
    high, wide, channels, depth = weights.shape
    by_channel = any(o.kind == CHANNEL for step in steps for o in step.operands)
    if high * wide * channels <= MOST_RESULTS and not by_channel:
        return _narrow(call, weights, arguments, steps)
    if not _repeat_operands(call, arguments, steps, wide):
        return None
    count, lines, width, _ = call.spec(call.step.inputs[0]).shape
    tall, vectors = choose_tile(call.isa, width, wide * channels)
    panels = Panels(wide * channels, vectors, call.isa.lanes)
    rows = (row.reshape(wide * channels, depth).T for row in weights)
    arguments[FILTER] = call.packed(np.concatenate([panels.packed(row) for row in rows]))
    work = count * lines * width * depth * high * panels.values
    block = -(-count * lines // task_count(work, count * lines))
    kernel = SideBySide(count * lines, width, depth, high, panels, tall, block, steps)
    return Generated(((kernel, tuple(arguments)),), call.packed_bytes)


def _narrow(
    call: GeneratedCall, weights: np.ndarray, arguments: list[Argument], steps: tuple[Fused, ...]
) -> Generated:
    """Return a product with vectors of pixels."""
    high, wide, channels, depth = weights.shape
    count, lines, width, _ = call.spec(call.step.inputs[0]).shape
    arguments[FILTER] = call.packed(weights.reshape(-1, depth).T)
    # Transposing squares takes most of the time.
    block = -(-count * lines // task_count(8 * count * lines * width * depth, count * lines))
    kernel = NarrowSideBySide(count * lines, width, depth, (high, wide * channels), block, steps)
    return Generated(((kernel, tuple(arguments)),), call.packed_bytes)


def _repeat_operands(
    call: GeneratedCall, arguments: list[Argument], steps: tuple[Fused, ...], times: int
) -> bool:
    """Repeat the operands for each channel; return whether all of these are constants."""
    for operand in (o for step in steps for o in step.operands if o.kind == CHANNEL):
        reference = arguments[operand.argument]
        values = call.constant(reference) if isinstance(reference, str) else None
        if values is None:
            return False
        arguments[operand.argument] = call.packed(np.tile(values.ravel(), times))
    return True


class Phase(NamedTuple):
    """The pixels along one axis of the result for which one set of taps is over the input.

    Attributes:
        begin: the first such pixel.
        pixels: number of such pixels.
        taps: the taps of the filter, in the order of the pixels of the input.
        before: pixels of padding before the input, see `Images.padding`.
    """

    begin: int
    pixels: int
    taps: slice
    before: int

    @classmethod
    def of(cls, w: Window, axis: int, number: int) -> "Phase":
        """Return a phase of an axis of the windows over the result.

        A pixel of the result at ``o`` gets the pixels ``i`` of the input, and the taps ``k``, for
        which ``i * stride + k * dilation == o + padding``.
        """
        stride, dilation, before = w.strides[axis], w.dilations[axis], w.padding[axis][0]
        begin = (number - before) % stride
        pixels = -(-(w.in_size[axis] - begin) // stride)
        last = len(range(number, w.size[axis], stride)) - 1
        taps = slice(number + last * stride, number - 1 if number else None, -stride)
        return cls(begin, pixels, taps, last * dilation - (begin + before) // stride)


def _by_phase(
    call: GeneratedCall,
    w: Window,
    weights: np.ndarray,
    arguments: list[Argument],
    steps: tuple[Fused, ...],
) -> Generated | None:
    """Return a convolution with some taps for each phase of the pixels of the result."""
    if any(size < stride for size, stride in zip(w.size, w.strides, strict=True)):
        return None  # some pixels get nothing
    axes = [[Phase.of(w, axis, i) for i in range(w.strides[axis])] for axis in (0, 1)]
    used = [pair for pair in product(*axes) if min(phase.pixels for phase in pair) > 0]
    kernels = [_phase_kernel(call, w, pair, weights, arguments, steps) for pair in used]
    return Generated(tuple(kernels), call.packed_bytes)


def _phase_kernel(
    call: GeneratedCall,
    w: Window,
    pair: Sequence[Phase],
    weights: np.ndarray,
    arguments: list[Argument],
    steps: tuple[Fused, ...],
) -> tuple[Kernel, tuple[Argument, ...]]:
    """Return the kernel of a phase of lines and one of columns, and its arguments."""
    count, *in_size, depth = call.spec(call.step.inputs[0]).shape
    down, across = pair
    taps = weights[down.taps, across.taps].swapaxes(2, 3)
    out_size = down.pixels, across.pixels
    padding = (down.before, 0), (across.before, 0)
    images = Images(
        count, depth, tuple(in_size), out_size, taps.shape[:2], (1, 1), w.dilations, padding
    )
    placement = Placement(w.in_size, (down.begin, across.begin), (w.strides[0], w.strides[1]))
    kernel = window_product(call, images, weights.shape[2], steps, placement)
    packed = call.weights(taps.reshape(-1, weights.shape[2]), kernel.panels)
    return kernel, (arguments[0], packed, *arguments[2:])
