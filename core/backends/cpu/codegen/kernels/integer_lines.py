"""Images of bytes as integer kernels read them: lines that are copied with their borders."""

from dataclasses import dataclass

from core.backends.cpu.aligned import CACHE_LINE
from core.backends.cpu.codegen.ir.image_windows import Images
from core.backends.cpu.codegen.ir.integer_vectors import copy_bytes, fill_bytes
from core.backends.cpu.codegen.ir.kernel_text import Index, KernelText, Name

#: The most bytes that a kernel loads at once, of which it may use the first ones only.
_BEHIND = 4 * CACHE_LINE


@dataclass(frozen=True)
class IntegerLines:
    """Lines of images of bytes, copied to the memory of a task.

    Attributes:
        images: how windows lie over the images.
        size: bytes of a value in the copy: 1, or 2 for int16 without the byte of 0.
        zero: the byte of 0, which stands around images.
    """

    images: Images
    size: int
    zero: int

    @property
    def line(self) -> int:
        """Return the bytes of a line in the copy."""
        return self.images.copied_line * self.size

    def scratch_bytes(self, lines: int) -> int:
        """Return the bytes of the lines that some lines of windows read."""
        behind = _BEHIND + 4 * self.images.channels * self.size
        return self.images.lines_for(lines) * self.line + behind

    def copy(self, k: KernelText, image: Name, first: Index, lines: int, to: Name) -> None:
        """Write a loop that copies the lines that lines of windows read, with borders.

        Args:
            k: the kernel's text.
            image: pointer to the image.
            first: first line of windows.
            lines: lines of windows.
            to: pointer to where the lines go.
        """
        images, size = self.images, self.size
        (height, width), (top, side) = images.in_size, (images.padding[0][0], images.padding[1][0])
        left, skipped = max(side, 0), max(-side, 0)
        start = k.subtract(k.multiply(first, images.strides[0]), top)
        kept = min(width - skipped, images.reach[1] - left) * images.channels
        before = left * images.channels
        after = images.copied_line - before - kept
        border = self.zero if size == 1 else 0
        with k.loop(0, images.lines_for(lines)) as loop:
            target = k.at(to, k.multiply(loop.index, self.line))
            line = k.add(start, loop.index)
            inside = k.let(f"and i1 {k.is_less(-1, line)}, {k.is_less(line, height)}")
            with k.when(inside):
                source = k.at(image, k.multiply(line, images.line))
                source = k.at(source, skipped * images.channels)
                fill_bytes(k, target, before * size, border)
                copy_bytes(k, source, k.at(target, before * size), kept, size, self.zero)
                fill_bytes(k, k.at(target, (before + kept) * size), after * size, border)
            with k.when(k.let(f"xor i1 {inside}, true")):
                fill_bytes(k, target, self.line, border)
