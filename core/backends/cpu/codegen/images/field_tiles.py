"""Fields of a network's output upsampled to the pixels of an image, one tile at a time.

A pixel is mixed from two cells along each axis, as Pillow mixes float32 images: along the rows of
cells first, which are rounded to float32, then along the columns, in float64. Most tiles lie where
one field is far above the others, or all cells are on one side of a limit: of these no pixel is
mixed at all.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from core.backends.cpu.codegen.ir.image_layout import TILE
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Index, KernelText, Name
from core.backends.cpu.codegen.ir.parameters import ARRAY, WHOLE, Parameters, read_parameters
from core.backends.cpu.codegen.ir.vectors import Vectors

#: Rows of cells that a tile needs, as pixels are not larger than cells.
ROWS = TILE[0] + 3

_DOUBLE = 8

#: The image, the cells, and tables of the first, then of the second cells that lines and columns of
#: pixels are mixed of: their offsets in bytes, and their shares.
PARAMETERS: Parameters = {
    **{"fields": ARRAY, "field_rows": WHOLE, "field_columns": WHOLE},
    **{"mask": ARRAY, "height": WHOLE, "width": WHOLE, "block": WHOLE},
    **{"line_cells": ARRAY, "line_shares": ARRAY, "column_cells": ARRAY, "column_shares": ARRAY},
}


class Tile(NamedTuple):
    """A tile while it is being written: its pixels, and the cells that these are mixed of."""

    top: Index
    bottom: Index  # after the last line
    left: Index
    cells: tuple[Index, Index, Index, Index]  # first and last row, first and last column


class FieldTiles:
    """The tiles of an image while they are being written.

    Args:
        k: the kernel's text.
        parameters: of the kernel, with those of `PARAMETERS`.
        fields: number of fields, whose values follow one another in a cell.
        rows_at: bytes of the scratch before the mixed rows, `TILE` by rows of cells each.
    """

    def __init__(self, k: KernelText, parameters: Parameters, fields: int, rows_at: int):
        self._k, self._fields = k, fields
        self.p: Mapping[str, Name] = read_parameters(k, parameters)
        self.rows = k.at("%scratch", rows_at)
        self._numbers, self._single = (Vectors(k, t, k.isa.lanes) for t in ("double", "float"))
        self.line = k.multiply(self.p["field_columns"], fields * FLOAT)

    def each(self, write: Callable[[Tile], None]) -> None:
        """Write the tiles of a task: lines of tiles, the last tile of each at the right edge."""
        k, p, (high, wide) = self._k, self.p, TILE
        start = k.multiply("%task", p["block"])
        stop = k.smaller(k.add(start, p["block"]), p["height"])
        last = k.subtract(p["width"], wide)
        with k.loop(start, stop, high) as lines:
            bottom = k.smaller(k.add(lines.index, high), stop)
            with k.loop(0, p["width"], wide) as loop:
                left = k.smaller(loop.index, last)
                cells = (
                    *self._cells("line", lines.index, bottom, (self.line, "field_rows")),
                    *self._cells(
                        "column",
                        left,
                        k.add(left, wide),
                        (self._fields * FLOAT, "field_columns"),
                    ),
                )
                write(Tile(lines.index, bottom, left, cells))

    def _cells(
        self, lines: str, start: Index, stop: Index, axis: tuple[Index, str]
    ) -> tuple[Index, Index]:
        """Return the first and the last cell along an axis; they differ."""
        k, (size, count) = self._k, axis
        offsets = [self._cell(lines, start, 0), self._cell(lines, k.subtract(stop, 1), 1)]
        first, high = (k.let(f"udiv i64 {offset}, {size}") for offset in offsets)
        low = k.smaller(first, k.subtract(self.p[count], 2))
        return low, k.larger(high, k.add(low, 1))

    def _entry(self, table: str, index: Index, second: int) -> Name:
        """Return the address of the first or second entry of a line or column in a table."""
        k = self._k
        length = self.p["height" if table.startswith("line") else "width"]
        number = k.add(index, length) if second else index
        return k.at(self.p[table], k.multiply(number, _DOUBLE))

    def _cell(self, lines: str, index: Index, second: int) -> Name:
        """Return the offset of one of the two cells of a line or column."""
        address = self._entry(f"{lines}_cells", index, second)
        return self._k.let(f"load i64, ptr {address}, align 8")

    # --- rows of cells, at the columns of pixels ---------------------------------------------

    def mix_rows(self, tile: Tile, field: Index, slot: Index) -> None:
        """Mix the cells of all rows of a tile along the rows.

        Args:
            tile: the tile.
            field: number of the field.
            slot: index of its rows in the scratch.
        """
        k, v, (first, last, _, _) = self._k, self._numbers, tile.cells
        start = k.at_float(self.p["fields"], field)
        to = k.at(self.rows, k.multiply(slot, ROWS * TILE[1] * FLOAT))
        with k.loop(0, TILE[1], v.count) as loop:
            column = k.add(tile.left, loop.index)
            shares = [v.load(self._entry("column_shares", column, i)) for i in (0, 1)]
            cells = [
                [self._cell("column", k.add(column, lane), i) for lane in range(v.count)]
                for i in (0, 1)
            ]
            with k.loop(first, k.add(last, 1)) as rows:
                row = k.at(start, k.multiply(rows.index, self.line))
                products = [
                    v.of("fmul", self._single.cast("fpext", self._gathered(row, some), v), share)
                    for some, share in zip(cells, shares, strict=True)
                ]
                mixed = v.cast("fptrunc", v.of("fadd", *products), self._single)
                position = k.multiply(k.subtract(rows.index, first), TILE[1])
                self._single.store(mixed, k.at_float(to, k.add(position, loop.index)))

    def _gathered(self, row: Name, offsets: Sequence[Name]) -> Name:
        """Return a vector of the values at offsets in bytes."""
        k, found = self._k, "poison"
        for lane, offset in enumerate(offsets):
            value = k.let(f"load float, ptr {k.at(row, offset)}, align 4")
            found = k.let(f"insertelement {k.vector} {found}, float {value}, i64 {lane}")
        return found

    # --- pixels ------------------------------------------------------------------------------

    def each_vector(
        self, tile: Tile, write: Callable[[Index, Callable[[Index], Name]], None]
    ) -> None:
        """Write the pixels of a tile, by vectors.

        Args:
            tile: the tile, whose rows are mixed.
            write: gets the index of the first pixel in the image, and a function from the slot of
                a field to its values.
        """
        k, first = self._k, tile.cells[0]
        with k.loop(tile.top, tile.bottom) as lines:
            rows = []
            for i in (0, 1):
                row = k.let(f"udiv i64 {self._cell('line', lines.index, i)}, {self.line}")
                rows.append(k.multiply(k.subtract(row, first), TILE[1]))
            shares = [self._numbers.repeat(self._line_share(lines.index, i)) for i in (0, 1)]
            start = k.add(k.multiply(lines.index, self.p["width"]), tile.left)
            with k.loop(0, TILE[1], k.isa.lanes) as loop:
                addresses = [k.at_float(self.rows, k.add(row, loop.index)) for row in rows]

                mix = partial(self._mixed, addresses, shares)
                write(k.add(start, loop.index), mix)

    def _line_share(self, line: Index, second: int) -> Name:
        address = self._entry("line_shares", line, second)
        return self._k.let(f"load double, ptr {address}, align 8")

    def _mixed(self, addresses: Sequence[Name], shares: Sequence[Name], slot: Index) -> Name:
        """Return a vector of pixels of a field, from the addresses of the two rows of slot 0."""
        k, v, single = self._k, self._numbers, self._single
        offset = k.multiply(slot, ROWS * TILE[1])
        products = [
            v.of("fmul", single.cast("fpext", k.load(k.at_float(address, offset)), v), share)
            for address, share in zip(addresses, shares, strict=True)
        ]
        return v.cast("fptrunc", v.of("fadd", *products), single)

    def fill(self, tile: Tile, write: Callable[[Index], None]) -> None:
        """Write the pixels of a tile, by vectors, given the index of each vector's first pixel."""
        k = self._k
        with k.loop(tile.top, tile.bottom) as lines:
            start = k.add(k.multiply(lines.index, self.p["width"]), tile.left)
            with k.loop(0, TILE[1], k.isa.lanes) as loop:
                write(k.add(start, loop.index))


def store_bytes(k: KernelText, integers: Name, pointer: Name) -> None:
    """Write a vector of integers of 32 bits as bytes."""
    levels = Vectors(k, "i8", k.isa.lanes)
    levels.store(Vectors(k, "i32", k.isa.lanes).cast("trunc", integers, levels), pointer)
