"""The gallery's programs that train: their modules for tests, their command lines, and photos."""

import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image, ImageDraw

from tests.helpers import ROOT

GALLERY = ROOT / "gallery"


def load_program(name: str) -> SimpleNamespace:
    """The program's modules by name: they import each other as scripts of one folder do.

    What several programs share is in ``training``, in the same way.
    """
    stems = [path.stem for path in (GALLERY / name).glob("*.py")]
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(GALLERY))
        patch.syspath_prepend(str(GALLERY / name))
        for stem in stems:
            patch.delitem(sys.modules, stem, raising=False)
        modules = {stem: importlib.import_module(stem) for stem in stems}
        for stem in stems:
            patch.delitem(sys.modules, stem)
        shared = {
            path.stem: importlib.import_module(f"training.{path.stem}")
            for path in (GALLERY / "training").glob("[!_]*.py")
        }
    return SimpleNamespace(**modules, training=SimpleNamespace(**shared))


def run_program(name: str, *arguments, **environment) -> subprocess.CompletedProcess:
    """Run a program's command line."""
    return subprocess.run(
        [sys.executable, str(GALLERY / name / "train.py"), *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )


def assert_refused(done: subprocess.CompletedProcess, *words: str) -> None:
    """The program ended in one line with these words and exit status 2."""
    assert done.returncode == 2, done.stderr
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr


def draw_person(size, rng) -> Image.Image:
    """A stick figure; the teacher need not see a person in it."""
    image = Image.new("RGB", size, tuple(rng.integers(0, 256, 3).tolist()))
    draw = ImageDraw.Draw(image)
    x, y = size[0] / 2, size[1] / 2
    unit = min(size) / 10
    draw.ellipse((x - unit, y - 4 * unit, x + unit, y - 2 * unit), fill="peachpuff")
    for dx, dy in ((-2, 1), (2, 1), (-1, 4), (1, 4)):
        draw.line((x, y - 2 * unit, x + dx * unit, y + dy * unit), fill="navy", width=5)
    return image


def missing(folder: Path) -> None:
    """A folder that does not exist."""


def empty(folder: Path) -> None:
    """A folder without files."""
    folder.mkdir()


def unreadable(folder: Path) -> None:
    """A folder of files that are no pictures."""
    folder.mkdir()
    (folder / "a.jpg").write_bytes(b"")
    (folder / "b.png").write_text("text")


#: What a folder given may be, and words of the error.
BAD_FOLDERS = [
    (missing, "is not a folder"),
    (empty, "no .jpeg, .jpg, .png, .webp file in"),
    (unreadable, "none of the 2 pictures in"),
]
