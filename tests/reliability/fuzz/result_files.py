"""Folders of results that `zoo.batch` writes: each function in each format."""

import hashlib
import json
from contextlib import suppress
from functools import partial
from pathlib import Path

from tests.reliability.fuzz import uses
from tests.reliability.fuzz.uses import Loaded, Rng
from tests.reliability.fuzz.writers import Writers
from tests.zoo.jobs.test_formats import RESULTS, stored
from zoo.jobs.parts import PARTS

#: How often the hash of damaged rows is made right again.
_SIGNED = 0.8


def writers() -> Writers:
    """Jobs of one chunk."""
    return {f"{verb}-{form}": partial(_write, verb, form) for verb in RESULTS for form in PARTS}


def read_signed(path: Path, loaded: Loaded, rng: Rng) -> None:
    """Read results, whose records mostly have the sha256 of the damaged rows."""
    if rng.random() < _SIGNED:
        with suppress(ValueError, TypeError, OSError):
            sign(path)
    uses.read_results(path, loaded, rng)


def sign(folder: Path) -> None:
    """Write the sha256 of rows into their records."""
    for part in (folder / "parts").iterdir():
        record = folder / "records" / f"{part.stem}.json"
        facts = {**json.loads(record.read_text()), "sha256": sha256(part)}
        record.write_text(json.dumps(facts))


def sha256(path: Path) -> str:
    """The hash of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(verb: str, form: str, folder: Path) -> Path:
    stored(folder, verb, form)
    return folder / f"{verb}-{form}"
