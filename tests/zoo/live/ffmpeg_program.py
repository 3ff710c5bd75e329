"""The ffmpeg of the package imageio-ffmpeg: makes clips for tests, and stands on their path."""

import os
import subprocess
from pathlib import Path

from tests.helpers import require


def ffmpeg(*arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run ffmpeg, or skip the test."""
    program = require("imageio_ffmpeg").get_ffmpeg_exe()
    command = [program, "-v", "error", "-nostdin", "-y", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=True)


def pattern(path: Path, *arguments: str, seconds: float = 4, rate: int = 25) -> Path:
    """Write a clip of a test pattern that moves, 96 x 64."""
    source = f"testsrc=size=96x64:rate={rate}:duration={seconds}"
    ffmpeg("-f", "lavfi", "-i", source, *arguments, "-pix_fmt", "yuv420p", str(path))
    return path


def put_on_path(folder: Path, monkeypatch) -> None:
    """Let the product find this ffmpeg."""
    program = require("imageio_ffmpeg").get_ffmpeg_exe()
    folder.mkdir(exist_ok=True)
    (folder / f"ffmpeg{'.exe' * (os.name == 'nt')}").symlink_to(program)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)


def take_from_path(monkeypatch) -> None:
    """Let the product find no ffmpeg, also where one is installed."""
    monkeypatch.setattr("zoo.live.ffmpeg.program", lambda: None)
