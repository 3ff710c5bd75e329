"""What ``core/docs/how_to/op.md`` says that a new op takes is all that it takes."""

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from tests.helpers import ONLY_BACKEND
from tests.rules.sources import ROOT

PAGE = ROOT / "core" / "docs" / "how_to" / "op.md"
pytestmark = pytest.mark.whole

TESTS = (
    "tests/core/ops/test_ops.py",
    "tests/core/ops/test_elementwise.py",
    "tests/core/autodiff/test_derivatives.py",
)


def parts_of_an_elementwise_op() -> list[str]:
    """What the document adds for an op: its declaration, and its kernels on each backend."""
    text = PAGE.read_text()
    block = text[text.index("## An element-wise op") :]
    code = block[
        block.index("```python") + len("```python") : block.index("```\n\nThe declaration")
    ]
    parts = re.split(r"^(?:#.*\n)+", code, flags=re.MULTILINE)
    return [part.strip() for part in parts if part.strip()]


def insert_row(file, table: str, row: str) -> None:
    text = file.read_text()
    opened = re.search(rf"^{table}\b.*[\[{{]$", text, re.MULTILINE)
    file.write_text(f"{text[: opened.end()]}\n    {row}{text[opened.end() :]}")


def append(file, code: str) -> None:
    file.write_text(f"{file.read_text()}\n\n{code}\n")


def parts_of_any_other_op() -> dict[str, str]:
    """What the document adds to each file; a comment before it names the file."""
    text = PAGE.read_text()
    block = text[text.index("## Any other op") :]
    code = block[block.index("```python") + len("```python") : block.index("\n```\n\nand its")]
    _, *parts = re.split(r"^# (\S+\.py): .*\n", code, flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def copy_sources(folder) -> None:
    for package in ("core", "weights_cache", "tests/core", "tests/rules"):
        shutil.copytree(ROOT / package, folder / package)
    names = ("__init__", "conftest", "helpers", "packages", "wheels")
    tests = (f"tests/{name}.py" for name in names)
    for file in ("pyproject.toml", *tests):
        shutil.copy(ROOT / file, folder / file)


def passed_in(folder, *selection: str, backend: str = "") -> int:
    """How many tests pass, if all do: on one backend, or on those that share this process."""
    command = [sys.executable, "-m", "pytest", "-q", *TESTS, *selection]
    world = {**os.environ, ONLY_BACKEND: backend} if backend else None
    done = subprocess.run(command, cwd=folder, env=world, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    return int(re.search(r"(\d+) passed", done.stdout).group(1))


def run_in(folder, module: str, *arguments: str) -> None:
    world = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=folder, env=world, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_an_elementwise_op_takes_a_function_a_row_per_backend_and_no_test(tmp_path):
    copy_sources(tmp_path)
    declared, computed, drawn, by_tensorflow = parts_of_an_elementwise_op()
    append(tmp_path / "core/ops/unary.py", declared)
    insert_row(tmp_path / "core/backends/cpu/kernels/unary.py", "UNARY", computed)
    insert_row(tmp_path / "core/backends/shader/codegen/expressions.py", "UNARY", drawn)
    name = re.search(r"def (\w+)", declared).group(1)
    insert_row(tmp_path / "core/backends/tf/kernels/unary.py", "UNARY", by_tensorflow)
    assert passed_in(tmp_path, "-k", name) >= 10
    run_in(tmp_path, "tests.rules.new_op", name)
    if find_spec("tensorflow"):
        assert passed_in(tmp_path, "-k", name, backend="tf") >= 5


def test_any_other_op_takes_what_the_document_shows(tmp_path):
    copy_sources(tmp_path)
    for file, code in parts_of_any_other_op().items():
        append(tmp_path / file, code)
    assert passed_in(tmp_path, "-k", "roll or every_op_has or every_attribute") >= 10
    if find_spec("tensorflow"):
        assert passed_in(tmp_path, "-k", "roll", backend="tf") >= 3
