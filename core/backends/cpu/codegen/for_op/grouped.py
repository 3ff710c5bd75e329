"""Generated convolutions in groups of channels, and depthwise ones with several results each."""

from math import prod

from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.kernels.grouped import (
    GroupPanels,
    GroupProduct,
    Groups,
    NarrowGroups,
)
from core.backends.cpu.codegen.kernels.tile import choose_tile
from core.backends.cpu.codegen.packing import panels_for
from core.backends.cpu.codegen.step_kernels import (
    Argument,
    Generated,
    GeneratedCall,
    task_count,
)
from core.engine.windows import Window

#: Products of a vector that are written without a loop: more are too much text.
_MOST_PRODUCTS = 160


def generate_groups(call: GeneratedCall, w: Window, groups: Groups) -> Generated | None:
    """Return a convolution in groups, of a filter [height, width, depth, results]."""
    x, filter = call.step.inputs
    arguments: list[Argument] = [x, filter, call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    count, _, _, channels = call.spec(x).shape
    images = Images.of(count, channels, w)
    (height, width), lanes = images.out_size, call.isa.lanes
    work = height * width * groups.results * groups.depth * prod(images.size)
    products = prod(images.size) * groups.depth * groups.vectors(lanes)
    if groups.each < lanes and products <= _MOST_PRODUCTS:
        block = -(-height // task_count(4 * work, height))
        return call.generated((NarrowGroups(images, block, steps, groups), tuple(arguments)))
    few = width if 4 * width > call.isa.registers else height * width
    high, vectors = choose_tile(call.isa, few, groups.each)
    panels = panels_for(call, filter, groups.each, vectors, is_plain=True)
    weights = call.constant(filter)
    if weights is not None:
        matrix = weights.reshape(-1, groups.results)
        arguments[1] = call.weights(matrix, GroupPanels(panels, groups.count))
    block = -(-height // task_count(work, height))
    kernel = GroupProduct(images, block, panels, high, 1, steps, groups=groups)
    return call.generated((kernel, tuple(arguments)))
