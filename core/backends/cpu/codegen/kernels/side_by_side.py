"""The transposed convolution whose windows lie side by side: a product for each line of them."""

from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import Fused
from core.backends.cpu.codegen.ir.image_windows import Blocks
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText
from core.backends.cpu.codegen.kernels.products import Lines, Panels, Product, X
from core.backends.cpu.codegen.kernels.tile import Depth


@dataclass(frozen=True)
class SideBySide:
    """A pixel times the filter gives a window; a line of windows gives whole lines of the result.

    Attributes:
        lines: lines of all images of the input.
        width: pixels in a line of the input.
        depth: values of a pixel of the input.
        height: lines of a window; the filter has the panels of each one after the other.
        panels: how the values in a line of a window are cut.
        high: most pixels of a tile.
        block: lines of the input in a task.
        steps: the epilogue.
    """

    lines: int
    width: int
    depth: int
    height: int
    panels: Panels
    high: int
    block: int
    steps: tuple[Fused, ...]

    title = "generated transposed convolution"
    scratch_bytes = 0

    @property
    def blocks(self) -> Blocks:
        """Return how lines are cut into tasks."""
        return Blocks(self.lines, self.block)

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.blocks.count

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        product = Product(k, self.panels, Depth(1, 0, self.depth), self.steps)
        x, filter = k.argument(X), product.filter
        line = self.width * self.depth

        def write(first: Index, count: int) -> None:
            lines = Lines(
                count, self.width, self.depth, line, self.high, pitch=self.height * self.width
            )
            here = k.at_float(x, k.multiply(first, line))
            with k.loop(0, self.height) as loop:
                size = self.depth * self.panels.values
                product.filter = k.at_float(filter, k.multiply(loop.index, size))
                row = k.add(k.multiply(first, self.height), loop.index)
                product.over_lines(lines, here, k.multiply(row, self.width))

        self.blocks.write(k, "%task", write)
