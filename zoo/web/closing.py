"""Connections that are closed in stages, so that peers can read their last answers.

A socket that is closed while bytes of its peer are unread, or on their way, sends a reset. The peer
may then lose answers that it has not read yet, those of earlier requests included (RFC 9112, 9.6;
for WebSockets RFC 6455, 7.1.1).
"""

from __future__ import annotations

import asyncio
from typing import cast


class _Unheard(asyncio.Protocol):
    """Takes the place of a protocol that has said its last: what still arrives is forgotten.

    Args:
        protocol: hears of all else.
        ending: ends the connection if the peer does not.
    """

    def __init__(self, protocol: asyncio.Protocol, ending: asyncio.TimerHandle):
        self._protocol, self._ending = protocol, ending

    def pause_writing(self) -> None:
        """Pass it on."""
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on."""
        self._protocol.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass it on: the peer has hung up, too, or its time is over."""
        self._ending.cancel()
        self._protocol.connection_lost(exc)


class _Staged:
    """A transport whose ``close`` ends what is sent, and leaves the end to the peer for a while."""

    def __init__(self, transport: asyncio.Transport, seconds: float):
        self._transport, self._seconds, self._is_closing = transport, seconds, False

    def __getattr__(self, name: str) -> object:
        return getattr(self._transport, name)

    def is_closing(self) -> bool:
        """Whether nothing more is sent."""
        return self._is_closing or self._transport.is_closing()

    def write(self, data: bytes) -> None:
        """Send bytes, unless it is closing."""
        if not self._is_closing:
            self._transport.write(data)

    def close(self) -> None:
        """Send what is left and the end; then wait until the peer hangs up, or time is over."""
        if self.is_closing():
            return
        self._is_closing, transport = True, self._transport
        if not transport.can_write_eof():  # TLS, which has no half of a connection
            transport.close()
            return
        ending = asyncio.get_running_loop().call_later(self._seconds, transport.abort)
        protocol = cast(asyncio.Protocol, transport.get_protocol())
        transport.set_protocol(_Unheard(protocol, ending))
        try:
            transport.write_eof()
        except OSError:  # the peer is gone
            transport.abort()
        transport.resume_reading()


def closed_in_stages(transport: asyncio.Transport, seconds: float) -> asyncio.Transport:
    """Return a transport that closes in stages.

    Args:
        transport: of a connection.
        seconds: that the peer has to read its answers and hang up in; then the connection ends.
    """
    return cast(asyncio.Transport, _Staged(transport, seconds))
