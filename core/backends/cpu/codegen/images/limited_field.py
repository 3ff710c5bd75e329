"""Whether a field reaches a limit at each pixel of an image; see `field_tiles`."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from core.backends.cpu.codegen.images.field_tiles import (
    PARAMETERS,
    ROWS,
    FieldTiles,
    Tile,
    store_bytes,
)
from core.backends.cpu.codegen.ir.formulas import between, sigmoid
from core.backends.cpu.codegen.ir.image_layout import TILE
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, Carried, Index, KernelText, Name
from core.backends.cpu.codegen.ir.parameters import ARRAY, NUMBER, Parameters
from core.backends.cpu.codegen.ir.vectors import Vectors

#: Second result beside the mask: nothing, the logistic function of the field, the field in 0..1.
NOTHING, LOGISTIC, CLIPPED = "", "logistic", "clipped"


@dataclass(frozen=True)
class LimitedField:
    """1 where a field is at least ``limit``, else 0, uint8.

    Attributes:
        share: what else is written: float32 ``share``.
    """

    share: str

    scratch_bytes = ROWS * TILE[1] * FLOAT

    @property
    def parameters(self) -> Parameters:
        """Return what is given when the kernel is called."""
        return {**PARAMETERS, "share": ARRAY, "limit": NUMBER}

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        _Text(k, self).write()


class _Text:
    """The kernel while it is being written."""

    def __init__(self, k: KernelText, kernel: LimitedField):
        self._k, self._share = k, kernel.share
        self._tiles = FieldTiles(k, kernel.parameters, 1, 0)
        self._number = k.let(f"fptrunc double {self._tiles.p['limit']} to float")
        self._limit = k.spread(self._number)
        self._integers = Vectors(k, "i32", k.isa.lanes)

    def write(self) -> None:
        """Write the body of the function."""
        self._tiles.each(self._mixed if self._share else self._tile)

    def _tile(self, tile: Tile) -> None:
        """Write a tile, whose pixels are mixed only if its cells lie on both sides of the limit."""
        k = self._k
        below, above = self._sides(tile)
        with k.when(k.let(f"and i1 {below}, {above}")):
            self._mixed(tile)
        for other, number in ((above, 0), (below, 1)):
            with k.when(k.let(f"xor i1 {other}, true")):
                self._tiles.fill(tile, partial(self._store, self._integers.splat(number)))

    def _store(self, which: Name, position: Index) -> None:
        store_bytes(self._k, which, self._k.at(self._tiles.p["mask"], position))

    def _sides(self, tile: Tile) -> tuple[Name, Name]:
        """Return whether cells are below the limit (or not numbers), and whether some are not."""
        k, (first_row, last_row, first, last) = self._k, tile.cells
        none = [Carried("i1", "false"), Carried("i1", "false")]
        with k.loop(first_row, k.add(last_row, 1), carried=none) as rows:
            row = k.at(self._tiles.p["fields"], k.multiply(rows.index, self._tiles.line))
            carried = [Carried("i1", found) for found in rows.values]
            with k.loop(first, k.add(last, 1), carried=carried) as loop:
                value = k.let(f"load float, ptr {k.at_float(row, loop.index)}, align 4")
                is_above = k.let(f"fcmp oge float {value}, {self._number}")
                is_below = k.let(f"xor i1 {is_above}, true")
                loop.next = [
                    k.let(f"or i1 {loop.values[0]}, {is_below}"),
                    k.let(f"or i1 {loop.values[1]}, {is_above}"),
                ]
            rows.next = loop.values
        return rows.values[0], rows.values[1]

    def _mixed(self, tile: Tile) -> None:
        """Write a tile whose pixels are mixed."""
        self._tiles.mix_rows(tile, 0, 0)
        self._tiles.each_vector(tile, self._vector)

    def _vector(self, position: Index, values: Callable[[Index], Name]) -> None:
        k, here = self._k, values(0)
        flags = k.compare("oge", here, self._limit)
        self._store(
            k.let(f"zext {self._integers.flags} {flags} to {self._integers.type}"), position
        )
        if self._share:
            share = sigmoid(k, here) if self._share == LOGISTIC else between(k, here, 0.0, 1.0)
            k.store(share, k.at_float(self._tiles.p["share"], position))
