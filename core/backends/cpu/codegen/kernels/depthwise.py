"""The depthwise convolution: each channel by itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Fused, Span
from core.backends.cpu.codegen.ir.image_windows import Images, LineTasks, Placement
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.products import FILTER, RESULT, Lines, Panels, Product, X
from core.backends.cpu.codegen.kernels.tile import Depth
from core.backends.cpu.codegen.kernels.window_lines import (
    Group,
    Reduction,
    WindowKernel,
    WindowLines,
)
from core.backends.cpu.codegen.step_kernels import GeneratedCall
from core.engine.backends import REPLACED
from core.engine.program import Step

#: Position of the filter of the depthwise convolution before a product.
INNER_FILTER = 3

#: The most taps of a filter that have instructions of their own: 65,535 columns would be a text of
#: 100 MB, which takes minutes to compile.
MOST_TAPS = 512


def is_depthwise(call: GeneratedCall, step: Step) -> bool:
    """Return whether a step is a depthwise convolution with one result for each channel."""
    if step.op.name != "depthwise_conv2d" or (step.op.name, "cpu") in REPLACED:
        return False
    x, filter = step.inputs
    is_usual = step.attributes.get("data_format", "NHWC") == "NHWC"
    _, width, _, times = call.spec(filter).shape
    return is_usual and times == 1 and width <= MOST_TAPS and call.has_floats(x, filter)


class FilterSum:
    """The sum of the products with a filter.

    Args:
        k: the kernel's text.
        filter: pointer to the filter [height, width, channels].
        images: how windows lie over the images.
        epilogue: what follows the sums, which begin with its bias.
    """

    def __init__(self, k: KernelText, filter: Name, images: Images, epilogue: Epilogue):
        self._k, self._filter, self._epilogue = k, filter, epilogue
        self._wide, self._channels = images.size[1], images.channels
        self.has_bias = epilogue.bias is not None

    def start(self, span: Span) -> Name:
        """Return the bias, or zeros."""
        bias = self._epilogue.bias
        return self._k.zero if bias is None else self._epilogue.channel_values(bias, span)

    def add_row(
        self, group: Group, x: Name, row: Index, span: Span, values: Sequence[Name]
    ) -> list[Name]:
        """Add products with a row of the filter; a pixel that several windows read is read once."""
        k, wide, channels = self._k, self._wide, self._channels
        filter = k.at_float(
            k.at_float(self._filter, span.channel), k.multiply(row, wide * channels)
        )
        weights: dict[int, Name] = {}
        pixels: dict[int, Name] = {}
        made = list(values)
        for i, columns in enumerate(group.columns):
            for column, at in columns:
                if column not in weights:
                    weights[column] = k.load(filter, column * channels, span.count)
                if at not in pixels:
                    pixels[at] = k.load(x, at * channels, span.count)
                made[i] = k.fma(pixels[at], weights[column], made[i])
        return made

    def end(self, value: Name, columns: int, rows: Index) -> Name:
        """Return the sum."""
        return value


@dataclass(frozen=True)
class Depthwise(WindowKernel):
    """A depthwise convolution; the arguments are the input, the filter, the result, operands."""

    title = "generated depthwise"
    positions: ClassVar[tuple[int, int]] = (X, RESULT)

    def reduction(self, k: KernelText, epilogue: Epilogue) -> Reduction:
        """Return the sum of the products with the filter."""
        return FilterSum(k, k.argument(FILTER), self.images, epilogue)


@dataclass(frozen=True)
class DepthwisePhase(Depthwise):
    """A depthwise convolution whose pixels are strided in the result.

    Attributes:
        apart: where they go.
    """

    apart: Placement

    title = "generated transposed depthwise"

    @property
    def placement(self) -> Placement:
        """Return the placement of the pixels in the result."""
        return self.apart


@dataclass(frozen=True)
class DepthwiseProduct(LineTasks):
    """A depthwise convolution, and the product of its pixels with a filter, as one kernel.

    A task computes some lines of the depthwise convolution into its own memory, which stay in the
    cache until the product has read them: they never go to memory, nor to another thread.

    Attributes:
        inner: the epilogue of the depthwise convolution.
        panels: how the channels of the product are cut.
        high: most pixels of a tile.
        steps: the epilogue of the product.
    """

    inner: tuple[Fused, ...]
    panels: Panels
    high: int
    steps: tuple[Fused, ...]

    title = "generated depthwise + product"

    @property
    def scratch_bytes(self) -> int:
        """Return the bytes of the lines between both."""
        return FLOAT * self.block * self.images.out_size[1] * self.images.channels

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        images, (height, width) = self.images, self.images.out_size
        x, filter = k.argument(X), k.argument(INNER_FILTER)
        epilogue = Epilogue(k, self.inner)
        lines = WindowLines(k, images, FilterSum(k, filter, images, epilogue), epilogue)
        product = Product(k, self.panels, Depth(1, 0, images.channels), self.steps)
        image = k.divide("%task", self.blocks.count)
        source = k.at(x, k.multiply(image, FLOAT * images.in_size[0] * images.line))

        def write(first: Index, count: int) -> None:
            with k.loop(0, count) as loop:
                pixel = k.multiply(loop.index, width)
                lines.write(source, k.add(first, loop.index), "%scratch", pixel)
            pixel = k.multiply(k.add(k.multiply(image, height), first), width)
            flat = Lines(1, count * width, images.channels, 0, self.high)
            product.over_lines(flat, "%scratch", pixel)

        self.blocks.write(k, k.remainder("%task", self.blocks.count), write)
