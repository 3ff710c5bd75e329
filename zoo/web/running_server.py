"""A server that runs in a thread, as in a notebook."""

from __future__ import annotations

from html import escape
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoo.web.listening import Listener
    from zoo.web.protocols import Server

#: Servers in threads, by their titles and the ports that were asked for.
_RUNNING: dict[tuple[str, int], RunningServer] = {}


class RunningServer:
    """A server that runs in a thread; a notebook shows its link.

    Attributes:
        title: of the page.
        address: of the page, with the token where there is one.
    """

    def __init__(self, title: str, address: str, server: Server, listener: Listener):
        self.title, self.address = title, address
        self._server = server
        # A daemon: a notebook that ends does not wait for its pages.
        self._thread = Thread(
            target=server.run, kwargs={"sockets": [listener]}, name="zoo-server", daemon=True
        )
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it still answers."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End it, and wait until its port is free; again and again, if you like."""
        self._server.should_exit = True
        self._thread.join()

    def _repr_html_(self) -> str:
        """Return its link, as notebooks show it."""
        if not self.is_running:
            return escape(repr(self))
        address = escape(self.address)
        return f'{escape(self.title)}: <a href="{address}" target="_blank">{address}</a>'

    def __repr__(self) -> str:
        state = f"at {self.address}" if self.is_running else "stopped"
        return f"<server of {self.title!r}, {state}>"


def keep(server: RunningServer, port: int) -> None:
    """Remember a server, and the port that was asked for; not one for which any port would do."""
    if port:
        _RUNNING[server.title, port] = server


def make_way(title: str, port: int) -> None:
    """Stop the server of a title at a port: the cell that started it runs again."""
    running = _RUNNING.pop((title, port), None)
    if running is not None:
        running.stop()
