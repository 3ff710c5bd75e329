"""The folder of one run, below the folder of its results, in which its files are made.

Processes may outlive their run: it was killed, or its results were removed while they computed.
What they write must meet no later run, of another job or of the same one. So each run has a folder
of a name of its own; files are made in it, and renamed from there to where they belong. The next
run first takes the name away, and with removed results it is gone, too: then nothing can be made
there, nor renamed from there. As it is the renaming itself that fails, there is no moment between
a check and the writing, as there would be if a process looked at job.json first. It needs neither
locks nor descriptors of folders: it holds on Windows, and on disks that computers share.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from weights_cache.atomic_files import replacing
from weights_cache.common.errors import ZooError

#: Prefixes of the folders of runs, and of those that await their removal.
RUN, GONE = "run-", "gone-"


class RunFolder:
    """The folder of a run that lasts.

    Args:
        path: as `begin_run` made it.
    """

    def __init__(self, path: Path):
        self.path = path

    @property
    def exists(self) -> bool:
        """Whether the run may still write: no other one began, and the results are there."""
        return self.path.is_dir()

    def check(self) -> None:
        """Raise unless the run may still write.

        Raises:
            ZooError: it may not.
        """
        if not self.exists:
            raise ZooError(
                f"another run began in {str(self.path.parent)!r}, or the folder was removed, while "
                "this run worked: nothing more is written; run the command again"
            )

    @contextmanager
    def replacing(self, target: Path) -> Iterator[BinaryIO]:
        """Yield a new file that replaces ``target`` when the block ends, if the run lasts.

        Raises:
            ZooError: it does not.
        """
        try:
            with replacing(target, made_in=self.path) as file:
                yield file
        except FileNotFoundError:
            self.check()
            raise

    def remove(self, path: Path) -> None:
        """Remove a file, if it is there and the run lasts."""
        removed = self.path / f"{path.name}.{os.urandom(6).hex()}"
        with suppress(FileNotFoundError):
            os.replace(path, removed)
            removed.unlink()
        self.check()

    def end(self) -> None:
        """Take the name away at once, then the files: disks of a network keep those in use.

        Raises:
            OSError: it cannot be renamed.
        """
        gone = self.path.with_name(self.path.name.replace(RUN, GONE, 1))
        os.rename(self.path, gone)
        shutil.rmtree(gone, ignore_errors=True)


def begin_run(results: Path) -> RunFolder:
    """End all earlier runs in a folder of results, and return the folder of a new one.

    Only who holds the lock of the results may call it.

    Raises:
        OSError: the folder cannot be made, or one of an earlier run cannot be renamed.
    """
    for name in os.listdir(results):
        if name.startswith(RUN):
            RunFolder(results / name).end()
        elif name.startswith(GONE):
            shutil.rmtree(results / name, ignore_errors=True)
    path = results / f"{RUN}{os.urandom(16).hex()}"
    path.mkdir()
    return RunFolder(path)
