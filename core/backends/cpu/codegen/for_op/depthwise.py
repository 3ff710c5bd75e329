"""Generated depthwise convolutions."""

from collections.abc import Callable
from functools import partial
from math import prod

import numpy as np

from core.backends.cpu.codegen.for_op.grouped import generate_groups
from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.kernels.depthwise import (
    MOST_TAPS,
    Depthwise,
    DepthwisePhase,
    is_depthwise,
)
from core.backends.cpu.codegen.kernels.grouped import Groups
from core.backends.cpu.codegen.kernels.phases import Phase, images_of, phases_of, placement_of
from core.backends.cpu.codegen.packing import copied_argument
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Bound,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.engine.windows import Window, window


@generates("depthwise_conv2d")
def generate_depthwise(call: GeneratedCall) -> Generated | None:
    """Generate a depthwise convolution; results of a channel are those of a group of one."""
    if not is_depthwise(call, call.step):
        return _with_several(call)
    x, filter = call.step.inputs
    arguments: list[Argument] = [x, filter, call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    count, _, _, channels = call.spec(x).shape
    size = call.spec(filter).shape[:2]
    w = window(call.spec(x).shape, size, **call.step.attributes)
    images = Images.of(count, channels, w)
    return call.generated((Depthwise(images, _block(images), steps), tuple(arguments)))


def _with_several(call: GeneratedCall) -> Generated | None:
    """Return a depthwise convolution with several results for each channel."""
    x, filter = call.step.inputs
    *size, channels, times = call.spec(filter).shape
    is_last = call.step.attributes.get("data_format", "NHWC") == "NHWC"
    if times == 1 or not is_last or not call.has_floats(x, filter):
        return None
    w = window(call.spec(x).shape, size, **call.step.attributes)
    return generate_groups(call, w, Groups(channels, 1, times))


@generates("depthwise_conv2d_backprop_input")
def generate_transposed_depthwise(call: GeneratedCall) -> Generated | None:
    """Generate a depthwise convolution with some taps for each phase of the result."""
    dy, filter = call.step.inputs
    how = {name: v for name, v in call.step.attributes.items() if name != "input_shape"}
    *size, channels, times = call.spec(filter).shape
    if not call.has_floats(dy, filter) or how.get("data_format", "NHWC") != "NHWC" or times != 1:
        return None
    w = window(call.result.shape, size, **how)
    return transposed_depthwise(call, w, dy, partial(_taps, call, filter))


def transposed_depthwise(
    call: GeneratedCall, w: Window, dy: str, taps: Callable[[tuple[Phase, Phase]], Argument]
) -> Generated | None:
    """Return a depthwise convolution for each phase of the result; None if some pixels get nothing.

    Args:
        call: the step.
        w: the windows over the result.
        dy: reference to the input.
        taps: returns the argument for the taps of a phase, [height, width, channels].
    """
    arguments: list[Argument] = [dy, "", call.step.name]
    steps, pairs = call.fused(arguments), phases_of(w)
    if steps is None or pairs is None or w.size[1] > MOST_TAPS:
        return None
    count, _, _, channels = call.result.shape
    kernels: list[Bound] = []
    for pair in pairs:
        images = images_of(pair, w, count, channels)
        kernel = DepthwisePhase(images, _block(images), steps, placement_of(pair, w))
        kernels.append((kernel, (dy, taps(pair), *arguments[2:])))
    return call.generated(*kernels)


def _taps(call: GeneratedCall, filter: str, pair: tuple[Phase, Phase]) -> Argument:
    """Return the argument for the taps of a filter that a phase needs."""
    down, across = pair
    source = np.empty(call.spec(filter).shape, np.float32)
    taps = source[down.taps, across.taps]
    to = np.empty(taps.size, np.float32)
    return copied_argument(call, filter, source, to, [(to.reshape(taps.shape), taps)])


def _block(images: Images) -> int:
    """Return the lines of the result in a task."""
    height, width = images.out_size
    # A product of a depthwise convolution takes some times as long as one of a tile.
    work = 4 * height * width * images.channels * prod(images.size)
    return -(-height // task_count(work, height))
