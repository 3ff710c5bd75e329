"""Runs tests on the tf backend in a process of its own: software OpenGL would crash it."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.helpers import ONLY_BACKEND, ROOT, skip_or_fail

#: TensorFlow would start as many threads as there are CPUs twice, beside the other tests.
_ONE_THREAD = ("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS", "OMP_NUM_THREADS")

#: Seconds, on a computer that does much else; a process that hangs ends.
_MOST_SECONDS = 1800

#: Characters of the output of a run that failed: its end names the tests.
_SHOWN = 12_000


def require_tensorflow() -> None:
    """Skip where TensorFlow is not installed, without importing it."""
    if find_spec("tensorflow") is None:
        skip_or_fail("TensorFlow is not installed (pip install -e '.[oracle]')")


def files_on_any_backend(folder: str) -> list[str]:
    """Return the test files of a folder with functions that get the fixture ``backend``."""
    files = sorted((ROOT / folder).rglob("test_*.py"))
    return [str(f.relative_to(ROOT)) for f in files if _is_on_any_backend(f)]


def _is_on_any_backend(file: Path) -> bool:
    text = file.read_text()
    return "backend" in text and "backend" in arguments_of_tests(text)


def arguments_of_tests(text: str) -> Iterator[str]:
    """Yield the names of what the tests and fixtures of a file get."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            is_fixture = any("fixture" in ast.unparse(d) for d in node.decorator_list)
            if is_fixture or node.name.startswith("test_"):
                yield from (argument.arg for argument in node.args.args)


def passed_on_tensorflow(*arguments: str) -> list[str]:
    """Run pytest on the tf backend alone and return the names of the tests that passed.

    Args:
        *arguments: files, folders and options of pytest; without an expression of markers, what CI
            runs. Fails with the end of the output unless all tests that ran passed.
    """
    require_tensorflow()
    done = subprocess.run(
        [*_command(), *arguments],
        cwd=ROOT,
        env={**os.environ, ONLY_BACKEND: "tf", **dict.fromkeys(_ONE_THREAD, "1")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="backslashreplace",
        timeout=_MOST_SECONDS,
    )
    if done.returncode:
        pytest.fail(_failure(arguments, done.returncode, done.stdout), pytrace=False)
    return re.findall(r"^PASSED (\S+)", done.stdout, re.MULTILINE)


def _command() -> Sequence[str]:
    options = ("-n", "0", "-p", "no:cacheprovider", "-q", "-rfEp", "--tb=short", "--color=no")
    return (sys.executable, "-m", "pytest", *options, "-m", "not gpu and not bench and not long")


def _failure(arguments: Sequence[str], status: int, output: str) -> str:
    command = f"{ONLY_BACKEND}=tf python -m pytest -n 0 {' '.join(arguments)}"
    cut = "...\n" if len(output) > _SHOWN else ""
    return f"{command}\nended with status {status}:\n{cut}{output[-_SHOWN:]}"
