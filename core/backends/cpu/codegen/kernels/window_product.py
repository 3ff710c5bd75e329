"""Kernels of products of windows: convolutions that read images as they lie in memory."""

from dataclasses import dataclass

from core.backends.cpu.codegen.ir.epilogue import Fused
from core.backends.cpu.codegen.ir.image_windows import LineTasks, Placement
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.products import Lines, Panels, Product, X, panels_of_task
from core.backends.cpu.codegen.kernels.tile import Depth


@dataclass(frozen=True)
class WindowProduct(LineTasks):
    """The product of windows and a filter: convolutions of any size, stride and dilation.

    The pixels of a line of a window lie side by side in memory, so a sum reads one run for each
    line of the window, and no window is written out. Where windows reach over the edge, a task
    first copies the lines that it reads, with zeros around them.

    Attributes:
        panels: how channels are cut.
        high: most pixels of a tile.
        panel_tasks: parts of the channels that are tasks.
        steps: the epilogue.
        placement: where the pixels go; None if they are the whole result.
    """

    panels: Panels
    high: int
    panel_tasks: int
    steps: tuple[Fused, ...]
    placement: Placement | None = None

    title = "generated convolution"

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return super().tasks * self.panel_tasks

    @property
    def scratch_bytes(self) -> int:
        """Return the bytes of the lines that a task copies."""
        if not self.images.has_padding:
            return 0
        return FLOAT * self.images.lines_for(self.block) * self.images.copied_line

    @property
    def _depth(self) -> Depth:
        images = self.images
        line = images.copied_line if images.has_padding else images.line
        height, width = images.size
        down, across = images.dilations[0] * line, images.dilations[1] * images.channels
        if images.dilations[1] == 1 or width == 1:
            return Depth(height, down, width * images.channels)
        return Depth(width, across, images.channels, 1, height, down)

    def product(self, k: KernelText) -> Product:
        """Return what writes products."""
        return Product(k, self.panels, self._depth, self.steps)

    def over_lines(
        self, product: Product, lines: Lines, x: Name, pixel: Index, panels: tuple[Index, Index]
    ) -> None:
        """Write the product of lines and panels, the first of these and their end."""
        product.over_lines(lines, x, pixel, *panels)

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        images, per_image = self.images, self.blocks.count
        product = self.product(k)
        x = k.argument(X)
        all_blocks = images.count * per_image
        start, stop = panels_of_task(k, self.panels, all_blocks, self.panel_tasks)
        task = k.remainder("%task", all_blocks) if self.panel_tasks > 1 else "%task"
        image = k.divide(task, per_image)
        source = k.at_float(x, k.multiply(image, images.in_size[0] * images.line))
        width = images.out_size[1]
        placement = self.placement or Placement(images.out_size)

        def write(first: Index, lines: int) -> None:
            line = images.line
            here = k.at_float(source, k.multiply(first, images.strides[0] * line))
            top, left = (before for before, _ in images.padding)
            here = k.at_float(here, -top * line - left * images.channels)
            if images.has_padding:
                line, here = images.copied_line, "%scratch"
                images.copy_lines(k, source, first, lines, here)
            step, stride = images.strides[1] * images.channels, images.strides[0] * line
            down, across = placement.steps
            of_lines = Lines(
                lines, width, step, stride, self.high, across, placement.size[1] * down
            )
            pixel = placement.pixel(k, image, first)
            self.over_lines(product, of_lines, here, pixel, (start, stop))

        self.blocks.write(k, k.remainder(task, per_image), write)
