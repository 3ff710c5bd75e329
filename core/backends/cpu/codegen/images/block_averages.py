"""Downscaled images: each new pixel is the mean of a square block, as by `PIL.Image.reduce`."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.image_layout import LANES
from core.backends.cpu.codegen.ir.kernel_text import Carried, Index, KernelText, Name
from core.backends.cpu.codegen.ir.parameters import ARRAY, WHOLE, Parameters, read_parameters
from core.backends.cpu.codegen.ir.pixels import load_levels, store_levels
from core.backends.cpu.codegen.ir.vectors import Vectors

_LEVELS = f"<{LANES} x i32>"


@dataclass(frozen=True)
class BlockAverages:
    """Means of blocks; a task has some lines of them. Blocks at the right and lower edge are less.

    The parameters: the uint8 image, its height and width and the bytes of a line of it, and a copy
    of its last four bytes; the result with height and width; the lines of a task; the side of a
    block; and what the sums of levels are multiplied by, in units of 2 to the -24: of whole blocks,
    of those at the right, at the bottom, and in the corner.

    Attributes:
        channels: of a pixel, at most 4.
    """

    channels: int

    scratch_bytes = 0

    @property
    def parameters(self) -> Parameters:
        """Return what is given when the kernel is called."""
        image = {"image": ARRAY, "height": WHOLE, "width": WHOLE, "line": WHOLE, "end": ARRAY}
        result = {"result": ARRAY, "rows": WHOLE, "columns": WHOLE, "block": WHOLE}
        factors = dict.fromkeys(("whole", "right", "bottom", "corner"), WHOLE)
        return {**image, **result, "side": WHOLE, **factors}

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        p = read_parameters(k, self.parameters)
        start = k.multiply("%task", p["block"])
        stop = k.smaller(k.add(start, p["block"]), p["rows"])
        with k.loop(start, stop) as lines:
            top = k.multiply(lines.index, p["side"])
            high = k.smaller(p["side"], k.subtract(p["height"], top))
            is_bottom = k.let(f"icmp eq i64 {k.add(lines.index, 1)}, {p['rows']}")
            factors = [
                k.choose(is_bottom, "i64", p[below], p[above])
                for below, above in (("bottom", "whole"), ("corner", "right"))
            ]
            line = k.at(p["image"], k.multiply(top, p["line"]))
            first = k.multiply(lines.index, p["columns"])
            last = k.subtract(p["columns"], 1)
            with k.loop(0, last) as loop:
                left = k.multiply(loop.index, p["side"])
                total = self._sum(
                    k, p, k.at(line, k.multiply(left, self.channels)), high, p["side"]
                )
                count = k.multiply(high, p["side"])
                self._store(k, p, total, (count, factors[0]), k.add(first, loop.index))
            left = k.multiply(last, p["side"])
            wide = k.subtract(p["width"], left)
            total = self._last_sum(k, p, (top, left), high, wide)
            position = k.add(first, last)
            self._store(k, p, total, (k.multiply(high, wide), factors[1]), position)

    def _sum(
        self, k: KernelText, p: Mapping[str, Name], start: Name, high: Index, wide: Index
    ) -> Name:
        """Return the sums of the channels of a block."""
        with k.loop(0, high, carried=[Carried(_LEVELS, "zeroinitializer")]) as rows:
            row = k.at(start, k.multiply(rows.index, p["line"]))
            with k.loop(0, wide, carried=[Carried(_LEVELS, rows.values[0])]) as loop:
                levels = load_levels(k, k.at(row, k.multiply(loop.index, self.channels)))
                loop.next = [k.let(f"add {_LEVELS} {loop.values[0]}, {levels}")]
            rows.next = loop.values
        return rows.values[0]

    def _last_sum(
        self,
        k: KernelText,
        p: Mapping[str, Name],
        corner: tuple[Index, Index],
        high: Index,
        wide: Index,
    ) -> Name:
        """Return the sums of a block at the right edge; nothing behind the image is read."""
        lines = k.multiply(k.subtract(p["height"], 1), p["line"])
        size = k.add(lines, k.multiply(p["width"], self.channels))
        last = k.subtract(size, LANES)
        start = k.add(k.multiply(corner[0], p["line"]), k.multiply(corner[1], self.channels))
        with k.loop(0, high, carried=[Carried(_LEVELS, "zeroinitializer")]) as rows:
            row = k.add(start, k.multiply(rows.index, p["line"]))
            with k.loop(0, wide, carried=[Carried(_LEVELS, rows.values[0])]) as loop:
                offset = k.add(row, k.multiply(loop.index, self.channels))
                is_early = k.is_less(offset, k.add(last, 1))
                late = k.at(p["end"], k.subtract(offset, last))
                pointer = k.choose(is_early, "ptr", k.at(p["image"], offset), f"{late}")
                levels = load_levels(k, pointer)
                loop.next = [k.let(f"add {_LEVELS} {loop.values[0]}, {levels}")]
            rows.next = loop.values
        return rows.values[0]

    def _store(
        self,
        k: KernelText,
        p: Mapping[str, Name],
        total: Name,
        scale: tuple[Index, Index],
        position: Index,
    ) -> None:
        """Write the mean of a block of some pixels, by a factor, at a position."""
        v = Vectors(k, "i32", LANES)
        half, factor = (
            v.repeat(k.let(f"trunc i64 {number} to i32"))
            for number in (k.divide(scale[0], 2), scale[1])
        )
        product = v.of("mul", v.of("add", total, half), factor)
        mean = v.of("lshr", product, v.splat(24))
        store_levels(k, mean, k.at(p["result"], k.multiply(position, self.channels)), self.channels)
