"""Points that follow a field of offsets: each moves by the offset of the cell where it is."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.backends.cpu.codegen.kernel_text import Carried, Index, KernelText, Name
from core.backends.cpu.codegen.parameters import ARRAY, NUMBER, WHOLE, Parameters, read_parameters

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
        self._vector, self._wholes = f"<{self.count} x double>", f"<{self.count} x i64>"
        self._stride = self._repeated(p["stride"])
        self._limits = [
            self._repeated(k.let(f"sitofp i64 {k.subtract(p[name], 1)} to double"))
            for name in ("cell_rows", "cell_columns")
        ]
        columns = k.let(f"sitofp i64 {p['cell_columns']} to double")
        self._columns = self._repeated(columns)
        size = k.let(f"sitofp i64 {k.multiply(p['fields'], _PAIR)} to double")
        self._size = self._repeated(size)

    def points(self, line: Index, column: Index) -> None:
        """Write some points of a line."""
        k, p, v = self._k, self.p, self._vector
        numbers = ", ".join(f"double {float(i)}" for i in range(self.count))
        first = self._repeated(k.let(f"sitofp i64 {column} to double"))
        spacing = self._repeated(p["spacing"])
        x = self._of("fmul", self._of("fadd", first, f"<{numbers}>"), spacing)
        y = self._of("fmul", self._repeated(k.let(f"sitofp i64 {line} to double")), spacing)
        with k.loop(0, p["steps"], carried=[Carried(v, x), Carried(v, y)]) as loop:
            x, y = loop.values
            row, cell = self._nearest(y, 0), self._nearest(x, 1)
            place = self._of("fadd", self._of("fmul", row, self._columns), cell)
            offset = k.let(f"fptosi {v} {self._of('fmul', place, self._size)} to {self._wholes}")
            steps = [self._gathered(axis, offset) for axis in (0, 1)]
            loop.next = [self._of("fadd", n, step) for n, step in zip((x, y), steps, strict=True)]
        start = k.multiply(k.add(k.multiply(line, p["columns"]), column), _PAIR)
        order = [n // 2 + n % 2 * self.count for n in range(2 * self.count)]
        places = ", ".join(f"i32 {n}" for n in order)
        pairs = k.let(
            f"shufflevector {v} {loop.values[0]}, {v} {loop.values[1]}, "
            f"<{2 * self.count} x i32> <{places}>"
        )
        to = k.at(p["result"], start)
        k.write(f"store <{2 * self.count} x double> {pairs}, ptr {to}, align 8")

    def _nearest(self, at: Name, axis: int) -> Name:
        """Return the nearest cells to positions, along an axis, as whole doubles."""
        k, v, flags = self._k, self._vector, f"<{self.count} x i1>"
        cell = k.call(v, f"llvm.rint.v{self.count}f64", f"{v} {self._of('fdiv', at, self._stride)}")
        above = k.let(f"fcmp ogt {v} {cell}, zeroinitializer")
        cell = k.let(f"select {flags} {above}, {v} {cell}, {v} zeroinitializer")
        below = k.let(f"fcmp olt {v} {cell}, {self._limits[axis]}")
        return k.let(f"select {flags} {below}, {v} {cell}, {v} {self._limits[axis]}")

    def _gathered(self, axis: int, offsets: Name) -> Name:
        """Return the offsets along x, 0, or y, 1, of the cells that lie at offsets in bytes."""
        k, v = self._k, self._vector
        start = k.at(self.p["cells"], k.multiply(self.p["field"], _PAIR))
        found = "poison"
        for lane in range(self.count):
            offset = k.let(f"extractelement {self._wholes} {offsets}, i64 {lane}")
            place = k.at(k.at(start, offset), axis * _PAIR // 2)
            number = k.let(f"load double, ptr {place}, align 8")
            found = k.let(f"insertelement {v} {found}, double {number}, i64 {lane}")
        return found

    def _of(self, instruction: str, a: Name, b: Name) -> Name:
        return self._k.let(f"{instruction} {self._vector} {a}, {b}")

    def _repeated(self, number: Name) -> Name:
        k, v = self._k, self._vector
        first = k.let(f"insertelement {v} poison, double {number}, i64 0")
        places = f"<{self.count} x i32> zeroinitializer"
        return k.let(f"shufflevector {v} {first}, {v} poison, {places}")
