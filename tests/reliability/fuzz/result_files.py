"""Folders of results that `zoo.batch` writes: each function in each format."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.zoo.jobs.test_formats import RESULTS, stored
from zoo.jobs.parts import PARTS

Writers = Mapping[str, Callable[[Path], Path]]


def writers() -> Writers:
    """Jobs of one chunk."""
    return {f"{verb}-{form}": partial(_write, verb, form) for verb in RESULTS for form in PARTS}


def _write(verb: str, form: str, folder: Path) -> Path:
    stored(folder, verb, form)
    return folder / f"{verb}-{form}"
