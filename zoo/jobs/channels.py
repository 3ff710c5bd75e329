"""Messages between a run and its processes on this computer, over pairs of sockets."""

from __future__ import annotations

import os
import pickle
import selectors
import socket
import struct
from contextlib import suppress
from typing import Any
from weakref import WeakSet

_LENGTH = struct.Struct("<Q")


class Channel:
    """One end of a pair of sockets; both ends are processes of one run, which trust each other.

    An end belongs to the process that made it: forks of that process close theirs, as the other
    end would not see otherwise that the process has ended.
    """

    def __init__(self, end: socket.socket):
        self.socket = end
        _of_process.add(self)

    @classmethod
    def pair(cls) -> tuple[Channel, Channel]:
        """Return the two ends of a new channel."""
        one, other = socket.socketpair()
        return cls(one), cls(other)

    def fileno(self) -> int:
        """The number of the socket, for selectors."""
        return self.socket.fileno()

    def is_open(self) -> bool:
        """Whether the process at the other end is there."""
        with selectors.DefaultSelector() as selector:
            selector.register(self, selectors.EVENT_READ)
            if not selector.select(0):
                return True
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except ConnectionError:
            return False

    def send(self, message: Any) -> None:
        """Send a message.

        Raises:
            OSError: the other end is closed.
        """
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        self.socket.sendall(_LENGTH.pack(len(data)) + data)

    def receive(self) -> Any:
        """Wait for a message.

        Raises:
            EOFError: the other end is closed.
        """
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        return pickle.loads(self._read(length))

    def _read(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            try:
                block = self.socket.recv(min(count - len(data), 2**20))
            except ConnectionError:
                block = b""
            if not block:
                raise EOFError
            data += block
        return bytes(data)

    def close(self) -> None:
        """Close this end."""
        with suppress(OSError):
            self.socket.close()


_of_process: WeakSet[Channel] = WeakSet()


def _close_all() -> None:
    for channel in [*_of_process]:
        channel.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_all)
