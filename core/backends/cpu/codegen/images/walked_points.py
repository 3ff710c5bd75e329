"""Points that follow a field of offsets: each step adds the offset of the nearest cell."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.kernel_text import Carried, Index, KernelText, Name
from core.backends.cpu.codegen.ir.parameters import (
    ARRAY,
    NUMBER,
    WHOLE,
    Parameters,
    read_parameters,
)
from core.backends.cpu.codegen.ir.vectors import Vectors, number_of

_PAIR = 16  # bytes


@dataclass(frozen=True)
class WalkedPoints:
    """Points of a grid after some steps; a task has some lines of them.

    The parameters: float64 cells, of ``fields`` pairs of x and y each, with their rows and columns;
    which pair is the offset; pixels from cell to cell; the result,
    float64 pairs of x and y, with its lines and the points in a line, a multiple of a vector's
    doubles; pixels from point to point; and the steps.
    """

    scratch_bytes = 0

    @property
    def parameters(self) -> Parameters:
        """Return what is given when the kernel is called."""
        cells = {"cells": ARRAY, "cell_rows": WHOLE, "cell_columns": WHOLE, "fields": WHOLE}
        result = {"result": ARRAY, "rows": WHOLE, "columns": WHOLE, "block": WHOLE}
        which = {"field": WHOLE, "stride": NUMBER, "spacing": NUMBER}
        return {**cells, **result, **which, "steps": WHOLE}

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        text = _Text(k, read_parameters(k, self.parameters))
        p = text.p
        start = k.multiply("%task", p["block"])
        stop = k.smaller(k.add(start, p["block"]), p["rows"])
        with k.loop(start, stop) as lines, k.loop(0, p["columns"], text.count) as loop:
            text.points(lines.index, loop.index)


class _Text:
    """The points while they are being written."""

    def __init__(self, k: KernelText, p: Mapping[str, Name]):
        self._k, self.p = k, p
        self.count = k.isa.lanes // 2
        self._numbers, self._wholes = (Vectors(k, type, self.count) for type in ("double", "i64"))
        repeat = self._numbers.repeat
        self._stride, self._spacing = repeat(p["stride"]), repeat(p["spacing"])
        self._limits = [
            repeat(number_of(k, k.subtract(p[name], 1))) for name in ("cell_rows", "cell_columns")
        ]
        self._columns = repeat(number_of(k, p["cell_columns"]))
        self._size = repeat(number_of(k, k.multiply(p["fields"], _PAIR)))

    def points(self, line: Index, column: Index) -> None:
        """Write some points of a line."""
        k, v = self._k, self._numbers
        first = v.of("fadd", v.repeat(number_of(k, column)), v.numbers())
        x = v.of("fmul", first, self._spacing)
        y = v.of("fmul", v.repeat(number_of(k, line)), self._spacing)
        carried = [Carried(v.type, x), Carried(v.type, y)]
        with k.loop(0, self.p["steps"], carried=carried) as loop:
            x, y = loop.values
            row, cell = self._nearest(y, 0), self._nearest(x, 1)
            position = v.of("fadd", v.of("fmul", row, self._columns), cell)
            offset = v.cast("fptosi", v.of("fmul", position, self._size), self._wholes)
            steps = [self._gathered(axis, offset) for axis in (0, 1)]
            loop.next = [v.of("fadd", n, step) for n, step in zip((x, y), steps, strict=True)]
        pairs = Vectors(k, "double", 2 * self.count)
        lanes = ", ".join(f"i32 {n // 2 + n % 2 * self.count}" for n in range(pairs.count))
        both = f"{v.type} {loop.values[0]}, {v.type} {loop.values[1]}"
        value = k.let(f"shufflevector {both}, <{pairs.count} x i32> <{lanes}>")
        point = k.add(k.multiply(line, self.p["columns"]), column)
        pairs.store(value, k.at(self.p["result"], k.multiply(point, _PAIR)))

    def _nearest(self, at: Name, axis: int) -> Name:
        """Return the nearest cells to positions, along an axis, as whole doubles."""
        k, v, limit = self._k, self._numbers, self._limits[axis]
        cell = v.of("fdiv", at, self._stride)
        cell = k.call(v.type, f"llvm.rint.v{self.count}f64", f"{v.type} {cell}")
        is_more = v.compare("fcmp ogt", cell, "zeroinitializer")
        cell = v.select(is_more, cell, "zeroinitializer")
        return v.select(v.compare("fcmp olt", cell, limit), cell, limit)

    def _gathered(self, axis: int, offsets: Name) -> Name:
        """Return the offsets along x, 0, or y, 1, of the cells that lie at offsets in bytes."""
        k, v = self._k, self._numbers
        start = k.at(self.p["cells"], k.multiply(self.p["field"], _PAIR))
        found = "poison"
        for lane in range(self.count):
            offset = k.let(f"extractelement {self._wholes.type} {offsets}, i64 {lane}")
            address = k.at(k.at(start, offset), axis * _PAIR // 2)
            number = k.let(f"load double, ptr {address}, align 8")
            found = k.let(f"insertelement {v.type} {found}, double {number}, i64 {lane}")
        return found
