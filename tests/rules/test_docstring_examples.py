"""The examples in the docstrings of all modules run: a test for each room.

pytest's own option ``--doctest-modules`` would import all modules in every process, and take as
long to look for the examples as for all tests.
"""

import doctest
import importlib
from collections import defaultdict

import pytest

from tests.rules.sources import PACKAGES, ROOT


def modules_by_room() -> dict[str, list[str]]:
    """The modules that have examples, by their folder."""
    found = defaultdict(list)
    for file in sorted(f for package in PACKAGES for f in (ROOT / package).rglob("*.py")):
        if ">>> " in file.read_text():
            parts = file.relative_to(ROOT).with_suffix("").parts
            module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            found[file.parent.relative_to(ROOT).as_posix()].append(module)
    return found


MODULES = modules_by_room()


def run_examples(module: str, said: list[str]) -> int:
    """Run all, add what is wrong to a list, and return how many examples there were."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    for test in finder.find(importlib.import_module(module), module):
        runner.run(test, out=said.append)
    return runner.tries


@pytest.mark.parametrize("room", MODULES)
def test_the_examples_run(room):
    said: list[str] = []
    for module in MODULES[room]:
        run_examples(module, said)
    assert not said, "".join(said)


def test_most_rooms_have_examples():
    assert len(MODULES) > 50 and sum(map(len, MODULES.values())) > 350


def test_a_wrong_example_is_found(tmp_path, monkeypatch):
    (tmp_path / "with_wrong_example.py").write_text('"""\n>>> 1 + 1\n3\n"""\n')
    monkeypatch.syspath_prepend(str(tmp_path))
    said: list[str] = []
    assert run_examples("with_wrong_example", said) == 1
    assert "Expected:\n    3\nGot:\n    2\n" in "".join(said)
