"""Child processes of Python with the import path of this process.

``python -c`` puts the current folder first on the path, where a download called ``numpy.py`` may
lie. So a child gets the path of this process, without that folder.
"""

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Thread
from time import sleep

from weights_cache.common.errors import ZooError

#: Error message where Python is embedded in another program.
_NO_PYTHON = (
    "sys.executable is empty, so no Python process can be started: run this with an installed "
    "Python"
)


_LOOK_EVERY = 1.0  # seconds between looks at the parent


def python_command(code: str, *arguments: str) -> list[str]:
    """The command of a Python process that imports from the folders of this one.

    Args:
        code: what it runs.
        arguments: what ``sys.argv`` holds behind ``"-c"``.

    Raises:
        ZooError: this process does not know its own executable.
    """
    if not sys.executable:
        raise ZooError(_NO_PYTHON)
    # sys is built in: nothing is searched for on the path before it is replaced.
    start = f"import sys\nsys.path[:] = {ascii(import_folders())}\n"
    return [sys.executable, "-c", start + code, *arguments]


def python_environment(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for `python_command`, whose path needs no variable.

    A file called ``sitecustomize.py`` runs while Python starts, before the command does: so no
    folder may come from a variable.

    Args:
        variables: by default those of this process.
    """
    kept = dict(os.environ if variables is None else variables)
    kept.pop("PYTHONPATH", None)
    return {**kept, "PYTHONSAFEPATH": "1"}


def end_with_parent(clear: Callable[[], object] = lambda: None) -> None:
    """End this process soon after its parent, also in the middle of work that has no end.

    Who waits for requests sees the end of the input; who works does not, nor where a fork of the
    parent keeps the other end of the pipe. On Windows, where a process keeps the number of a parent
    that has ended, nothing happens.

    Args:
        clear: called before the process ends.
    """
    Thread(target=_watch, args=(os.getppid(), clear), name="zoo-parent", daemon=True).start()


def _watch(parent: int, clear: Callable[[], object]) -> None:
    while os.getppid() == parent:
        sleep(_LOOK_EVERY)
    clear()
    os._exit(1)


def import_folders() -> list[str]:
    """The ``sys.path`` of the process without the current folder, and without relative entries.

    The folder that holds our packages stays, also where it is the current one: a checkout.
    """
    ours = _real(str(Path(__file__).parent.parent))
    relative = {_real(entry) for entry in _variable_entries() if not os.path.isabs(entry)}
    refused = {_real(""), *relative} - {ours}
    return [entry for entry in map(_absolute, sys.path) if _real(entry) not in refused]


def _variable_entries() -> list[str]:
    """Return the entries of ``PYTHONPATH`` as written: Python makes them absolute at its start."""
    return os.environ.get("PYTHONPATH", "").split(os.pathsep)


def _absolute(entry: str) -> str:
    return os.path.abspath(entry or os.curdir)


def _real(entry: str) -> str:
    return os.path.normcase(os.path.realpath(entry or os.curdir))
