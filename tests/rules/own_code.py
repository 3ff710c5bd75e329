"""Lines of the product by room, and of the parts in ``core/docs/own_code.md``.

``python -m tests.rules.own_code [folder]`` prints the rooms of this checkout or of another one;
``--write`` brings the lines on the page up to date.
"""

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.rules.sources import PACKAGES, ROOT

PAGE = ROOT / "core/docs/own_code.md"

#: What the project exists for: the engine, its kernels, layers and training, the zoo, the format of
#: weights. Every other room must be on the page.
PURPOSE = (
    *("core", "core/engine", "core/ops", "core/autodiff", "core/graph", "core/plan"),
    *("core/graph_model", "core/compiled_functions", "core/process", "core/profiling"),
    *("core/backends", "core/backends/cpu", "core/backends/shader", "core/backends/tf"),
    *("core/keras", "core/layers", "core/models", "core/initializers", "core/constraints"),
    *("core/regularizers", "core/losses", "core/metrics", "core/optimizers", "core/callbacks"),
    *("zoo", "zoo/catalog", "zoo/tasks", "zoo/shared", "zoo/pipeline", "zoo/results"),
    *("zoo/effects", "zoo/samples"),
)

#: The least lines of a part that has to say why it is our own.
LEAST = 300

_ROW = re.compile(r"^\| (?P<what>[^|]+) \| (?P<files>`[^|]+`) \| (?P<lines>[\d,]+) \|", re.M)


class Part(NamedTuple):
    """A row of the page: what it is, patterns of its files, and the lines that the page says."""

    what: str
    patterns: tuple[str, ...]
    lines: int


def parts(text: str) -> Iterator[Part]:
    """The rows of the page."""
    for row in _ROW.finditer(text):
        patterns = tuple(re.findall(r"`([^`]+)`", row["files"]))
        yield Part(row["what"], patterns, int(row["lines"].replace(",", "")))


def files_of(pattern: str, root: Path = ROOT) -> list[Path]:
    """The files of a pattern: a folder with all below it, or a glob."""
    folder = root / pattern
    return sorted(folder.rglob("*.py") if folder.is_dir() else root.glob(pattern))


def lines_of(*patterns: str, root: Path = ROOT) -> int:
    """The lines of files, each counted once."""
    files = {file for pattern in patterns for file in files_of(pattern, root)}
    return sum(len(file.read_text().splitlines()) for file in files)


def room_of(file: Path, root: Path = ROOT) -> str:
    """The room of a file: a folder of a package, of ``core/backends`` one of a backend."""
    folders = file.relative_to(root).parts[:-1]
    return "/".join(folders[: 3 if folders[1:2] == ("backends",) else 2])


def rooms(root: Path = ROOT) -> dict[str, int]:
    """The lines of each room."""
    found: Counter[str] = Counter()
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            found[room_of(file, root)] += len(file.read_text().splitlines())
    return dict(sorted(found.items()))


def written(text: str) -> str:
    """The page with the lines of today, rounded to tens."""

    def row(found: re.Match[str]) -> str:
        count = lines_of(*re.findall(r"`([^`]+)`", found["files"]))
        return f"| {found['what']} | {found['files']} | {round(count, -1):,} |"

    return _ROW.sub(row, text)


def main() -> None:
    """Print the rooms, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if given.write:
        PAGE.write_text(written(PAGE.read_text()))
        return
    found = rooms(given.folder.resolve())
    for room, lines in found.items():
        print(f"{lines:8,}  {room}")
    print(f"{sum(found.values()):8,}  in all")


if __name__ == "__main__":
    main()
