"""What CONTRIBUTING.md says that takes one row takes one row."""

import re
import shutil
import subprocess
import sys

from tests.rules.sources import ROOT


def rows_of_the_document() -> list[str]:
    """The rows for core/ops/unary.py and core/backends/cpu/unary.py."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    block = text[text.index("## An element-wise op") :]
    code = block[block.index("```python") + len("```python") : block.index("```\n\nThe tables")]
    return [line for line in code.splitlines() if line and not line.startswith("#")]


def insert_row(file, table: str, row: str) -> None:
    text = file.read_text()
    opened = re.search(rf"^{table}\b.*[\[{{]$", text, re.MULTILINE)
    file.write_text(f"{text[: opened.end()]}\n    {row}{text[opened.end() :]}")


def test_an_elementwise_op_takes_two_rows_and_no_test(tmp_path):
    for package in ("core", "weights_cache", "tests/core"):
        shutil.copytree(ROOT / package, tmp_path / package)
    for file in ("pyproject.toml", "tests/__init__.py", "tests/conftest.py", "tests/helpers.py"):
        shutil.copy(ROOT / file, tmp_path / file)
    declared, computed = rows_of_the_document()
    insert_row(tmp_path / "core/ops/unary.py", "UNARY", declared)
    insert_row(tmp_path / "core/backends/cpu/unary.py", "UNARY", computed)
    name = re.search(r'"(\w+)"', declared).group(1)
    command = [sys.executable, "-m", "pytest", "-q", "tests/core/test_ops.py", "-k", name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    assert int(re.search(r"(\d+) passed", done.stdout).group(1)) >= 10, done.stdout
