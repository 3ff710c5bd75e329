"""Generated depthwise convolutions."""

from math import prod

from core.backends.cpu.codegen.depthwise import Depthwise, is_depthwise
from core.backends.cpu.codegen.images import Images
from core.backends.cpu.codegen.kernels import (
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.windows import window


@generates("depthwise_conv2d")
def generate_depthwise(call: GeneratedCall) -> Generated | None:
    """Generate a depthwise convolution with a constant filter that has one result a channel."""
    if not is_depthwise(call, call.step):
        return None
    x, filter = call.step.inputs
    arguments: list[Argument] = [x, filter, call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    count, _, _, channels = call.spec(x).shape
    size = call.spec(filter).shape[:2]
    w = window(call.spec(x).shape, size, **call.step.attributes)
    images = Images.of(count, channels, w)
    # A product of a depthwise convolution takes some times as long as one of a tile.
    work = 4 * w.out_size[0] * w.out_size[1] * channels * prod(size)
    block = -(-w.out_size[0] // task_count(work, w.out_size[0]))
    return Generated(((Depthwise(images, block, steps), tuple(arguments)),))
