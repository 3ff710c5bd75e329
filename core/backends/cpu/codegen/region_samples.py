"""Regions of images, rotated and scaled: each new pixel is mixed from four of the image.

`zoo.pipeline.sampling` defines the values, to the last bit: the same operations in the same order.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from core.backends.cpu.codegen.kernel_text import FLOAT, POINTER, Index, KernelText, Name
from core.backends.cpu.codegen.parameters import ARRAY, NUMBER, WHOLE, Parameters, read_parameters
from core.backends.cpu.codegen.pixels import LANES, Scaling, load_pixel, mixed, store_pixel

#: Pixels whose places are found before they are read.
_CHUNK = 64

#: The pixels around a position, as steps along the height and the width.
_CORNERS = ((0, 0), (0, 1), (1, 0), (1, 1))


@dataclass(frozen=True)
class RegionSamples:
    """A sampled region; a task has some lines of it.

    The parameters: the uint8 image, its height and width and the bytes of a line of it; the result
    with height and width; the lines of a task; the map from pixels of the result to those of the
    image, counted from their centres; where to read in place of pixels outside, and of what ends
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
        place = dict.fromkeys(("a", "b", "c", "d", "e", "f"), NUMBER)
        return {**images, **result, **place, "divide": ARRAY, "subtract": ARRAY}

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
                with k.loop(0, count, text.doubles) as loop:
                    text.find(chunks.index, loop.index)
                first = k.add(k.multiply(lines.index, p["columns"]), chunks.index)
                with k.loop(0, count) as loop:
                    text.pixel(loop.index, k.add(first, loop.index))


