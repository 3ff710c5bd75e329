"""The tables of ops in ``core/docs/ops.md``; ``python -m tests.rules.op_table`` writes them."""

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc
from typing import Any

import core
from tests.rules.sources import ROOT

PAGE = ROOT / "core" / "docs" / "ops.md"

#: The first lines of the tables, and what gives their rows.
OPS_HEAD, KERNELS_HEAD = "| family | functions |", "| kernels of |"


def op_rows() -> list[str]:
    """For each file of ops what it is about, by its docstring, and its public functions."""
    families: dict[str, list[str]] = {}
    found: dict[str, Any] = {**core.engine.registry.OPS, **core.engine.registry.FUNCTIONS}
    for name, function in sorted(found.items()):
        module = getattr(function, "rule", function).__module__
        if module.startswith("core."):
            families.setdefault(module, []).append(f"`{name}`")
    rows = [(_summary(module), ", ".join(names)) for module, names in families.items()]
    return [f"| {summary} | {names} |" for summary, names in sorted(rows)]


def _summary(module: str) -> str:
    """The first line of a file's docstring, up to its first stop."""
    first = (getdoc(sys.modules[module]) or "").partition("\n")[0]
    return re.split(r"[.:;](?:\s|$)", first)[0]


def kernel_rows() -> list[str]:
    """For families of ops (files of core/ops) where their kernels run; those alike share a row."""
    families: dict[str, list[str]] = {}
    for op in core.engine.registry.OPS.values():
        package, _, family = op.rule.__module__.rpartition(".")
        if package == "core.ops":
            families.setdefault(family, []).append(op.name)
    shown: dict[tuple[str, ...], list[str]] = {}
    for family, names in sorted(families.items()):
        cells = tuple(_where(names, backend) for backend in core.engine.backends.backend_names())
        kernels = sum((name, "cpu") in core.engine.registry.KERNELS for name in names)
        shown.setdefault(cells, []).append(f"`{family}` {kernels}")
    return [f"| {' | '.join([', '.join(shown[cells]), *cells])} |" for cells in shown]


def _where(names: list[str], backend: str) -> str:
    """What is native there, and why the rest is not."""
    core.engine.registry.load_kernels(backend)
    hosted = host_ops(backend)
    reasons: dict[str, list[str]] = {}
    for name in names:
        reason = hosted.get(name)
        if reason is not None:
            reasons.setdefault(reason, []).append(f"`{name}`")
        else:
            found = core.engine.registry.KERNELS.get((name, backend))
            assert found or core.engine.registry.OPS[name].traits.view, (
                f"no kernel {name} on {backend}"
            )
    if sum(map(len, reasons.values())) == len(names) and len(reasons) == 1:
        return f"host: {next(iter(reasons))}"
    rest = [f"host for {', '.join(ops)}: {reason}" for reason, ops in reasons.items()]
    return "; ".join(["native", *rest])


def host_ops(backend: str) -> dict[str, str]:
    """Return the rows of a backend's ``host_ops.py`` without starting the backend."""
    module = f"core.backends.{backend}.host_ops"
    return import_module(module).HOST_OPS if find_spec(module) else {}


def kernel_columns() -> list[str]:
    """The rest of the first line of the table of kernels, a column for each backend; its rule."""
    names = core.engine.backends.backend_names()
    columns = "".join(f" `{name}` |" for name in names)
    return [columns, "|" + " --- |" * (1 + len(names))]


def written(text: str) -> str:
    """The document with both tables as they should be."""
    text = _replaced(text, OPS_HEAD, ["", "| --- | --- |", *op_rows()])
    return _replaced(text, KERNELS_HEAD, [*kernel_columns(), *kernel_rows()])


def _replaced(text: str, head: str, lines: list[str]) -> str:
    """The text with other lines from the start of a table up to the blank line after it."""
    before, table = text.split(head)
    return before + head + "\n".join(lines) + table[table.index("\n\n") :]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
