"""Generated convolutions in groups of channels, and depthwise ones with several results each."""

from math import prod

import numpy as np

from core.backends.cpu.codegen.ir.epilogue import Fused
from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.kernels.grouped import (
    GroupPanels,
    GroupProduct,
    Groups,
    NarrowGroups,
)
from core.backends.cpu.codegen.kernels.phases import Phase, images_of, phases_of
from core.backends.cpu.codegen.kernels.products import FILTER, Panels
from core.backends.cpu.codegen.kernels.tile import choose_tile
from core.backends.cpu.codegen.packing import copied_argument
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
    return _product(call, images, groups, arguments, steps, call.constant(filter))


def generate_transposed_groups(call: GeneratedCall, w: Window) -> Generated | None:
    """Return a transposed convolution in groups with steps of 1: a convolution of other taps."""
    dy, filter = call.step.inputs
    *_, depth, results = call.spec(filter).shape
    count = call.result.shape[3] // depth
    arguments: list[Argument] = [dy, "", call.step.name]
    steps, pairs = call.fused(arguments), phases_of(w)
    if steps is None or pairs is None or w.strides != (1, 1):
        return None
    (pair,) = pairs
    images = images_of(pair, w, call.result.shape[0], results)
    arguments[FILTER] = _transposed(call, filter, pair, count)
    return _product(call, images, Groups(count, results // count, depth), arguments, steps)


def _transposed(
    call: GeneratedCall, filter: str, pair: tuple[Phase, Phase], count: int
) -> Argument:
    """Return the argument for taps whose channels and results are exchanged in each group."""
    down, across = pair

    def exchanged(array: np.ndarray) -> np.ndarray:
        taps = array[down.taps, across.taps]
        return taps.reshape(*taps.shape[:3], count, -1).transpose(0, 1, 4, 3, 2)

    weights = call.constant(filter)
    if weights is not None:
        return call.packed(exchanged(weights))
    source = np.empty(call.spec(filter).shape, np.float32)
    groups = exchanged(source)
    to = np.empty(groups.size, np.float32)
    return copied_argument(call, filter, source, to, [(to.reshape(groups.shape), groups)])


def _product(
    call: GeneratedCall,
    images: Images,
    groups: Groups,
    arguments: list[Argument],
    steps: tuple[Fused, ...],
    weights: np.ndarray | None = None,
) -> Generated:
    """Return the kernel that fits groups.

    Args:
        call: the step.
        images: windows over the input.
        groups: the groups.
        arguments: of the kernel.
        steps: the epilogue.
        weights: the filter, if it is constant.
    """
    (height, width), lanes = images.out_size, call.isa.lanes
    work = height * width * groups.results * groups.depth * prod(images.size)
    products = prod(images.size) * groups.depth * groups.vectors(lanes)
    if groups.each < lanes and products <= _MOST_PRODUCTS:
        block = -(-height // task_count(4 * work, height))
        return call.generated((NarrowGroups(images, block, steps, groups), tuple(arguments)))
    few = width if 4 * width > call.isa.registers else height * width
    high, vectors = choose_tile(call.isa, few, groups.each)
    panels = Panels(groups.each, vectors, lanes, weights is None)
    if weights is not None:
        matrix = weights.reshape(-1, groups.results)
        arguments[FILTER] = call.weights(matrix, GroupPanels(panels, groups.count))
    block = -(-height // task_count(work, height))
    kernel = GroupProduct(images, block, panels, high, 1, steps, groups=groups)
    return call.generated((kernel, tuple(arguments)))
