"""Check of new files of models: they are read back before they replace others."""

from collections.abc import Callable
from pathlib import Path

import weights_cache.read_back
from core.engine.limits import LimitError
from core.errors import CoreError
from weights_cache.read_back import Read


def read_back(read: Callable[[Path], Read], path: Path) -> Read:
    """Return what a reader finds in new files.

    Raises:
        CoreError: they cannot be read, or it is something else.
    """
    return weights_cache.read_back.read_back(read, path, not_equal, LimitError)


def not_equal(reason: str) -> CoreError:
    """Return the error for new files that are not what was to be written."""
    return CoreError(
        f"what was written cannot be read back ({reason}), so nothing was replaced: if the model "
        f"itself runs, this is a fault of the writer, please report it"
    )
