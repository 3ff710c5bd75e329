"""Exchange of two folders in one step, as no system renames a folder over one that has files."""

import ctypes
import os
import sys
from pathlib import Path

_HERE = -100  # AT_FDCWD: paths are relative to the current folder
_EXCHANGE = 2  # RENAME_EXCHANGE


def exchange_folders(first: Path, second: Path) -> bool:
    """Give each of two folders the other's name at one moment, so that a kill loses neither name.

    Returns:
        Whether that was done; nothing has changed where the system or its disk cannot do it.

    Source: ``renameat2`` of Linux, which glibc has from 2.28 on.
    """
    if sys.platform != "linux":
        return False
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    return rename(_HERE, os.fsencode(first), _HERE, os.fsencode(second), _EXCHANGE) == 0
