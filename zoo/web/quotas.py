"""Limits of what pages and programs may send."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Attributes:
        image_bytes: of one encoded image.
        image_pixels: of one image.
        frames_per_second: of one page; more are dropped.
        pages: open at one time; more are refused.
        connections: open at one time; more end the oldest ones that sent no request.
        send_seconds: how long a page may leave what it is sent unread before it is closed.
        start_seconds: how long a connection may take for the head of its request.
        request_seconds: how long it may take for the body of it.
    """

    image_bytes: int = 8_000_000
    image_pixels: int = 8_000_000
    frames_per_second: float = 60.0
    pages: int = 32
    connections: int = 256
    send_seconds: float = 5.0
    start_seconds: float = 10.0
    request_seconds: float = 120.0


class Rate:
    """A bucket of frames: so many a second, with some in reserve."""

    def __init__(self, per_second: float, reserve: float = 1.0):
        self._per_second, self._most = per_second, max(1.0, per_second * reserve)
        self._left, self._last = self._most, 0.0

    def takes(self, now: float) -> bool:
        """Whether one more is within the rate at a time in seconds."""
        self._left = min(self._most, self._left + (now - self._last) * self._per_second)
        self._last = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
