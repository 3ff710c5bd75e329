"""A trial: two servers, clients of both, and the end of the servers while these still send."""

from __future__ import annotations

import signal
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic, sleep

from tests.zoo.web.load.clients import Client, Faults, pictures, shades
from tests.zoo.web.load.watch import Watch
from tests.zoo.web.server_processes import ServerProcess, server_process

#: Images whose answers differ.
PICTURES = 24

#: Seconds between two readings of memory and files.
EVERY = 2.0


@dataclass
class Found:
    """What a trial found.

    Attributes:
        counts: requests, by their kinds.
        seconds: that the trial took.
        latencies: seconds from sending an image to its answer, those before it in the row included.
        mixed: answers that belong to another image.
        faults: answers of another status, missing ones, and what the servers printed.
        watches: of the server of REST, and of the one of pages.
        endings: of both, seconds from SIGTERM to the end.
    """

    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    latencies: list[float] = field(default_factory=list)
    mixed: Faults = field(default_factory=Faults)
    faults: Faults = field(default_factory=Faults)
    watches: dict[str, Watch] = field(default_factory=dict)
    endings: dict[str, float] = field(default_factory=dict)

    @property
    def requests(self) -> int:
        """How many were sent; what became of some of them is counted beside them."""
        return sum(count for kind, count in self.counts.items() if " that was " not in kind)


def trial(requests: int, seconds: float, seed: int = 1, clients: int = 8) -> Found:
    """Send requests until there are so many, or the time is over."""
    found, known, frames = Found(), pictures(PICTURES), shades()
    with server_process(["serve", "--port", "0"]) as rest, server_process() as pages:
        servers = {"REST": rest, "pages": pages}
        found.watches = {name: Watch(server, EVERY) for name, server in servers.items()}
        made = [
            Client(rest.port, pages.port, 1000 * seed + number, known, frames)
            for number in range(clients)
        ]
        begun = monotonic()
        with _working(made):
            while _sent(made) < requests and monotonic() - begun < seconds:
                sleep(0.2)
            found.seconds = monotonic() - begun
            for watch in found.watches.values():
                watch.end()
            _collect(made, found)
            for name, server in servers.items():
                _end(name, server, found)
    return found


def _sent(clients: list[Client]) -> int:
    return sum(client.counts.total() for client in clients)


@contextmanager
def _working(clients: list[Client]) -> Iterator[None]:
    """Let clients send, until the block ends."""
    over = threading.Event()
    threads = [threading.Thread(target=client.work, args=(over.is_set,)) for client in clients]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        over.set()
        for thread in threads:
            thread.join()
        for client in clients:
            client.end()


def _collect(clients: list[Client], found: Found) -> None:
    """Take what clients have noted; what follows is of servers that end."""
    for client in clients:
        found.counts += client.counts.copy()
        found.latencies += client.seconds
        for ours, theirs in ((found.mixed, client.mixed), (found.faults, client.faults)):
            ours += theirs
            ours.count += theirs.count


def _end(name: str, server: ServerProcess, found: Found) -> None:
    """Send SIGTERM while clients send requests."""
    begun = monotonic()
    server.process.send_signal(signal.SIGTERM)
    status = server.process.wait()
    found.endings[name] = monotonic() - begun
    # The command says 143; a script of an app ends by the signal itself.
    expected = 128 + signal.SIGTERM if name == "REST" else -signal.SIGTERM
    if status != expected:
        found.faults.add(f"the end of {name}", status, expected)
    for line in server.lines:
        if "Traceback" in line or line.startswith("ERROR"):
            found.faults.add(f"stderr of {name}", line.strip(), "no error")
