"""Pooling of large windows: down the lines of an image first, then along the line that is left."""

from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Span
from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.pooling import Average, Fold, Largest
from core.backends.cpu.codegen.kernels.window_lines import WindowKernel, WindowLines, taps_inside

#: Vectors that are combined down the lines together.
_TOGETHER = 4


@dataclass(frozen=True)
class SeparatePooling(WindowKernel):
    """The largest values or the averages; the arguments are the input, the result, operands.

    Attributes:
        is_average: whether averages are taken.
    """

    is_average: bool

    title = "generated pooling of large windows"

    @property
    def scratch_bytes(self) -> int:  # type: ignore[override]
        """Return the bytes of the line between both steps."""
        return FLOAT * self.images.line

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        images, (height, width) = self.images, self.images.out_size
        x, result = (k.argument(i) for i in self.positions)
        fold: Fold = (Average if self.is_average else Largest)(k, images.channels)
        along = WindowLines(k, _one_line(images), fold, Epilogue(k, self.steps))
        image = k.divide("%task", self.blocks.count)
        source = k.at_float(x, k.multiply(image, images.in_size[0] * images.line))
        start = k.multiply(k.remainder("%task", self.blocks.count), self.block)
        stop = k.smaller(k.add(start, self.block), height)
        with k.loop(start, stop) as loop:
            top = k.subtract(k.multiply(loop.index, images.strides[0]), images.padding[0][0])
            rows = taps_inside(k, images, 0, top)
            self._down(k, fold, k.at_float(source, k.multiply(top, images.line)), rows)
            if isinstance(fold, Average):
                fold.lines = k.subtract(rows[1], rows[0])
            pixel = k.multiply(k.add(k.multiply(image, height), loop.index), width)
            along.write("%scratch", 0, result, pixel)

    def _down(self, k: KernelText, fold: Fold, x: Name, rows: tuple[Index, Index]) -> None:
        """Write the combination of some rows of a window, for all pixels of a line."""
        images, lanes = self.images, k.isa.lanes

        def write(first: Index, values: int) -> None:
            starts = range(0, values, lanes)
            counts = [None if values - i >= lanes else values - i for i in starts]
            carried = [Carried(k.vector, fold.start(Span(0, 0)))] * len(counts)
            here = k.at_float(x, first)
            with k.loop(*rows, carried=carried) as loop:
                down = k.multiply(loop.index, images.dilations[0] * images.line)
                line = k.at_float(here, down)
                pixels = [k.load(line, i * lanes, count) for i, count in enumerate(counts)]
                pairs = zip(loop.values, pixels, strict=True)
                loop.next = [fold.combined(value, pixel) for value, pixel in pairs]
            to = k.at_float("%scratch", first)
            for i, value in enumerate(loop.values):
                k.store(value, to, i * lanes, counts[i])

        step = _TOGETHER * lanes
        full = images.line // step * step
        if full:
            with k.loop(0, full, step) as loop:
                write(loop.index, step)
        if full < images.line:
            write(full, images.line - full)


def _one_line(images: Images) -> Images:
    """Return the windows along a line whose pixels stand for those of several lines."""
    return Images(
        1,
        images.channels,
        (1, images.in_size[1]),
        (1, images.out_size[1]),
        (1, images.size[1]),
        (1, images.strides[1]),
        (1, images.dilations[1]),
        ((0, 0), images.padding[1]),
    )
