"""Servers of apps in processes of their own, as users start them."""

from __future__ import annotations

import json
import mmap
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path

from tests.helpers import ROOT
from tests.zoo.web.servers import PATIENCE

#: An app without a model; its arguments are those of `App.run`.
_PROGRAM = """
import sys, time
from zoo.web import App
{before}
app = App("Brightness")
@app.on_frame
def brightness(frame):
    return float(frame.image.mean())
@app.on("sleep")
def sleep(client):
    client.send("sleeping")
    time.sleep(600)
app.run(port=0, **{options!r})
"""

#: The command `zoo` with the arguments of the process.
_COMMAND = """
import sys, zoo.cli
{before}
sys.exit(zoo.cli.main())
"""

_ADDRESS = re.compile(r"(https?)://((?:\[[^]]+\]|[^:/]+):(\d+))/(?:\?token=(\S+))?")


@dataclass
class ServerProcess:
    """A server that listens.

    Attributes:
        process: of it.
        lines: that it printed to stderr.
        scheme: of its address.
        host: its address and port, as it printed them.
        port: the port alone.
        token: that it printed, if any.
    """

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    scheme: str = ""
    host: str = ""
    port: int = 0
    token: str = ""
    _listens: threading.Event = field(default_factory=threading.Event)

    def read(self) -> None:
        """Keep what the process prints."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line)
            found = _ADDRESS.search(line)
            if found and not self._listens.is_set():
                self.scheme, self.host, self.token = found[1], found[2], found[4] or ""
                self.port = int(found[3])
                self._listens.set()

    def wait(self) -> None:
        """Wait until it listens."""
        assert self._listens.wait(PATIENCE), self.lines

    @property
    def pages(self) -> int:
        """Pages that are open, as the server counts them."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.request("GET", "/healthz")
            return int(json.loads(connection.getresponse().read())["pages"])
        finally:
            connection.close()

    @property
    def memory(self) -> int:
        """Resident bytes, as Linux counts them; 0 elsewhere."""
        facts = self._facts / "statm"
        return int(facts.read_text().split()[1]) * mmap.PAGESIZE if facts.exists() else 0

    @property
    def threads(self) -> int:
        """How many threads it has, on Linux; 0 elsewhere."""
        return _entries(self._facts / "task")

    @property
    def files(self) -> int:
        """How many files and sockets it has open, on Linux; 0 elsewhere."""
        return _entries(self._facts / "fd")

    @property
    def _facts(self) -> Path:
        return Path("/proc") / str(self.process.pid)


def _entries(folder: Path) -> int:
    return len(os.listdir(folder)) if folder.exists() else 0


@contextmanager
def server_process(
    command: list[str] | None = None, *, before: str = "", **options: object
) -> Iterator[ServerProcess]:
    """A server, which ends with the block.

    Args:
        command: arguments of ``zoo``; else a small app runs.
        before: lines of Python that the process runs first.
        options: of `App.run`.
    """
    program = _COMMAND if command else _PROGRAM
    start = [sys.executable, "-c", program.format(before=before, options=options), *(command or ())]
    process = subprocess.Popen(start, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    found = ServerProcess(process)
    reader = threading.Thread(target=found.read)
    reader.start()
    try:
        found.wait()
        yield found
    finally:
        process.kill()
        process.wait()
        reader.join()
        assert process.stderr is not None
        process.stderr.close()
