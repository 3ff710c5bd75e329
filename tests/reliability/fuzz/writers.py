"""Writers of the whole files that are damaged."""

from collections.abc import Callable, Mapping
from pathlib import Path

#: A writer into an empty folder by the name of each base, which returns the path to open.
Writers = Mapping[str, Callable[[Path], Path]]
