"""Generated kernels of steps that compute with integers."""

from math import prod

import numpy as np

from core.backends.cpu.codegen.for_op.elementwise import cut_values
from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.ir.integer_vectors import GROUP_BYTES, Rounding, member_bytes
from core.backends.cpu.codegen.kernels.integer_depthwise import IntegerDepthwise, IntegerTaps
from core.backends.cpu.codegen.kernels.integer_products import IntegerPanels, IntegerProduct
from core.backends.cpu.codegen.kernels.integer_values import (
    FromBytes,
    IntegerBinary,
    IntegerResize,
    ToBytes,
)
from core.backends.cpu.codegen.kernels.products import Panels
from core.backends.cpu.codegen.kernels.tile import Split, choose_tile
from core.backends.cpu.codegen.step_kernels import (
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.engine.specs import Shape
from core.engine.windows import Window, window

#: Pixels of few: tasks are then cut by channels, so that each reads a part of the filter once.
_FEW_PIXELS = 256

#: Cost of a resized value, in multiply-adds of a tile.
_RESIZE_WORK = 32

#: Attributes of integer convolutions that say how windows lie.
_WINDOW = ("strides", "pad", "data_format", "dilations", "dim_rounding_mode")


def _windows(call: GeneratedCall) -> Window:
    how = {name: call.step.attributes[name] for name in _WINDOW}
    return window(_image_shape(call), call.spec(call.step.inputs[1]).shape[:2], **how)


def _image_shape(call: GeneratedCall) -> Shape:
    """Return the shape of the images; rows of a matrix are pixels of a line."""
    shape = call.spec(call.step.inputs[0]).shape
    return shape if len(shape) == 4 else (1, 1, *shape)


def _constants(call: GeneratedCall) -> list[np.ndarray]:
    """Return filter, bias, multiplier and shift."""
    arrays = [call.constant(reference) for reference in call.step.inputs[1:]]
    return [array for array in arrays if array is not None]


def _rounding(call: GeneratedCall, shift: np.ndarray) -> Rounding:
    how = call.step.attributes
    return Rounding.of(shift, how["zero_point"], how["low"], how["high"])


def _tile(call: GeneratedCall, pixels: int, channels: int, depth: int) -> tuple[int, int]:
    """Return pixels and vectors of a tile: four, if there are as many, to join their bytes."""
    lanes, stride = call.isa.lanes, max(depth // GROUP_BYTES, 1)
    if channels >= GROUP_BYTES * lanes and call.isa.registers > GROUP_BYTES * GROUP_BYTES:
        wide = GROUP_BYTES * lanes
        most = (call.isa.registers - 1) // GROUP_BYTES - 1
        high, _ = choose_tile(call.isa, min(pixels, most), wide, stride)
        return min(high, most), GROUP_BYTES
    return choose_tile(call.isa, pixels, channels, stride)


@generates("integer_conv2d")
def generate_integer_conv2d(call: GeneratedCall) -> Generated | None:
    """Generate a product of windows of bytes with a filter of integers."""
    w, how = _windows(call), call.step.attributes
    filter, bias, multiplier, shift = _constants(call)
    count, _, _, depth = _image_shape(call)
    channels = filter.shape[3]
    images = Images.of(count, depth, w)
    if w.pointwise:
        pixels = 1, count * prod(w.out_size)
        ones, none = (1, 1), ((0, 0), (0, 0))
        images = Images(1, depth, pixels, pixels, ones, ones, ones, none)
    size = member_bytes(call.isa)
    # In int8 the integers of uint8 are 128 less; int16 has room for them without their zero point.
    moved = 128 if filter.dtype == np.uint8 else 0
    taken = moved if size == 1 else how["filter_zero"]
    zero = how["filter_zero"] - taken
    height, width = images.out_size
    high, vectors = _tile(call, width, channels, depth)
    panels = Panels(channels, vectors, call.isa.lanes)
    by_line = images.dilations[1] == 1 or images.size[1] == 1
    runs = images.size[0] if by_line else prod(images.size)
    order = IntegerPanels(panels, runs, prod(images.size) * depth // runs, size, taken)
    total = bias.astype(np.int64)
    if size == 1:
        flat = filter.reshape(-1, channels)
        weights = flat.sum(0, dtype=np.int64) - len(flat) * how["filter_zero"]
        total = total - how["x_zero"] * weights
    work, rounding = height * width * filter.size, _rounding(call, shift)
    is_small = height * width <= _FEW_PIXELS
    panel_tasks = task_count(work // 2, panels.count) if is_small else 1
    tiles = Split.of(width, high)
    parts = tiles.parts if w.pointwise else height
    cuts = 1 if panel_tasks > 1 else task_count(work // 2, parts)
    block = -(-parts // cuts) * (tiles.largest if w.pointwise else 1)
    kernel = IntegerProduct(
        images,
        order,
        tiles.largest,
        min(block, width if w.pointwise else height),
        panel_tasks,
        how["x_zero"],
        zero,
        rounding,
    )
    rows = rounding.rows(
        *(
            np.resize(values, panels.values)[order.lane_channels].reshape(-1, panels.lanes)
            for values in (total.astype(np.int32), multiplier, shift)
        )
    )
    packed = call.weights(filter, order)
    arguments = call.step.inputs[0], packed, call.step.name, call.packed(rows)
    return call.generated((kernel, arguments))


@generates("integer_depthwise_conv2d")
def generate_integer_depthwise(call: GeneratedCall) -> Generated | None:
    """Generate a depthwise convolution of bytes."""
    w, how = _windows(call), call.step.attributes
    filter, bias, multiplier, shift = _constants(call)
    count, _, _, channels = call.spec(call.step.inputs[0]).shape
    images, size = Images.of(count, channels, w), member_bytes(call.isa)
    real = filter[..., 0].astype(np.int16) - how["filter_zero"]
    parts = 1 if size == 2 or -128 <= real.min() <= real.max() <= 127 else 2
    taps = IntegerTaps.of(images, call.isa.lanes, size, parts)
    total = bias.astype(np.int64)
    if size == 1:
        total = total - how["x_zero"] * real.astype(np.int64).sum((0, 1))
    height, width = w.out_size
    work = 4 * height * width * channels * prod(w.size)
    block = -(-height // task_count(work, height))
    rounding = _rounding(call, shift)
    kernel = IntegerDepthwise(images, block, taps, how["x_zero"], rounding)
    arguments = (
        call.step.inputs[0],
        call.packed(taps.packed(real)),
        call.step.name,
        call.packed(taps.packed_numbers((total.astype(np.int32), multiplier, shift), rounding)),
    )
    return call.generated((kernel, arguments))


@generates("integer_binary")
def generate_integer_binary(call: GeneratedCall) -> Generated | None:
    """Generate a sum, difference or product of bytes of two scales."""
    a, b, numbers = call.step.inputs
    how, constant = call.step.attributes, call.constant(numbers)
    assert constant is not None
    left = bool(constant[7])
    rounding = Rounding(how["zero_point"], how["low"], how["high"], moves_left=left)
    first, second = (tuple(constant[i : i + 2]) == (1 << 30, 0) for i in (1, 4))
    rows, length, block = cut_values(call.result.shape, 4, by_channel=False)
    kernel = IntegerBinary(rows, length, block, how["kind"], (first, second), rounding)
    return call.generated((kernel, (a, b, call.step.name, numbers)))


@generates("integer_resize_bilinear")
def generate_integer_resize(call: GeneratedCall) -> Generated | None:
    """Generate bilinear resizing of bytes."""
    x, rows, columns = call.step.inputs
    count, height, width, channels = call.spec(x).shape
    _, *new_size, _ = call.result.shape
    lines = count * new_size[0]
    block = -(-lines // task_count(_RESIZE_WORK * call.result.size, lines))
    new_height, new_width = new_size
    kernel = IntegerResize(
        count,
        (height, width),
        (new_height, new_width),
        channels,
        call.step.attributes["base"],
        block,
    )
    return call.generated((kernel, (x, rows, columns, call.step.name)))


@generates("to_bytes")
def generate_to_bytes(call: GeneratedCall) -> Generated | None:
    """Generate rounding to bytes."""
    rows, length, block = cut_values(call.result.shape, 2, by_channel=False)
    how = tuple(sorted(call.step.attributes.items()))
    return call.generated(
        (ToBytes(rows, length, block, how), (call.step.inputs[0], call.step.name))
    )


@generates("from_bytes")
def generate_from_bytes(call: GeneratedCall) -> Generated | None:
    """Generate the real values of bytes."""
    rows, length, block = cut_values(call.result.shape, 1, by_channel=False)
    scale, zero = (call.step.attributes[name] for name in ("scale", "zero_point"))
    kernel = FromBytes(rows, length, block, scale, zero)
    return call.generated((kernel, (call.step.inputs[0], call.step.name)))
