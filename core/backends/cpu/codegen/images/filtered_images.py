"""Images resized by a filter, as Pillow does it on bytes: in two passes.

The first mixes pixels along the lines and rounds them to bytes, the second mixes lines. Weights
are integers in units of 2 to the -22, and sums are exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.image_layout import LANES, PRECISION, pixels_of_vector
from core.backends.cpu.codegen.ir.kernel_text import Carried, Index, KernelText, Name
from core.backends.cpu.codegen.ir.parameters import ARRAY, WHOLE, Parameters, read_parameters
from core.backends.cpu.codegen.ir.pixels import store_levels
from core.backends.cpu.codegen.ir.vectors import Vectors

#: Lines of the image that share the weights in registers.
_LINES = 4

_WORD = 4


class _Integers(Vectors):
    """Vectors of integers of 32 bits: levels, and sums of weighted ones.

    Args:
        k: the kernel's text.
    """

    def __init__(self, k: KernelText):
        super().__init__(k, "i32", k.isa.lanes)
        self.bytes = Vectors(k, "i8", k.isa.lanes)

    def load_bytes(self, pointer: Name) -> Name:
        """Return bytes from memory as integers."""
        return self.bytes.cast("zext", self.bytes.load(pointer), self)

    def level(self, total: Name) -> Name:
        """Return sums of weighted levels, rounded to levels."""
        total, most = self.of("lshr", total, self.splat(PRECISION)), self.splat(255)
        return self.select(self.compare("icmp ult", total, most), total, most)

    @property
    def half(self) -> str:
        """Return the initial value of sums."""
        return self.splat(1 << (PRECISION - 1))


@dataclass(frozen=True)
class FilteredLines:
    """Lines of bytes, of another number of pixels; a task has some of them.

    A vector has whole pixels, and weights of 0 where it has more bytes.

    The parameters: the first line of the uint8 image, the number of lines, their distance in bytes,
    and a copy of the last line that may be read beyond its end; the result, the distance of its
    lines and its pixels in a line; the lines of a task; and of each new pixel the offset of the
    first byte, and the weights of all bytes, of so many vectors each.

    Attributes:
        channels: of a pixel, at most 4.
    """

    channels: int

    scratch_bytes = 0

    @property
    def parameters(self) -> Parameters:
        """Return what is given when the kernel is called."""
        image = {"image": ARRAY, "lines": WHOLE, "line": WHOLE, "end": ARRAY}
        result = {"result": ARRAY, "result_line": WHOLE, "columns": WHOLE, "block": WHOLE}
        return {**image, **result, "starts": ARRAY, "weights": ARRAY, "vectors": WHOLE}

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        p = read_parameters(k, self.parameters)
        start = k.multiply("%task", p["block"])
        stop = k.smaller(k.add(start, p["block"]), p["lines"])
        last = k.subtract(p["lines"], 1)
        with k.loop(start, stop, _LINES) as loop:
            # At the end of a task lines are computed twice rather than by another text.
            numbers = [k.smaller(k.add(loop.index, i), k.subtract(stop, 1)) for i in range(_LINES)]
            sources = []
            for number in numbers:
                is_last = k.let(f"icmp eq i64 {number}, {last}")
                line = k.at(p["image"], k.multiply(number, p["line"]))
                sources.append(k.choose(is_last, "ptr", p["end"], line))
            results = [k.at(p["result"], k.multiply(n, p["result_line"])) for n in numbers]
            with k.loop(0, p["columns"]) as columns:
                self._pixel(k, p, columns.index, list(zip(sources, results, strict=True)))

    def _pixel(
        self,
        k: KernelText,
        p: Mapping[str, Name],
        column: Index,
        lines: Sequence[tuple[Name, Name]],
    ) -> None:
        """Write a pixel of some lines."""
        v, step = _Integers(k), pixels_of_vector(k.isa.lanes, self.channels) * self.channels
        offset = k.let(f"load i64, ptr {k.at(p['starts'], k.multiply(column, 8))}, align 8")
        size = k.multiply(p["vectors"], k.isa.lanes * _WORD)
        weights = k.at(p["weights"], k.multiply(column, size))
        sources = [k.at(source, offset) for source, _ in lines]
        none = [Carried(v.type, "zeroinitializer") for _ in lines]
        with k.loop(0, p["vectors"], carried=none) as loop:
            weight = v.load(k.at(weights, k.multiply(loop.index, k.isa.lanes * _WORD)))
            at = k.multiply(loop.index, step)
            loop.next = [
                v.of("add", total, v.of("mul", v.load_bytes(k.at(source, at)), weight))
                for total, source in zip(loop.values, sources, strict=True)
            ]
        for total, (_, result) in zip(loop.values, lines, strict=True):
            level = v.level(v.of("add", self._summed(k, total), v.half))
            first = ", ".join(f"i32 {i}" for i in range(LANES))
            both = f"{v.type} {level}, {v.type} poison"
            pixel = k.let(f"shufflevector {both}, <{LANES} x i32> <{first}>")
            store_levels(k, pixel, k.at(result, k.multiply(column, self.channels)), self.channels)

    def _summed(self, k: KernelText, total: Name) -> Name:
        """Return the sums of the channels of all pixels of a vector, in its first lanes."""
        lanes, v = k.isa.lanes, _Integers(k)
        pixels = pixels_of_vector(lanes, self.channels)
        while pixels > 1:
            half = -(-pixels // 2)  # pixels that stay; the others are added to the first of them
            order = []
            for lane in range(lanes):
                is_added = lane < (pixels - half) * self.channels
                order.append(lane + half * self.channels if is_added else lanes)
            moved = k.let(
                f"shufflevector {v.type} {total}, {v.type} zeroinitializer, "
                f"{v.type} <{', '.join(f'i32 {lane}' for lane in order)}>"
            )
            total = v.of("add", total, moved)
            pixels = half
        return total


@dataclass(frozen=True)
class MixedLines:
    """Lines mixed of lines of bytes, as numbers or as bytes; a task has some of them.

    Lines may be read beyond their end, by less than a vector.

    The parameters: the lines, and their distance in bytes; the result, its number of lines, the
    values in a line, and the distance of lines in values; the lines of a task; of each new line the
    first old one, how many there are, and their weights, of so many at most; and by what each value
    of a line is divided, and what is subtracted.

    Attributes:
        dtype: of the result, ``"float32"`` or ``"uint8"``; the latter are neither divided nor
            subtracted from.
    """

    dtype: str

    scratch_bytes = 0

    @property
    def parameters(self) -> Parameters:
        """Return what is given when the kernel is called."""
        image = {"image": ARRAY, "line": WHOLE}
        result = {"result": ARRAY, "rows": WHOLE, "values": WHOLE, "result_line": WHOLE}
        weights = {"firsts": ARRAY, "counts": ARRAY, "weights": ARRAY, "most": WHOLE}
        return {**image, **result, "block": WHOLE, **weights, "divide": ARRAY, "subtract": ARRAY}

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        p, v = read_parameters(k, self.parameters), _Integers(k)
        start = k.multiply("%task", p["block"])
        stop = k.smaller(k.add(start, p["block"]), p["rows"])
        with k.loop(start, stop) as rows:
            first, count = (
                k.let(f"load i64, ptr {k.at(p[name], k.multiply(rows.index, 8))}, align 8")
                for name in ("firsts", "counts")
            )
            source = k.at(p["image"], k.multiply(first, p["line"]))
            weights = k.at(p["weights"], k.multiply(k.multiply(rows.index, p["most"]), _WORD))
            result = k.multiply(rows.index, p["result_line"])
            with k.loop(0, p["values"], k.isa.lanes) as loop:
                column = k.at(source, loop.index)
                with k.loop(0, count, carried=[Carried(v.type, v.half)]) as taps:
                    address = k.at(weights, k.multiply(taps.index, _WORD))
                    weight = v.repeat(k.let(f"load i32, ptr {address}, align 4"))
                    levels = v.load_bytes(k.at(column, k.multiply(taps.index, p["line"])))
                    taps.next = [v.of("add", taps.values[0], v.of("mul", levels, weight))]
                left = k.subtract(p["values"], loop.index)
                self._store(k, p, v.level(taps.values[0]), (result, loop.index, left))

    def _store(
        self,
        k: KernelText,
        p: Mapping[str, Name],
        levels: Name,
        position: tuple[Index, Index, Index],
    ) -> None:
        """Write a vector of levels, given the line, the offset in it, and what is left."""
        (line, at, left), v = position, _Integers(k)
        if self.dtype == "uint8":
            kind, value = v.bytes, v.cast("trunc", levels, v.bytes)
        else:
            kind = Vectors(k, "float", v.count)
            number = v.cast("uitofp", levels, kind)
            divide, subtract = (k.load(k.at_float(p[n], at)) for n in ("divide", "subtract"))
            value = kind.of("fsub", kind.of("fdiv", number, divide), subtract)
        pointer = k.at(p["result"], k.multiply(k.add(line, at), kind.size))
        is_full = k.let(f"icmp sge i64 {left}, {v.count}")
        with k.when(is_full):
            kind.store(value, pointer)
        with k.when(k.let(f"xor i1 {is_full}, true")), k.loop(0, left) as loop:
            one = k.let(f"extractelement {kind.type} {value}, i64 {loop.index}")
            to = k.at(pointer, k.multiply(loop.index, kind.size))
            k.write(f"store {kind.element} {one}, ptr {to}, align {kind.size}")
