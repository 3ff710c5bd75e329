"""Small functions, as CONTRIBUTING.md asks; nothing of this machine in the sources."""

import ast
import re
import statistics

from tests.rules.sources import PACKAGES, ROOT, name_of, source_files

FORBIDDEN = re.compile(r"(^|[^\w.])/(home|root|work|Users)/")


def function_lengths() -> list[int]:
    """Lines of every function without its docstring and decorators."""
    lengths = []
    for file in source_files(*PACKAGES):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                doc = node.body[0] if ast.get_docstring(node) else None
                taken = doc.end_lineno - doc.lineno + 1 if doc else 0
                lengths.append(node.end_lineno - node.lineno + 1 - taken)
    return lengths


def test_functions_are_short():
    lengths = sorted(function_lengths())
    assert statistics.median(lengths) <= 10
    assert lengths[int(len(lengths) * 0.9)] <= 40


def test_no_absolute_paths():
    for pattern in ("*.py", "*.md", "*.toml"):
        for file in [
            *ROOT.glob(pattern),
            *(
                f
                for p in (*PACKAGES, "tests", "gallery", "notebooks")
                for f in (ROOT / p).rglob(pattern)
            ),
        ]:
            found = FORBIDDEN.search(file.read_text()) if file.name != "test_sizes.py" else None
            assert not found, f"{name_of(file)}: {found}"
