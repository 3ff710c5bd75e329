"""What loading a file costs, measured in a child process, which a hostile file may not hang."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.helpers import ROOT

_START = """
import json, sys
import core, zoo

def megabytes():  # of this process alone: ru_maxrss may be that of its parent
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 2**10
"""

_LOADING = """
import core.converter.archives, core.converter.keras_files, core.converter.saved_model, core.layers
from core.converter import load_model

limits = core.Limits.strict() if sys.argv[2] == "strict" else core.Limits()
before = megabytes()
try:
    # No seconds: a busy machine may need any number of them.
    with core.limits(limits, file_seconds=float("inf")):
        load_model(sys.argv[1])
    error, kind = "", ""
except zoo.ZooError as caught:
    error, kind = str(caught), type(caught).__name__
print(json.dumps([error, kind, megabytes() - before]))
"""

_READING = """
import PIL.Image
from zoo.jobs.reading import ImageReader
from zoo.jobs.sources import Listing

PIL.Image.init()
listing = Listing(column=None, every=1, recursive=False, report=print)
for path in sys.argv[1:]:
    before = megabytes()
    reader = ImageReader()
    try:
        found = [image.error or "" for image in reader.ahead(list(listing.items([path])))]
    except zoo.ZooError as caught:
        found = [str(caught)]
    reader.close()
    print(json.dumps([found, megabytes() - before]))
"""

#: Seconds after which a child is stopped: far above what any test needs on a busy machine.
PATIENCE = 600


class Cost(NamedTuple):
    """What loading gave: the error of our family ("" if none), its class, and the peak."""

    error: str
    kind: str
    megabytes: float


def cost_of_loading(path: Path, limits: str = "default") -> Cost:
    """Load a file in a child; any other error there, or no end, fails the test."""
    return Cost(*json.loads(_told(_LOADING, path, limits)))


def reading_of_sources(*paths: Path) -> list[tuple[list[str], float]]:
    """Read the images of sources of `zoo.batch`, all of them in one child.

    Returns:
        For each source what is wrong with it or with each of its images ("": nothing), and by how
        many megabytes the peak grew.
    """
    return [tuple(json.loads(line)) for line in _told(_READING, *paths).splitlines()]


def _told(code: str, *arguments: object) -> str:
    """Return what a child prints, which must end without an error."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    found = subprocess.run(
        [sys.executable, "-c", _START + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        env=environment,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    return found.stdout
