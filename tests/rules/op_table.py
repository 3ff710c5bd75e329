"""The lists of ops in ``core/docs/ops.md``; ``python -m tests.rules.op_table`` writes them."""

import re
import sys
from importlib import import_module
from importlib.util import find_spec
from inspect import getdoc
from typing import Any

import core
from tests.rules.document_forms import list_item
from tests.rules.sources import ROOT

PAGE = ROOT / "core" / "docs" / "ops.md"

#: What stands before the lists: of the ops, and of those that a backend leaves to the host.
OPS_HEAD, KERNELS_HEAD = "public function:\n\n", "reasons):\n\n"


def op_rows() -> list[str]:
    """For each file of ops what it is about, by its docstring, and its public functions."""
    families: dict[str, list[str]] = {}
    found: dict[str, Any] = {**core.engine.registry.OPS, **core.engine.registry.FUNCTIONS}
    for name, function in sorted(found.items()):
        module = getattr(function, "rule", function).__module__
        if module.startswith("core."):
            families.setdefault(module, []).append(f"`{name}`")
    rows = [(_summary(module), ", ".join(names)) for module, names in families.items()]
    return [list_item(f"{summary}: {names}.") for summary, names in sorted(rows)]


def _summary(module: str) -> str:
    """The first line of a file's docstring, up to its first stop."""
    first = (getdoc(sys.modules[module]) or "").partition("\n")[0]
    return re.split(r"[.:;](?:\s|$)", first)[0]


def kernel_rows() -> list[str]:
    """For each backend the ops that run on the host, by reason."""
    names = [
        op.name
        for op in core.engine.registry.OPS.values()
        if op.rule.__module__.startswith("core.ops.")
    ]
    return [
        list_item(f"`{backend}`: {text}.")
        for backend in core.engine.backends.backend_names()
        for text in _where(sorted(names), backend)
    ]


def _where(names: list[str], backend: str) -> list[str]:
    """How many are native there, and why the rest is not."""
    core.engine.registry.load_kernels(backend)
    hosted = host_ops(backend)
    reasons: dict[str, list[str]] = {}
    native = 0
    for name in names:
        reason = hosted.get(name)
        if reason is not None:
            reasons.setdefault(reason, []).append(f"`{name}`")
        else:
            found = core.engine.registry.KERNELS.get((name, backend))
            assert found or core.engine.registry.OPS[name].traits.view, (
                f"no kernel {name} on {backend}"
            )
            native += 1
    rest = [f"on the host {', '.join(ops)}: {reason}" for reason, ops in reasons.items()]
    return [f"{native} of {len(names)} ops are native", *rest]


def host_ops(backend: str) -> dict[str, str]:
    """Return the rows of a backend's ``host_ops.py`` without starting the backend."""
    module = f"core.backends.{backend}.host_ops"
    return import_module(module).HOST_OPS if find_spec(module) else {}


def written(text: str) -> str:
    """The document with both lists as they should be."""
    text = _replaced(text, OPS_HEAD, op_rows())
    return _replaced(text, KERNELS_HEAD, kernel_rows())


def _replaced(text: str, head: str, lines: list[str]) -> str:
    """The text with another list after a head, up to the blank line after it."""
    before, after = text.split(head)
    return before + head + "\n".join(lines) + after[after.index("\n\n") :]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text()))
