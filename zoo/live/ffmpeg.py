"""The program ffmpeg, where it is on the path; nothing needs it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache

_SOUND = re.compile(r"Stream #\S+ Audio: (\w+)")


def program() -> str | None:
    """Return the path of ffmpeg, or None."""
    return shutil.which("ffmpeg")


def as_file(path: str | os.PathLike[str]) -> str:
    """Return a path as an argument that is neither an option nor a protocol."""
    return f"file:{os.path.abspath(path)}"


def first_encoder(names: Iterable[str]) -> str | None:
    """Return the first of some encoders that this ffmpeg has; None without ffmpeg."""
    found = program()
    if found is None:
        return None
    known = _encoders(found)
    return next((name for name in names if name in known), None)


@cache
def _encoders(found: str) -> frozenset[str]:
    lines = _done(found, "-encoders").stdout.splitlines()
    return frozenset(line.split()[1] for line in lines if len(line.split()) > 1)


def sound_codecs(path: str | os.PathLike[str]) -> list[str]:
    """Return the codecs of the sound tracks of a file, as ffmpeg names them."""
    found = program()
    # Without an output ffmpeg fails, after it has described the input.
    return [] if found is None else _SOUND.findall(_done(found, "-i", as_file(path)).stderr)


def convert(*arguments: str) -> None:
    """Run ffmpeg.

    Raises:
        OSError: it is not there, or fails.
    """
    found = program()
    if found is None:
        raise OSError(0, "there is no ffmpeg any more")
    done = _done(found, "-v", "error", "-y", *arguments)
    if done.returncode:
        raise OSError(0, last_line(done.stderr))


def last_line(text: str) -> str:
    """Return what ffmpeg says in the end, which is why it failed."""
    return ([line.strip() for line in text.splitlines() if line.strip()] or ["ffmpeg failed"])[-1]


def _done(found: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [found, "-hide_banner", "-nostdin", *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
