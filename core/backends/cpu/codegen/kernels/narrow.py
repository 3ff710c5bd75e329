"""Products with so few results a pixel that vectors hold pixels, not channels."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import Epilogue, Fused, Span
from core.backends.cpu.codegen.ir.image_windows import Blocks
from core.backends.cpu.codegen.ir.kernel_text import Carried, Index, KernelText, Name
from core.backends.cpu.codegen.ir.shuffles import interleaved, transposed
from core.backends.cpu.codegen.kernels.products import FILTER, RESULT, X

#: Results of a pixel that such a product has at most.
MOST_RESULTS = 4


@dataclass(frozen=True)
class NarrowSideBySide:
    """A transposed convolution whose windows lie side by side, with few values in a window.

    Squares of pixels and their values are transposed: a vector has one value of some pixels.

    Attributes:
        lines: lines of all images of the input.
        width: pixels in a line of the input.
        depth: values of a pixel of the input.
        size: lines of a window, and values in a line of it; the filter is [depth, *size].
        block: lines of the input in a task.
        steps: the epilogue, without operands for each channel.
    """

    lines: int
    width: int
    depth: int
    size: tuple[int, int]
    block: int
    steps: tuple[Fused, ...]

    title = "generated transposed convolution"
    scratch_bytes = 0

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return Blocks(self.lines, self.block).count

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        pointers, epilogue = [k.argument(i) for i in (X, FILTER, RESULT)], Epilogue(k, self.steps)
        start = k.multiply("%task", self.block)
        stop = k.smaller(k.add(start, self.block), self.lines)
        full = self.width // k.isa.lanes * k.isa.lanes
        with k.loop(start, stop) as lines:
            if full:
                with k.loop(0, full, k.isa.lanes) as loop:
                    self._pixels(k, pointers, epilogue, (lines.index, loop.index), k.isa.lanes)
            if full < self.width:
                self._pixels(k, pointers, epilogue, (lines.index, full), self.width - full)

    def _pixels(
        self,
        k: KernelText,
        pointers: Sequence[Name],
        epilogue: Epilogue,
        position: tuple[Index, Index],
        pixels: int,
    ) -> None:
        """Write the windows of some pixels of a line, which begin at a line and a column."""
        (x, filter, result), (line, column), (high, wide) = pointers, position, self.size
        lanes = k.isa.lanes
        pixel = k.add(k.multiply(line, self.width), column)
        sums = self._sums(k, k.at_float(x, k.multiply(pixel, self.depth)), filter, pixels)
        for row in range(high):
            above = k.add(k.multiply(line, high), row)
            offset = k.add(k.multiply(above, self.width), column)
            offset = k.multiply(offset, wide)
            values = interleaved(k, sums[row * wide : (row + 1) * wide])
            for i in range(-(-pixels * wide // lanes)):
                left = pixels * wide - i * lanes
                at = k.add(offset, i * lanes)
                here = Span(at, 0, None if left >= lanes else left)
                k.store(epilogue.apply(values[i], here), k.at_float(result, at), count=here.count)

    def _sums(self, k: KernelText, x: Name, filter: Name, pixels: int) -> list[Name]:
        """Return the values of windows, each as a vector of pixels."""
        lanes, results = k.isa.lanes, self.size[0] * self.size[1]

        def added(values: Sequence[Name], first: Index, count: int) -> list[Name]:
            here, some = k.at_float(x, first), None if count == lanes else count
            weights = k.at_float(filter, k.multiply(first, results))
            rows = [k.load(here, i * self.depth, some) for i in range(pixels)]
            columns = transposed(k, rows + [k.zero] * (lanes - pixels))
            made = list(values)
            for i in range(count):
                for j in range(results):
                    made[j] = k.fma(columns[i], k.repeat(weights, i * results + j), made[j])
            return made

        full = self.depth // lanes * lanes
        sums = [k.zero] * results
        if full:
            with k.loop(0, full, lanes, [Carried(k.vector, s) for s in sums]) as loop:
                loop.next = added(loop.values, loop.index, lanes)
            sums = loop.values
        return added(sums, full, self.depth - full) if full < self.depth else sums
