"""The largest of several fields at each pixel of an image; see `field_tiles`."""

from collections.abc import Callable
from dataclasses import dataclass

from core.backends.cpu.codegen.images.field_tiles import (
    PARAMETERS,
    ROWS,
    FieldTiles,
    Tile,
    store_bytes,
)
from core.backends.cpu.codegen.ir.formulas import exp
from core.backends.cpu.codegen.ir.image_layout import TILE
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name
from core.backends.cpu.codegen.ir.parameters import ARRAY, Parameters
from core.backends.cpu.codegen.ir.shuffles import shuffled
from core.backends.cpu.codegen.ir.vectors import Vectors

#: Distance below the largest field beyond which a field adds less than a rounding error to the sum
#: of a softmax, even with 20 others.
_MARGIN = 20.0

_WORD = 4


@dataclass(frozen=True)
class StrongestField:
    """The number of the largest field at each pixel, uint8; of equal ones the first.

    A mix of four cells is at most their largest value. A field for which that is less than the
    smallest value of another, in every square of cells of a tile, is not looked at.

    Attributes:
        fields: number of fields.
        has_share: whether the softmax of the largest field is written, too: float32 ``share``.
        is_gated: whether numbers are those from 1, times the value of a uint8 image, ``gate``,
            which is 0 or 1.
    """

    fields: int
    has_share: bool
    is_gated: bool

    @property
    def parameters(self) -> Parameters:
        """Return what is given when the kernel is called."""
        return {**PARAMETERS, "share": ARRAY, "gate": ARRAY}

    @property
    def flags(self) -> int:
        """Return the bytes of flags of fields, and of the list of those that count; each."""
        return _WORD * (-(-self.fields // 16) * 16)

    @property
    def scratch_bytes(self) -> int:
        """Return the bytes of lists, of values of a vector, and of mixed rows."""
        return 2 * self.flags + self.fields * (64 + ROWS * TILE[1] * FLOAT)

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        _Text(k, self).write()


class _Text:
    """The kernel while it is being written."""

    def __init__(self, k: KernelText, kernel: StrongestField):
        self._k, self._kernel = k, kernel
        rows_at = 2 * kernel.flags + kernel.fields * 64
        self._tiles = FieldTiles(k, kernel.parameters, kernel.fields, rows_at)
        self._list = k.at("%scratch", kernel.flags)
        self._values = k.at("%scratch", 2 * kernel.flags)
        self._integers = Vectors(k, "i32", k.isa.lanes)

    def write(self) -> None:
        """Write the body of the function."""
        self._tiles.each(self._gated if self._kernel.is_gated else self._tile)

    def _gated(self, tile: Tile) -> None:
        """Write zeros where a gate is closed, else a tile."""
        k, p = self._k, self._tiles.p
        line = Vectors(k, "i8", TILE[1])
        none = [Carried(line.type, "zeroinitializer")]
        with k.loop(tile.top, tile.bottom, carried=none) as lines:
            start = k.add(k.multiply(lines.index, p["width"]), tile.left)
            gate = line.load(k.at(p["gate"], start))
            lines.next = [line.of("or", lines.values[0], gate)]
        word = f"i{8 * TILE[1]}"
        found = k.let(f"bitcast {line.type} {lines.values[0]} to {word}")
        is_closed = k.let(f"icmp eq {word} {found}, 0")
        with k.when(is_closed), k.loop(tile.top, tile.bottom) as lines:
            start = k.add(k.multiply(lines.index, p["width"]), tile.left)
            line.store("zeroinitializer", k.at(p["mask"], start))
        with k.when(k.let(f"xor i1 {is_closed}, true")):
            self._tile(tile)

    def _tile(self, tile: Tile) -> None:
        k = self._k
        count = self._contenders(tile)
        if self._kernel.has_share:
            self._mixed(tile, count)
            return
        is_one = k.is_less(count, 2)
        with k.when(is_one):
            number = k.let(f"load i32, ptr {self._list}, align 4")
            vector = self._integers.repeat(number)
            self._tiles.fill(tile, lambda position: self._store(vector, position))
        with k.when(k.let(f"xor i1 {is_one}, true")):
            self._mixed(tile, count)

    # --- which fields count ------------------------------------------------------------------

    def _contenders(self, tile: Tile) -> Index:
        """Write the list of fields that may be largest somewhere; return how many they are."""
        k, fields, lanes = self._k, self._kernel.fields, self._k.isa.lanes
        flags = f"<{lanes} x i1>"
        starts = range(0, fields, lanes)
        first_row, last_row, first, last = tile.cells
        none = [Carried(flags, "zeroinitializer") for _ in starts]
        with k.loop(first_row, last_row, carried=none) as rows:
            row = k.at(self._tiles.p["fields"], k.multiply(rows.index, self._tiles.line))
            carried = [Carried(flags, found) for found in rows.values]
            with k.loop(first, last, carried=carried) as loop:
                cell = k.at(row, k.multiply(loop.index, fields * FLOAT))
                contend = self._square(cell)
                loop.next = [
                    k.let(f"or {flags} {old}, {new}")
                    for old, new in zip(loop.values, contend, strict=True)
                ]
            rows.next = loop.values
        for start, found in zip(starts, rows.values, strict=True):
            words = k.let(f"zext {flags} {found} to {self._integers.type}")
            self._integers.store(words, k.at("%scratch", start * _WORD))
        k.write(f"store i32 0, ptr {self._list}, align 4")
        with k.loop(0, fields, carried=[Carried("i64", "0")]) as loop:
            (count,) = loop.values
            to = k.at(self._list, k.multiply(count, _WORD))
            k.write(f"store i32 {k.let(f'trunc i64 {loop.index} to i32')}, ptr {to}, align 4")
            word = k.at("%scratch", k.multiply(loop.index, _WORD))
            flag = k.let(f"zext i32 {k.let(f'load i32, ptr {word}, align 4')} to i64")
            loop.next = [str(k.add(count, flag))]
        return loop.values[0]

    def _square(self, cell: Name) -> list[Name]:
        """Return flags of the fields that may be largest between four cells."""
        k, fields, lanes = self._k, self._kernel.fields, self._k.isa.lanes
        below = k.at(cell, self._tiles.line)
        highest, lowest = [], []
        for start in range(0, fields, lanes):
            count = min(lanes, fields - start)
            offsets = (start, start + fields)
            values = [k.load(c, o, count) for c in (cell, below) for o in offsets]
            high = k.maximum(k.maximum(values[0], values[1]), k.maximum(values[2], values[3]))
            low = k.minimum(k.minimum(values[0], values[1]), k.minimum(values[2], values[3]))
            if count < lanes:
                mask = k.mask(count).partition("> ")[2]
                nothing = k.splat(float("-inf"))
                high, low = (k.select(mask, x, nothing) for x in (high, low))
            highest.append(high)
            lowest.append(low)
        best = lowest[0]
        for other in lowest[1:]:
            best = k.maximum(best, other)
        distance = lanes // 2
        while distance:
            order = [(lane + distance) % lanes for lane in range(lanes)]
            best = k.maximum(best, shuffled(k, best, best, order))
            distance //= 2
        if self._kernel.has_share:
            best = k.of("fsub", best, k.splat(_MARGIN))
        return [k.compare("oge", high, best) for high in highest]

    # --- pixels ------------------------------------------------------------------------------

    def _mixed(self, tile: Tile, count: Index) -> None:
        """Write a tile for which several fields count."""
        k = self._k
        with k.loop(0, count) as loop:
            self._tiles.mix_rows(tile, self._number(loop.index), loop.index)
        self._tiles.each_vector(
            tile, lambda position, values: self._vector(position, values, count)
        )

    def _number(self, slot: Index) -> Index:
        """Return the number of the field in a slot."""
        k = self._k
        word = k.let(f"load i32, ptr {k.at(self._list, k.multiply(slot, _WORD))}, align 4")
        return k.let(f"zext i32 {word} to i64")

    def _vector(self, position: Index, values: Callable[[Index], Name], count: Index) -> None:
        """Write a vector of pixels."""
        k, share = self._k, self._kernel.has_share
        start = values(0)
        number = k.let(f"load i32, ptr {self._list}, align 4")
        if share:
            k.store(start, self._values)
        carried = [
            Carried(k.vector, start),
            Carried(self._integers.type, self._integers.repeat(number)),
        ]
        with k.loop(1, count, carried=carried) as loop:
            best, which = loop.values
            here = values(loop.index)
            if share:
                k.store(here, k.at(self._values, k.multiply(loop.index, 64)))
            is_more = k.compare("ogt", here, best)
            number = k.let(f"trunc i64 {self._number(loop.index)} to i32")
            new = self._integers.select(is_more, self._integers.repeat(number), which)
            loop.next = [k.select(is_more, here, best), new]
        best, which = loop.values
        self._store(which, position)
        if share:
            self._store_share(best, position, count)

    def _store(self, which: Name, position: Index) -> None:
        """Write numbers of fields."""
        k, p, v = self._k, self._tiles.p, self._integers
        if self._kernel.is_gated:
            levels = Vectors(k, "i8", v.count)
            gate = levels.cast("zext", levels.load(k.at(p["gate"], position)), v)
            which = v.of("mul", v.of("add", which, v.splat(1)), gate)
        store_bytes(k, which, k.at(p["mask"], position))

    def _store_share(self, best: Name, position: Index, count: Index) -> None:
        """Write the softmax of the largest values."""
        k = self._k
        with k.loop(0, count, carried=[Carried(k.vector, k.zero)]) as loop:
            here = k.load(k.at(self._values, k.multiply(loop.index, 64)))
            loop.next = [k.of("fadd", loop.values[0], exp(k, k.of("fsub", here, best)))]
        share = k.of("fdiv", k.splat(1.0), loop.values[0])
        k.store(share, k.at_float(self._tiles.p["share"], position))
