"""Rotated and scaled regions of images: bilinear mixtures of four pixels each.

`zoo.pipeline.sampling` defines the values, to the last bit: the same operations in the same order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.image_layout import LANES
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, POINTER, Index, KernelText, Name
from core.backends.cpu.codegen.ir.parameters import (
    ARRAY,
    NUMBER,
    WHOLE,
    Parameters,
    read_parameters,
)
from core.backends.cpu.codegen.ir.pixels import Scaling, load_pixel, mixed, store_pixel
from core.backends.cpu.codegen.ir.vectors import Vectors, number_of

#: Pixels whose positions are found before they are read.
_CHUNK = 64

#: Lines of the image from those that are read to the ones that are prefetched: scales are below 2,
#: and so it has them two lines of the result later.
_LINES_AHEAD = 4

#: The pixels around a position, as steps along the height and the width.
_CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))


@dataclass(frozen=True)
class RegionSamples:
    """A sampled region; a task has some lines of it.

    The parameters: the uint8 image, its height and width and the bytes of a line of it; the result
    with height and width; the lines of a task; the map from pixels of the result to those of the
    image, counted from their centres; where to read instead of pixels outside, and of what ends
    less than four bytes before the image; and by what to divide and what to subtract.

    Attributes:
        channels: of a pixel, at most 4.
        replicates: whether pixels outside are the nearest one of the image; else they are 0.
        dtype: of the result, ``"float32"`` or ``"uint8"``; the latter are neither divided nor
            subtracted from.
    """

    channels: int
    replicates: bool
    dtype: str

    scratch_bytes = _CHUNK * (len(_CORNERS) * POINTER + 2 * FLOAT)

    @property
    def parameters(self) -> Parameters:
        """Return what is given when the kernel is called."""
        images = {"image": ARRAY, "height": WHOLE, "width": WHOLE, "line": WHOLE, "end": ARRAY}
        result = {"result": ARRAY, "rows": WHOLE, "columns": WHOLE, "block": WHOLE}
        points = dict.fromkeys(("a", "b", "c", "d", "e", "f"), NUMBER)
        return {**images, **result, **points, "divide": ARRAY, "subtract": ARRAY}

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        text = _Text(k, self)
        p = text.p
        start = k.multiply("%task", p["block"])
        stop = k.smaller(k.add(start, p["block"]), p["rows"])
        with k.loop(start, stop) as lines:
            text.begin_line(lines.index)
            with k.loop(0, p["columns"], _CHUNK) as chunks:
                count = k.smaller(k.subtract(p["columns"], chunks.index), _CHUNK)
                first = k.add(k.multiply(lines.index, p["columns"]), chunks.index)
                is_inside = text.is_inside(chunks.index, count)
                with k.when(is_inside):
                    with k.loop(0, count, text.doubles) as loop:
                        text.find_inside(chunks.index, loop.index)
                    with k.loop(0, count) as loop:
                        text.pixel_inside(loop.index, k.add(first, loop.index))
                with k.when(k.let(f"xor i1 {is_inside}, true")):
                    with k.loop(0, count, text.doubles) as loop:
                        text.find(chunks.index, loop.index)
                    with k.loop(0, count) as loop:
                        text.pixel(loop.index, k.add(first, loop.index))


class _Text:
    """The pixels of a region while they are being written."""

    def __init__(self, k: KernelText, samples: RegionSamples):
        self._k, self._samples = k, samples
        self.p: Mapping[str, Name] = read_parameters(k, samples.parameters)
        self.doubles = k.isa.lanes // 2
        self._numbers = Vectors(k, "double", self.doubles)
        self._wholes = Vectors(k, "i64", self.doubles)
        self._scaling = Scaling(k, self.p["divide"], self.p["subtract"])
        self._of_line: tuple[Name, Name] = "", ""
        self._of_line_once: tuple[Name, Name] = "", ""
        p, repeat = self.p, self._numbers.repeat
        self._spread = {name: repeat(p[name]) for name in ("a", "c", "d", "f")}
        self._limits = [repeat(number_of(k, p[name])) for name in ("width", "height")]
        self._line = repeat(number_of(k, p["line"]))
        self._image = self._wholes.repeat(k.let(f"ptrtoint ptr {p['image']} to i64"))
        end = k.let(f"ptrtoint ptr {p['end']} to i64")
        self._zeros = self._wholes.repeat(str(k.add(end, 2 * LANES)))
        lines = k.multiply(k.subtract(p["height"], 1), p["line"])
        size = k.add(lines, k.multiply(p["width"], samples.channels))
        last = k.subtract(size, LANES)
        self._last = self._wholes.repeat(str(last))
        # Added to the offset of one of the last pixels, it leads to a copy of the image's end.
        self._end = self._wholes.repeat(str(k.subtract(end, last)))

    # --- positions ---------------------------------------------------------------------------

    def begin_line(self, line: Index) -> None:
        """Compute the values that the pixels of a line share."""
        k, y = self._k, number_of(self._k, line)
        across, down = (k.let(f"fmul double {self.p[name]}, {y}") for name in ("b", "e"))
        self._of_line_once = across, down
        self._of_line = self._numbers.repeat(across), self._numbers.repeat(down)

    def is_inside(self, chunk: Index, count: Index) -> Name:
        """Return the flag of whether all that the pixels of a chunk read is in the image.

        Positions of a line are between those of its ends, also as they are rounded.
        """
        k, p = self._k, self.p
        # Four bytes are read of each pixel.
        margin = -(-LANES // self._samples.channels)
        limits = k.subtract(p["width"], margin), k.subtract(p["height"], 1)
        flags = []
        for place in (chunk, k.subtract(k.add(chunk, count), 1)):
            x = number_of(k, place)
            for step, start, of_line, limit in zip(
                "ad", "cf", self._of_line_once, limits, strict=True
            ):
                product = k.let(f"fmul double {p[step]}, {x}")
                moved = k.let(f"fadd double {product}, {p[start]}")
                at = k.let(f"fadd double {moved}, {of_line}")
                flags.append(k.let(f"fcmp oge double {at}, 0.0"))
                flags.append(k.let(f"fcmp olt double {at}, {number_of(k, limit)}"))
        every = flags[0]
        for flag in flags[1:]:
            every = k.let(f"and i1 {every}, {flag}")
        return every

    def find(self, chunk: Index, first: Index) -> None:
        """Write the positions and shares of some pixels of a chunk to the scratch."""
        k = self._k
        across, down = self._positions(chunk, first)
        columns, share_across = self._axis(across, self._limits[0])
        rows, share_down = self._axis(down, self._limits[1])
        self._store_shares((share_across, share_down), first)
        for i, (down_by, across_by) in enumerate(_CORNERS):
            pointers = self._pointers(rows[down_by], columns[across_by])
            self._wholes.store(pointers, k.at(self._addresses(i), k.multiply(first, POINTER)))

    def find_inside(self, chunk: Index, first: Index) -> None:
        """Write the first position of each of some pixels, and the shares, to the scratch."""
        k = self._k
        across, down = self._positions(chunk, first)
        column, row = map(self._floor, (across, down))
        self._store_shares((self._share(across, column), self._share(down, row)), first)
        address = self._wholes.of("add", self._image, self._offset(row, column))
        self._wholes.store(address, k.at(self._addresses(0), k.multiply(first, POINTER)))

    def _positions(self, chunk: Index, first: Index) -> tuple[Name, Name]:
        """Return where pixels of the result are in the image, across and down."""
        k, p, v = self._k, self._spread, self._numbers
        x = v.of("fadd", v.repeat(number_of(k, k.add(chunk, first))), v.numbers())
        across, down = (
            v.of("fadd", v.of("fadd", v.of("fmul", p[step], x), p[start]), of_line)
            for step, start, of_line in zip("ad", "cf", self._of_line, strict=True)
        )
        return across, down

    def _store_shares(self, both: tuple[Name, Name], first: Index) -> None:
        shares = Vectors(self._k, "float", self.doubles)
        for i, share in enumerate(both):
            shares.store(share, self._k.at_float(self._shares(i), first))

    def _addresses(self, corner: int) -> Name:
        """Return the position of a corner's addresses in the scratch."""
        return self._k.at("%scratch", corner * _CHUNK * POINTER)

    def _shares(self, axis: int) -> Name:
        """Return the position of the second pixels' shares in the scratch, across or down."""
        return self._k.at("%scratch", _CHUNK * (len(_CORNERS) * POINTER + axis * FLOAT))

    def _axis(self, at: Name, length: Name) -> tuple[list[tuple[Name, Name]], Name]:
        """Return both neighbours of positions, each with flags of those inside, and the share."""
        k, v, zero = self._k, self._numbers, "zeroinitializer"
        one = v.splat(1.0)
        if self._samples.replicates:
            at = self._limited(at, zero, v.of("fsub", length, one))
        low = self._floor(at)
        share = self._share(at, low)
        first = self._limited(low, v.splat(-2.0), length)
        found = []
        for n in (first, v.of("fadd", first, one)):
            both = v.compare("fcmp oge", n, zero), v.compare("fcmp olt", n, length)
            found.append((n, k.let(f"and {v.flags} {both[0]}, {both[1]}")))
        return found, share

    def _floor(self, at: Name) -> Name:
        v = self._numbers
        return self._k.call(v.type, f"llvm.floor.v{self.doubles}f64", f"{v.type} {at}")

    def _share(self, at: Name, low: Name) -> Name:
        """Return the share of the second neighbour of positions, float32."""
        v = self._numbers
        return v.cast("fptrunc", v.of("fsub", at, low), Vectors(self._k, "float", self.doubles))

    def _limited(self, x: Name, low: Name, high: Name) -> Name:
        """Return values within limits; of NaN the lower one."""
        v = self._numbers
        x = v.select(v.compare("fcmp ogt", x, low), x, low)
        return v.select(v.compare("fcmp olt", x, high), x, high)

    def _pointers(self, row: tuple[Name, Name], column: tuple[Name, Name]) -> Name:
        """Return the addresses of pixels, or of the border value outside of the image."""
        v, w = self._numbers, self._wholes
        offset = self._offset(row[0], column[0])
        is_late = w.compare("icmp sgt", offset, self._last)
        address = w.of("add", w.select(is_late, self._end, self._image), offset)
        is_inside = self._k.let(f"and {v.flags} {row[1]}, {column[1]}")
        return w.select(is_inside, address, self._zeros)

    def _offset(self, row: Name, column: Name) -> Name:
        """Return the bytes before pixels in the image."""
        v = self._numbers
        channels = v.splat(float(self._samples.channels))
        offsets = v.of("fadd", v.of("fmul", row, self._line), v.of("fmul", column, channels))
        return v.cast("fptosi", offsets, self._wholes)

    # --- pixels ------------------------------------------------------------------------------

    def pixel(self, number: Index, position: Index) -> None:
        """Write a pixel of a chunk, at a position among those of the result."""
        offset = self._k.multiply(number, POINTER)
        words = [self._k.at(self._addresses(corner), offset) for corner in range(len(_CORNERS))]
        corners = [self._k.let(f"load ptr, ptr {word}, align 8") for word in words]
        self._mix(corners, number, position)

    def pixel_inside(self, number: Index, position: Index) -> None:
        """Write a pixel whose four are in the image; see `pixel`."""
        k = self._k
        word = k.at(self._addresses(0), k.multiply(number, POINTER))
        first = k.let(f"load ptr, ptr {word}, align 8")
        below = k.at(first, self.p["line"])
        # Of a frame that no cache has, waiting for its lines takes longer than mixing them.
        k.prefetch(k.at(first, k.multiply(self.p["line"], _LINES_AHEAD)))
        channels = self._samples.channels
        self._mix([first, k.at(first, channels), below, k.at(below, channels)], number, position)

    def _mix(self, corners: Sequence[Name], number: Index, position: Index) -> None:
        """Write the mixture of four pixels, by their addresses."""
        k = self._k
        values = [load_pixel(k, corner) for corner in corners]
        pixels = Vectors(k, "float", LANES)
        across, down = (
            pixels.repeat(k.let(f"load float, ptr {k.at_float(self._shares(i), number)}, align 4"))
            for i in range(2)
        )
        upper, lower = (mixed(k, values[i], values[i + 1], across) for i in (0, 2))
        where = self.p["result"], position
        store_pixel(k, self._scaling, mixed(k, upper, lower, down), where, self._samples)
