"""The log-odds of one field against all others, for each cell of a network's output."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.backends.cpu.codegen.ir.formulas import exp, log
from core.backends.cpu.codegen.ir.kernel_text import FLOAT, KernelText, Name
from core.backends.cpu.codegen.ir.parameters import ARRAY, WHOLE, Parameters, read_parameters
from core.backends.cpu.codegen.ir.shuffles import shuffled

#: Largest number of values in a vector, which bounds the memory of cells computed together.
_MOST_LANES = 16


@dataclass(frozen=True)
class FieldOdds:
    """The logit of a field minus the logarithm of the sum of the exponentials of all others.

    The parameters: float32 cells, of all fields each; the result; how many cells there are, at
    least a vector of them; and the vectors of a task. The last vector may overlap the one before.

    Attributes:
        fields: number of fields.
        field: the number of the one.
    """

    fields: int
    field: int

    scratch_bytes = 3 * _MOST_LANES * FLOAT

    @property
    def parameters(self) -> Parameters:
        """Return what is given when the kernel is called."""
        return {"cells": ARRAY, "result": ARRAY, "count": WHOLE, "block": WHOLE}

    def write(self, k: KernelText) -> None:
        """Write the body of the function."""
        p, lanes = read_parameters(k, self.parameters), k.isa.lanes
        start = k.multiply(k.multiply("%task", p["block"]), lanes)
        stop = k.smaller(k.add(start, k.multiply(p["block"], lanes)), p["count"])
        last = k.subtract(p["count"], lanes)
        own, best, total = (k.at("%scratch", i * _MOST_LANES * FLOAT) for i in range(3))
        with k.loop(start, stop, lanes) as loop:
            first = k.smaller(loop.index, last)
            with k.loop(0, lanes) as cells:
                cell = k.at_float(p["cells"], k.multiply(k.add(first, cells.index), self.fields))
                for pointer, number in zip((own, best, total), self._cell(k, cell), strict=True):
                    k.write(
                        f"store float {number}, ptr {k.at_float(pointer, cells.index)}, align 4"
                    )
            values = [k.load(pointer) for pointer in (own, best, total)]
            odds = k.of("fsub", k.of("fsub", values[0], values[1]), log(k, values[2]))
            k.store(odds, k.at_float(p["result"], first))

    def _cell(self, k: KernelText, cell: Name) -> tuple[Name, Name, Name]:
        """Return the field's value, the largest other one, and the sum of the others' shares."""
        lanes = k.isa.lanes
        others = []
        for start in range(0, self.fields, lanes):
            count = min(lanes, self.fields - start)
            flags = [
                f"i1 {'true' if lane < count and start + lane != self.field else 'false'}"
                for lane in range(lanes)
            ]
            value = k.load(cell, start, count)
            others.append(k.select(f"<{', '.join(flags)}>", value, k.splat(float("-inf"))))
        best = _all_of(k, others, k.maximum)
        shares = [exp(k, k.of("fsub", value, best)) for value in others]
        total = _all_of(k, shares, lambda a, b: k.of("fadd", a, b))
        own = k.let(f"load float, ptr {k.at_float(cell, self.field)}, align 4")
        first = [k.let(f"extractelement {k.vector} {x}, i64 0") for x in (best, total)]
        return own, first[0], first[1]


def _all_of(k: KernelText, vectors: Sequence[Name], both: Callable[[Name, Name], Name]) -> Name:
    """Return the reduction of all lanes by an operation, in every lane."""
    value, lanes = vectors[0], k.isa.lanes
    for other in vectors[1:]:
        value = both(value, other)
    distance = lanes // 2
    while distance:
        order = [(lane + distance) % lanes for lane in range(lanes)]
        value = both(value, shuffled(k, value, value, order))
        distance //= 2
    return value
