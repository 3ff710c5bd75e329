"""Which of TensorFlow.js's kernels are here: ``python -m tests.core.kernel_table [BACKEND]``.

The names are those of tfjs-core 4.22 (`tensorflow_js_kernels.csv`, with whether tfjs-core registers
a gradient). Present means that an op of that name has a kernel on the backend; gradient, how many
of its inputs have one; tested, how many cases of the op records run it.
"""

import csv
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from core.registry import KERNEL_NAMES, KERNELS, load_kernels
from tests.core.records import CASES

#: They take a browser's canvas, which Python has none of.
CANVAS_KERNELS = {"Draw", "FromPixels"}


class Row(NamedTuple):
    """One kernel of TensorFlow.js, and what is here of it."""

    kernel: str
    op: str
    present: bool
    gradients: int  # so many inputs have one
    inputs: int
    gradient_there: bool  # in TensorFlow.js
    cases: int

    @property
    def complete(self) -> bool:
        """Whether it is present and tested, with a gradient if TensorFlow.js has one."""
        return self.present and self.cases > 0 and (self.gradients > 0) >= self.gradient_there


def rows(backend: str = "cpu") -> list[Row]:
    """A row for each of the 180 kernels, in TensorFlow.js's order."""
    listed = Path(__file__).with_name("tensorflow_js_kernels.csv").read_text().splitlines()
    cases = Counter(case.op for case in CASES)
    load_kernels(backend)
    return [
        _row(r["kernel"], r["gradient"] == "yes", backend, cases) for r in csv.DictReader(listed)
    ]


def _row(kernel: str, gradient_there: bool, backend: str, cases: Counter) -> Row:
    op = KERNEL_NAMES.get(kernel)
    if op is None:
        return Row(kernel, "", False, 0, 0, gradient_there, 0)
    present = (op.name, backend) in KERNELS or op.traits.view
    gradients, inputs = len(op.gradients), len(op.inputs)
    return Row(kernel, op.name, present, gradients, inputs, gradient_there, cases[op.name])


def main(backend: str) -> None:
    """Print the table and its sums; the exit status is 1 when more than the canvas is missing."""
    table = rows(backend)
    print(f"{'kernel':<36}{'op':<36}{'present':<9}{'gradient':<10}{'in tfjs':<9}tested")
    for r in table:
        present, there = ("yes" if m else "-" for m in (r.present, r.gradient_there))
        gradients = f"{r.gradients}/{r.inputs}" if r.gradients else "-"
        print(f"{r.kernel:<36}{r.op:<36}{present:<9}{gradients:<10}{there:<9}{r.cases or '-'}")
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
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu")
