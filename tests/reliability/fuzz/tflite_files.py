"""TFLite files: every op that is read, over floats and quanta, in files of a few kB."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.core.converter.tflite.fixtures.models import FOLDER


def writers() -> Mapping[str, Callable[[Path], Path]]:
    """Of the recorded files of the reader's own tests."""
    return {f.stem: partial(_copy, f) for f in sorted(FOLDER.rglob("*.tflite"))}


def _copy(source: Path, folder: Path) -> Path:
    target = folder / source.name
    target.write_bytes(source.read_bytes())
    return target