class _Text:
    """The pixels of a region while they are being written."""

    def __init__(self, k: KernelText, samples: RegionSamples):
        self._k, self._samples = k, samples
        self.p: Mapping[str, Name] = read_parameters(k, samples.parameters)
        self.doubles = k.isa.lanes // 2
        self._vector = f"<{self.doubles} x double>"
        self._wholes = f"<{self.doubles} x i64>"
        self._scaling = Scaling(k, self.p["divide"], self.p["subtract"])
        self._of_line: tuple[Name, Name] = "", ""
        p = self.p
        self._spread = {name: self._repeated(p[name]) for name in ("a", "c", "d", "f")}
        self._limits = [self._repeated(self._double(p[name])) for name in ("width", "height")]
        self._line = self._repeated(self._double(p["line"]))
        self._image = self._repeated(k.let(f"ptrtoint ptr {p['image']} to i64"), "i64")
        end = k.let(f"ptrtoint ptr {p['end']} to i64")
        self._zeros = self._repeated(k.add(end, LANES * 2), "i64")
        lines = k.multiply(k.subtract(p["height"], 1), p["line"])
        size = k.add(lines, k.multiply(p["width"], samples.channels))
        last = k.subtract(size, LANES)
        self._last = self._repeated(str(last), "i64")
        # Added to an offset behind the last whole vector, it leads to a copy of the image's end.
        self._end = self._repeated(str(k.subtract(end, last)), "i64")

    # --- vectors of doubles and of offsets ---------------------------------------------------

    def _double(self, number: Index) -> Name:
        return self._k.let(f"sitofp i64 {number} to double")

    def _repeated(self, value: Name, type: str = "double") -> Name:
        k, v = self._k, self._vector if type == "double" else self._wholes
        first = k.let(f"insertelement {v} poison, {type} {value}, i64 0")
        places = f"<{self.doubles} x i32> zeroinitializer"
        return k.let(f"shufflevector {v} {first}, {v} poison, {places}")

    def _of(self, instruction: str, a: Name, b: Name) -> Name:
        return self._k.let(f"{instruction} {self._vector} {a}, {b}")

    def _splat(self, number: float) -> Name:
        return f"<{', '.join([f'double {number!r}'] * self.doubles)}>"

    def _limited(self, x: Name, low: Name, high: Name) -> Name:
        """Return values within limits; of NaN the lower one."""
        k, v, flags = self._k, self._vector, f"<{self.doubles} x i1>"
        above = k.let(f"fcmp ogt {v} {x}, {low}")
        x = k.let(f"select {flags} {above}, {v} {x}, {v} {low}")
        below = k.let(f"fcmp olt {v} {x}, {high}")
        return k.let(f"select {flags} {below}, {v} {x}, {v} {high}")

    # --- places ------------------------------------------------------------------------------

    def begin_line(self, line: Index) -> None:
        """Compute what the pixels of a line have in common."""
        k, y = self._k, self._double(line)
        products = [k.let(f"fmul double {self.p[name]}, {y}") for name in ("b", "e")]
        self._of_line = self._repeated(products[0]), self._repeated(products[1])

    def find(self, chunk: Index, first: Index) -> None:
        """Write the places and shares of some pixels of a chunk to the scratch."""
        k, p = self._k, self._spread
        numbers = ", ".join(f"double {float(i)}" for i in range(self.doubles))
        x = self._of("fadd", self._repeated(self._double(k.add(chunk, first))), f"<{numbers}>")
        across = self._of("fadd", self._of("fadd", self._of("fmul", p["a"], x), p["c"]),
                          self._of_line[0])
        down = self._of("fadd", self._of("fadd", self._of("fmul", p["d"], x), p["f"]),
                        self._of_line[1])
        columns, share_across = self._axis(across, self._limits[0])
        rows, share_down = self._axis(down, self._limits[1])
        for i, share in enumerate((share_across, share_down)):
            place = k.at_float(k.at("%scratch", _CHUNK * (len(_CORNERS) * POINTER + i * FLOAT)),
                               first)
            k.write(f"store <{self.doubles} x float> {share}, ptr {place}, align 4")
        for i, (down_by, across_by) in enumerate(_CORNERS):
            pointers = self._pointers(rows[down_by], columns[across_by])
            place = k.at(k.at("%scratch", i * _CHUNK * POINTER), k.multiply(first, POINTER))
            k.write(f"store {self._wholes} {pointers}, ptr {place}, align 8")

    def _axis(self, at: Name, length: Name) -> tuple[list[tuple[Name, Name]], Name]:
        """Return both neighbours of positions, each with flags of those inside, and the share."""
        k, v = self._k, self._vector
        one = self._splat(1.0)
        if self._samples.replicates:
            at = self._limited(at, "zeroinitializer", self._of("fsub", length, one))
        name = f"llvm.floor.v{self.doubles}f64"
        low = k.call(v, name, f"{v} {at}")
        share = k.let(f"fptrunc {v} {self._of('fsub', at, low)} to <{self.doubles} x float>")
        first = self._limited(low, self._splat(-2.0), length)
        found = []
        for n in (first, self._of("fadd", first, one)):
            is_after = k.let(f"fcmp oge {v} {n}, zeroinitializer")
            is_before = k.let(f"fcmp olt {v} {n}, {length}")
            found.append((n, k.let(f"and <{self.doubles} x i1> {is_after}, {is_before}")))
        return found, share

    def _pointers(self, row: tuple[Name, Name], column: tuple[Name, Name]) -> Name:
        """Return where pixels are, or what is read in their place."""
        k, w, flags = self._k, self._wholes, f"<{self.doubles} x i1>"
        channels = self._splat(float(self._samples.channels))
        offset = self._of("fadd", self._of("fmul", row[0], self._line),
                          self._of("fmul", column[0], channels))
        offset = k.let(f"fptosi {self._vector} {offset} to {w}")
        is_late = k.let(f"icmp sgt {w} {offset}, {self._last}")
        base = k.let(f"select {flags} {is_late}, {w} {self._end}, {w} {self._image}")
        place = k.let(f"add {w} {base}, {offset}")
        is_inside = k.let(f"and {flags} {row[1]}, {column[1]}")
        return k.let(f"select {flags} {is_inside}, {w} {place}, {w} {self._zeros}")

    # --- pixels ------------------------------------------------------------------------------

    def pixel(self, number: Index, place: Index) -> None:
        """Write a pixel of a chunk, at a place among those of the result."""
        k, samples = self._k, self._samples
        values = []
        for i in range(len(_CORNERS)):
            word = k.at(k.at("%scratch", i * _CHUNK * POINTER), k.multiply(number, POINTER))
            values.append(load_pixel(k, k.let(f"load ptr, ptr {word}, align 8")))
        shares = [
            k.at_float(k.at("%scratch", _CHUNK * (len(_CORNERS) * POINTER + i * FLOAT)), number)
            for i in range(2)
        ]
        across, down = (self._share(pointer) for pointer in shares)
        upper, lower = mixed(k, values[0], values[1], across), mixed(k, values[2], values[3], across)
        value = mixed(k, upper, lower, down)
        store_pixel(k, self._scaling, value, (self.p["result"], place), samples)

    def _share(self, pointer: Name) -> Name:
        k = self._k
        share = k.let(f"load float, ptr {pointer}, align 4")
        first = k.let(f"insertelement <{LANES} x float> poison, float {share}, i64 0")
        v = f"<{LANES} x float>"
        return k.let(f"shufflevector {v} {first}, {v} poison, <{LANES} x i32> zeroinitializer")
