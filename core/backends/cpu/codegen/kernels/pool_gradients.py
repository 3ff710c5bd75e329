"""The gradient of max pooling: to the first of the largest values of each window."""

from dataclasses import dataclass

from core.backends.cpu.codegen.ir.image_windows import Images, zero_values
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name
from core.backends.cpu.codegen.kernels.window_lines import inside

#: Positions of the arguments.
DY, X, RESULT = 0, 1, 2


@dataclass(frozen=True)
class MaxPoolGradient:
    """The gradient of max pooling; a task has an image, since windows may have pixels in common.

    Attributes:
        images: how windows lie over the images.
    """

    images: Images

    title = "generated max pool gradient"
    scratch_bytes = 0

    @property
    def tasks(self) -> int:
        """Return the number of tasks."""
        return self.images.count

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        images, (height, width) = self.images, self.images.out_size
        size = images.in_size[0] * images.line
        start = k.multiply("%task", size)
        x, result = (k.at_float(k.argument(i), start) for i in (X, RESULT))
        pixels = k.multiply("%task", height * width)
        dy = k.at_float(k.argument(DY), k.multiply(pixels, images.channels))
        zero_values(k, result, size)
        with k.loop(0, height) as lines:
            rows, top = inside(k, images, 0, lines.index)
            with k.loop(0, width) as columns:
                across, left = inside(k, images, 1, columns.index)
                here = k.add(k.multiply(top, images.line), k.multiply(left, images.channels))
                pixel = k.add(k.multiply(lines.index, width), columns.index)
                gradient = k.at_float(dy, k.multiply(pixel, images.channels))
                window = k.at_float(x, here), k.at_float(result, here), gradient
                self._channels(k, window, rows, across)

    def _channels(
        self,
        k: KernelText,
        window: tuple[Name, Name, Name],
        rows: tuple[Index, Index],
        columns: tuple[Index, Index],
    ) -> None:
        """Write all channels of a window.

        Args:
            k: the kernel's text.
            window: pointers to its first pixel in the input and in the result, and to its gradient.
            rows: its first row over the image, and the end of those.
            columns: likewise its columns.
        """
        channels, lanes = self.images.channels, k.isa.lanes
        full = channels // lanes * lanes

        def write(channel: Index, count: int | None) -> None:
            x, result, dy = (k.at_float(pointer, channel) for pointer in window)
            winner = self._winner(k, x, rows, columns, count)
            gradient = k.load(dy, count=count)
            with k.loop(*rows) as down, k.loop(*columns) as across:
                address = self._address(k, result, down.index, across.index)
                wins = k.compare("oeq", winner, self._number(k, down.index, across.index))
                share = k.select(wins, gradient, k.zero)
                k.store(k.of("fadd", k.load(address, count=count), share), address, count=count)

        if full:
            with k.loop(0, full, lanes) as loop:
                write(loop.index, None)
        if full < channels:
            write(full, channels - full)

    def _winner(
        self,
        k: KernelText,
        x: Name,
        rows: tuple[Index, Index],
        columns: tuple[Index, Index],
        count: int | None,
    ) -> Name:
        """Return the number of the first of the largest values; -1 if none is above -inf."""
        first = [Carried(k.vector, k.splat(float("-inf"))), Carried(k.vector, k.splat(-1.0))]
        with k.loop(*rows, carried=first) as down:
            inner = [c._replace(first=v) for c, v in zip(first, down.values, strict=True)]
            with k.loop(*columns, carried=inner) as across:
                best, number = across.values
                value = k.load(self._address(k, x, down.index, across.index), count=count)
                wins = k.compare("ogt", value, best)
                here = self._number(k, down.index, across.index)
                across.next = [k.select(wins, value, best), k.select(wins, here, number)]
            down.next = across.values
        return down.values[1]

    def _address(self, k: KernelText, pixel: Name, row: Index, column: Index) -> Name:
        """Return a pointer to a value of a window."""
        down, across = self.images.dilations
        here = k.at(pixel, k.multiply(row, FLOAT * down * self.images.line))
        return k.at_float(here, k.multiply(column, across * self.images.channels))

    def _number(self, k: KernelText, row: Index, column: Index) -> Name:
        """Return a vector with the number of a value of a window."""
        number = k.add(k.multiply(row, self.images.size[1]), column)
        return k.spread(k.let(f"sitofp i64 {number} to float"))
