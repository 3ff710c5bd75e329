"""Which of TensorFlow.js's kernels are here, and where.

Run: ``python -m tests.core.engine.kernel_table``.

The names are those of tfjs-core 4.22 (`tensorflow_js_kernels.csv`, with whether tfjs-core registers
a gradient). There is a column for each backend: yes where an op of that name has a kernel on it,
host where cpu runs it; gradient says how many of its inputs have one; tested, how many cases of the
op records run it.
"""

import csv
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from core.engine.backends import backend_names
from core.engine.operation import Op
from core.engine.registry import KERNEL_NAMES, KERNELS, load_kernels
from tests.core.ops.records import CASES
from tests.rules.op_table import host_ops

#: They take a browser's canvas, which Python has none of.
CANVAS_KERNELS = {"Draw", "FromPixels"}


class Row(NamedTuple):
    """One kernel of TensorFlow.js, and what is here of it."""

    kernel: str
    op: str
    places: tuple[str, ...]  # on each backend "yes", "host" or "-"
    gradients: int  # so many inputs have one
    inputs: int
    gradient_there: bool  # in TensorFlow.js
    cases: int

    @property
    def present(self) -> bool:
        """Whether it runs on every backend."""
        return "-" not in self.places

    @property
    def complete(self) -> bool:
        """Whether it is present and tested, with a gradient if TensorFlow.js has one."""
        return self.present and self.cases > 0 and (self.gradients > 0) >= self.gradient_there


def rows() -> list[Row]:
    """A row for each of the 180 kernels, in TensorFlow.js's order."""
    listed = Path(__file__).with_name("tensorflow_js_kernels.csv").read_text().splitlines()
    cases = Counter(case.op for case in CASES)
    for backend in backend_names():
        load_kernels(backend)
    return [_row(r["kernel"], r["gradient"] == "yes", cases) for r in csv.DictReader(listed)]


def _row(kernel: str, gradient_there: bool, cases: Counter) -> Row:
    op = KERNEL_NAMES.get(kernel)
    if op is None:
        return Row(kernel, "", ("-",) * len(backend_names()), 0, 0, gradient_there, 0)
    places = tuple(_place(op, backend) for backend in backend_names())
    gradients, inputs = len(op.gradients), len(op.inputs)
    return Row(kernel, op.name, places, gradients, inputs, gradient_there, cases[op.name])


def _place(op: Op, backend: str) -> str:
    """Where an op runs for a backend."""
    if (op.name, backend) in KERNELS or op.traits.view:
        return "yes"
    return "host" if op.name in host_ops(backend) else "-"


def main() -> None:
    """Print the table and its sums; the exit status is 1 when more than the canvas is missing."""
    table = rows()
    columns = "".join(f"{name:<8}" for name in backend_names())
    print(f"{'kernel':<36}{'op':<36}{columns}{'gradient':<10}{'in tfjs':<9}tested")
    for r in table:
        places = "".join(f"{place:<8}" for place in r.places)
        there = "yes" if r.gradient_there else "-"
        gradients = f"{r.gradients}/{r.inputs}" if r.gradients else "-"
        print(f"{r.kernel:<36}{r.op:<36}{places}{gradients:<10}{there:<9}{r.cases or '-'}")
    missing = [r.kernel for r in table if not r.complete and r.kernel not in CANVAS_KERNELS]
    print(
        f"{len(table)} kernels: {sum(r.present for r in table)} present, "
        f"{sum(r.gradients > 0 for r in table)} with a gradient "
        f"({sum(r.gradient_there for r in table)} in TensorFlow.js), "
        f"{sum(r.cases > 0 for r in table)} tested by {sum(r.cases for r in table)} cases; "
        f"incomplete but for the canvas: {', '.join(missing) or 'none'}"
    )
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
