"""Hostile SavedModels: links out of the folder, and pipes, in the place of each of their files."""

import os
import shutil
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.core.converter.tensorflow_runs import unpack

#: Files of a SavedModel that reads a vocabulary.
MEMBERS = {
    "graph": "saved_model.pb",
    "index": "variables/variables.index",
    "data": "variables/variables.data-00000-of-00001",
    "asset": "assets/words.txt",
}


def files() -> Mapping[str, Callable[[Path], Path]]:
    """4 links and 4 pipes."""
    return {
        **{f"link_{key}": partial(_link, member) for key, member in MEMBERS.items()},
        **{f"pipe_{key}": partial(_pipe, member) for key, member in MEMBERS.items()},
    }


def _link(member: str, folder: Path) -> Path:
    """The member is a link to a file outside of the model."""
    model = unpack(folder, "lines")
    shutil.move(model / member, folder / "outside")
    (model / member).symlink_to(folder / "outside")
    return model


def _pipe(member: str, folder: Path) -> Path:
    """Nobody ever writes into the pipe."""
    model = unpack(folder, "lines")
    (model / member).unlink()
    os.mkfifo(model / member)
    return model
