"""Which functions read files, by their source; and which of them run in the sweep.

``python -m tests.reliability.fuzz.readers`` uses whole files of each form, and prints the functions
of the packages that ran while one of these was opened, one a line.
"""

import ast
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path, PurePath
from types import FrameType

import numpy as np

from tests.reliability.fuzz.bases import FORMATS, Base, bases
from tests.rules.sources import PACKAGES, ROOT
from weights_cache import ZooError

#: Functions and methods by which Python opens a file; what OpenCV and Arrow open, it does not see.
_OPENERS = {
    *("open", "open_regular", "fdopen", "read_csv", "read_bytes", "read_text", "read_document"),
    *("read_json", "fromfile", "genfromtxt"),
}


@cache
def functions_that_read() -> frozenset[str]:
    """``path::name`` of the functions that call one of these, from the root of the project."""
    return frozenset(_functions())


def _functions() -> Iterator[str]:
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.FunctionDef) and any(map(_opens, ast.walk(node))):
                    yield f"{path.relative_to(ROOT).as_posix()}::{node.name}"


def _opens(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    return name in _OPENERS and not _is_for_writing(node)


def _is_for_writing(call: ast.Call) -> bool:
    """Whether the mode of opening is one of writing."""
    given = call.args[:2] + [keyword.value for keyword in call.keywords if keyword.arg == "mode"]
    modes = [each.value for each in given if isinstance(each, ast.Constant)]
    return any(isinstance(mode, str) and mode[:1] in ("w", "a", "x") for mode in modes)


class Watch:
    """Notes the functions that run while Python opens a file of a folder."""

    def __init__(self, folder: Path):
        self.functions: set[tuple[str, str]] = set()
        self._folder = str(folder)
        sys.addaudithook(self._heard)

    def _heard(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and str(arguments[0]).startswith(self._folder):
            frame: FrameType | None = sys._getframe(1)
            while frame is not None:
                self.functions.add((frame.f_code.co_filename, frame.f_code.co_name))
                frame = frame.f_back


def main() -> None:
    """Use files and print the functions."""
    with tempfile.TemporaryDirectory() as top:
        watch = Watch(Path(top))
        for name, form in FORMATS.items():
            for i, base in enumerate(_of_each_kind(bases(name))):
                path = base.write(Path(top) / name / str(i))
                with suppress(ZooError):
                    form.use(path, lambda: None, np.random.default_rng(i))
    found = sorted((Path(path), name) for path, name in watch.functions if _is_ours(path))
    print(*(f"{path.relative_to(ROOT).as_posix()}::{name}" for path, name in found), sep="\n")


def _of_each_kind(every: Sequence[Base]) -> Iterable[Base]:
    """One of those whose files have the same endings."""
    return {
        frozenset(PurePath(name).suffix for name in base.files): base for base in every
    }.values()


def _is_ours(path: str) -> bool:
    place = Path(path)
    return place.is_relative_to(ROOT) and place.relative_to(ROOT).parts[0] in PACKAGES


if __name__ == "__main__":
    main()
