"""Generated transposed convolutions: windows side by side, or a convolution for each phase."""

import numpy as np

from core.backends.cpu.codegen.for_op.conv import flat_product, window_product
from core.backends.cpu.codegen.for_op.grouped import generate_transposed_groups
from core.backends.cpu.codegen.ir.epilogue import CHANNEL, Fused
from core.backends.cpu.codegen.kernels.narrow import MOST_RESULTS, NarrowSideBySide
from core.backends.cpu.codegen.kernels.phases import Phase, images_of, phases_of, placement_of
from core.backends.cpu.codegen.kernels.products import FILTER, Panels
from core.backends.cpu.codegen.kernels.side_by_side import SideBySide
from core.backends.cpu.codegen.kernels.tile import choose_tile
from core.backends.cpu.codegen.packing import packed_argument
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Bound,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.engine.windows import Window, window


@generates("conv2d_backprop_input")
def generate_transposed_convolution(call: GeneratedCall) -> Generated | None:
    """Generate products of pixels with a filter [height, width, channels, depth]."""
    dy, filter = call.step.inputs
    how = {name: v for name, v in call.step.attributes.items() if name != "input_shape"}
    size = call.spec(filter).shape
    if not call.has_floats(dy, filter) or how.get("data_format", "NHWC") != "NHWC":
        return None
    w = window(call.result.shape, size[:2], **how)
    if size[2] != call.result.shape[3]:
        return generate_transposed_groups(call, w)
    arguments: list[Argument] = [dy, "", call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    if w.pointwise:
        return _pointwise(call)
    weights = call.constant(filter)
    fits = all(n == m * s for n, m, s in zip(w.in_size, w.out_size, w.strides, strict=True))
    lies_apart = w.size == w.strides and fits and not any(map(any, w.padding))
    if weights is not None and lies_apart:
        return _side_by_side(call, weights, arguments, steps)
    return _by_phase(call, w, arguments, steps)


def _pointwise(call: GeneratedCall) -> Generated | None:
    """Return the product of pixels with the filter's transpose."""
    channels, depth = call.spec(call.step.inputs[1]).shape[2:]

    def view(weights: np.ndarray) -> np.ndarray:
        return weights.reshape(channels, depth).T

    sizes = call.result.size // channels, depth, channels
    return flat_product(call, sizes, view, is_plain=False)


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


def _by_phase(
    call: GeneratedCall, w: Window, arguments: list[Argument], steps: tuple[Fused, ...]
) -> Generated | None:
    """Return a convolution with some taps for each phase of the pixels of the result."""
    pairs = phases_of(w)
    if pairs is None:
        return None
    return call.generated(*(_phase_kernel(call, w, pair, arguments, steps) for pair in pairs))


def _phase_kernel(
    call: GeneratedCall,
    w: Window,
    pair: tuple[Phase, Phase],
    arguments: list[Argument],
    steps: tuple[Fused, ...],
) -> Bound:
    """Return the kernel of a phase of lines and one of columns, and its arguments."""
    dy, filter = call.step.inputs
    count, *_, depth = call.spec(dy).shape
    channels = call.result.shape[3]
    down, across = pair

    def taps(weights: np.ndarray) -> np.ndarray:
        return weights[down.taps, across.taps].swapaxes(2, 3)

    images = images_of(pair, w, count, depth)
    placement = placement_of(pair, w)
    kernel = window_product(call, images, channels, steps, placement, is_plain=False)
    packed = packed_argument(call, filter, taps, kernel.panels)
    return kernel, (dy, packed, *arguments[2:])
