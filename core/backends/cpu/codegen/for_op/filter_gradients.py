"""Generated gradients of filters."""

from math import prod

from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.ir.kernel_text import FLOAT
from core.backends.cpu.codegen.kernels.depthwise import MOST_TAPS
from core.backends.cpu.codegen.kernels.filter_gradients import (
    DepthwiseFilterGradient,
    FilterGradient,
    FilterSums,
    GroupFilterGradient,
)
from core.backends.cpu.codegen.kernels.grouped import Groups
from core.backends.cpu.codegen.kernels.products import Panels
from core.backends.cpu.codegen.kernels.reductions import Reduction
from core.backends.cpu.codegen.kernels.tile import choose_tile
from core.backends.cpu.codegen.step_kernels import (
    MOST_TASKS,
    Argument,
    Generated,
    GeneratedCall,
    generates,
    task_count,
)
from core.engine.windows import Window, window

#: Pixels whose products are added up in registers before these go to memory.
_PIXELS = 512

#: Bytes of the sums of all tasks at most.
_MOST_BYTES = 1 << 23

#: Sums in registers of the depthwise gradient: other values need the rest.
_KEPT = 2 / 3


@generates("conv2d_backprop_filter")
def generate_filter_gradient(call: GeneratedCall) -> Generated | None:
    """Generate the product of the windows over the input, transposed, and the gradient."""
    x, _ = call.step.inputs
    w = _windows(call)
    *size, channels, wide = call.result.shape
    if w is None:
        return None
    count, _, _, whole = call.spec(x).shape
    images = _flat(Images.of(count, whole, w))
    if channels != whole:
        return _in_groups(call, images)
    if _has_gaps(w):
        return None
    high, vectors = choose_tile(call.isa, size[0] * size[1] * channels, wide)
    panels = Panels(wide, vectors, call.isa.lanes, direct=True)
    work = images.count * images.out_size[0] * images.out_size[1] * call.result.size
    block, tasks = _cut(call, images, work)
    return _summed(call, FilterGradient(images, wide, block, tasks, panels, high))


def _in_groups(call: GeneratedCall, images: Images) -> Generated | None:
    """Return the gradient of a filter of which each group of channels has its own results."""
    *_, depth, results = call.result.shape
    count = images.channels // depth
    groups = Groups(count, depth, results // count)
    high, vectors = choose_tile(call.isa, groups.depth, groups.each)
    panels = Panels(groups.each, vectors, call.isa.lanes, direct=True)
    work = images.count * images.out_size[0] * images.out_size[1] * call.result.size
    block, tasks = _cut(call, images, work)
    kernel = GroupFilterGradient(images, groups.results, block, tasks, panels, high, groups)
    return _summed(call, kernel)


@generates("depthwise_conv2d_backprop_filter")
def generate_depthwise_filter_gradient(call: GeneratedCall) -> Generated | None:
    """Generate the sums of products of pixels and gradients, for each tap of each channel."""
    w = _windows(call)
    *_, channels, times = call.result.shape
    if w is None or times != 1 or prod(w.size) > MOST_TAPS:
        return None
    images = Images.of(call.spec(call.step.inputs[0]).shape[0], channels, w)
    rows = max(1, int(_KEPT * call.isa.registers) // w.size[1])
    work = 8 * images.count * images.out_size[0] * images.out_size[1] * call.result.size
    block, tasks = _cut(call, images, work)
    return _summed(call, DepthwiseFilterGradient(images, channels, block, tasks, rows))


def _windows(call: GeneratedCall) -> Window | None:
    """Return the windows over the input; None if channels come first, or values are no floats."""
    x, dy = call.step.inputs
    how = {name: v for name, v in call.step.attributes.items() if name != "filter_shape"}
    if not call.has_floats(x, dy) or how.get("data_format", "NHWC") != "NHWC":
        return None
    return window(call.spec(x).shape, call.result.shape[:2], **how)


def _has_gaps(w: Window) -> bool:
    """Return whether the pixels of a line of a window are not adjacent."""
    return w.dilations[1] > 1 and w.size[1] > 1


def _flat(images: Images) -> Images:
    """Return windows of one pixel, next to each other, as one image of long lines."""
    if images.size != (1, 1) or images.strides != (1, 1) or images.has_padding:
        return images
    pixels = images.count * images.in_size[0] * images.in_size[1]
    width = next(n for n in range(min(_PIXELS, pixels), 0, -1) if pixels % n == 0)
    size, none = (pixels // width, width), ((0, 0), (0, 0))
    return Images(1, images.channels, size, size, (1, 1), (1, 1), (1, 1), none)


def _cut(call: GeneratedCall, images: Images, work: int) -> tuple[int, int]:
    """Return the lines that are processed at a time, and the number of tasks."""
    height, width = images.out_size
    most = max(1, min(height, _PIXELS // width))
    block = next(n for n in range(most, 0, -1) if height % n == 0)
    fitting = max(1, _MOST_BYTES // (FLOAT * call.result.size))
    most_tasks = min(MOST_TASKS, fitting, images.count * height // block)
    return block, task_count(work, most_tasks)


def _summed(call: GeneratedCall, kernel: FilterSums) -> Generated | None:
    """Return the kernel of the sums of tasks, and the one that adds them up."""
    x, dy = call.step.inputs
    size = kernel.values
    sums = call.temporary(kernel.tasks * size)
    arguments: list[Argument] = [sums, call.step.name]
    steps = call.fused(arguments)
    if steps is None:
        return None
    block = -(-size // task_count(kernel.tasks * size, size))
    total = Reduction("sum", 1, kernel.tasks, size, block, steps)
    return call.generated((kernel, (x, dy, sums)), (total, tuple(arguments)))
