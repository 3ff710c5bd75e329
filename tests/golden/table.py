"""Prints how far each staged model is from its goldens.

Run: ``python -m tests.golden.table [PART OF A PATH]``.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT
from tests.golden.comparison import Row, compare
from tests.golden.staged import cases, loaded


def lines(weights: Path, part: str = "") -> Iterator[str]:
    """A line of Markdown per output of each golden."""
    yield "| model | nodes | golden | output | error | bound | unit |"
    yield "|---|---:|---|---|---:|---:|---|"
    for staged, name in cases():
        if part in staged.path:
            nodes = len(loaded(weights / staged.path).graph.nodes)
            for row in compare(weights, staged, name):
                yield f"| {staged.path} | {nodes} | {name} | {cells(row)} |"


def cells(row: Row) -> str:
    """One measurement; what does not hold is marked."""
    mark = "" if row.holds else " **too far**"
    return f"{row.output} | {row.error:.2g} | {row.bound:.2g}{mark} | {row.unit}"


if __name__ == "__main__":
    folder = Path(os.environ.get("ZOO_SHARED", ROOT.parent / "shared")) / "weights"
    for line in lines(folder, *sys.argv[1:2]):
        print(line, flush=True)
