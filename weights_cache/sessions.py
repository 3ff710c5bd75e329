"""Sessions of requests that follow no redirect and meter all reading from the network.

The module imports requests, so it is imported only for a download.
"""

import io
from collections import deque
from collections.abc import Callable
from functools import partial
from http.client import HTTPResponse
from math import ceil, inf
from queue import Empty, Full
from socket import socket
from time import monotonic
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.poolmanager import PoolManager

from weights_cache.failures import SlowError, TransientError, UnusableError
from weights_cache.interruptions import is_interruption
from weights_cache.transfer_limits import RATE_VARIABLE, TransferLimits, rate_text

#: Greatest number of bytes in a row that are not of the body: headers, interim answers, sizes of
#: chunks, trailers. A block of the body has up to 64 KiB, and up to 8 KiB are read ahead.
_MOST_UNUSED = 2**18


class Meter:
    """The time left for a server, and the rate at which it sends.

    The meter is consulted before each packet is read, so it needs no thread and no timer: headers,
    interim answers, bodies and trailers are all bounded.
    """

    def __init__(self) -> None:
        self.expect_headers(TransferLimits(), inf)

    def expect_headers(self, limits: TransferLimits, seconds: float) -> None:
        """Allow ``seconds`` from now until the final headers."""
        self._limits, self._least = limits, 0.0
        self._expect(seconds, _no_answer)
        self._first_by = self._until

    def expect_body(self, seconds: float, in_all: float) -> None:
        """Allow ``seconds`` for the body, of the ``in_all`` seconds of the whole file."""
        most = ceil(in_all) if in_all < inf else in_all
        reason = (
            f"did not end within {most} s, the limit for this file at {RATE_VARIABLE}="
            f"{self._limits.least_rate:g} bytes per second: set it to less to wait longer"
        )
        self._least = self._limits.least_rate
        self._expect(seconds, partial(SlowError, reason, f"no end in {most} s"))

    def _expect(self, seconds: float, overdue: Callable[[], Exception]) -> None:
        self._until, self._overdue = monotonic() + seconds, overdue
        self._received, self._waited, self._unused = 0, 0.0, 0

    def connect_timeouts(self) -> tuple[float, float]:
        """Return the seconds for the connection, and for the first packet."""
        left = self.allowance()
        return min(self._limits.connect, left), left

    def allowance(self) -> float:
        """Return the seconds that the next packet may take; raise if none are left.

        The first packet of the body has only the time that the headers left.
        """
        now = monotonic()
        if now >= self._until:
            raise self._overdue()
        if not self._received and now >= self._first_by:
            raise _no_answer()
        end = self._until if self._received else min(self._until, self._first_by)
        return min(self._limits.read, end - now)

    def count(self, size: int, seconds: float) -> None:
        """Count a packet; raise if the rate is too low, or too many bytes are not of the body."""
        self._unused += size
        if self._unused > _MOST_UNUSED:
            raise UnusableError(
                f"sent {_MOST_UNUSED:,} bytes of headers, chunk sizes or trailers in a row",
                "endless headers",
            )
        self._received += size
        self._waited += min(seconds, self._limits.read)  # a stopped process waits longer
        if self._waited >= self._limits.window:
            self._check_rate()
            self._received, self._waited, self._first_by = 0, 0.0, inf

    def _check_rate(self) -> None:
        rate, least = self._received / self._waited, self._least
        if rate < least:
            found, limit = rate_text(rate), rate_text(least)
            raise SlowError(
                f"sent {found} over {self._waited:.0f} s, the least is {limit}: set {RATE_VARIABLE}"
                " to fewer bytes per second to wait longer",
                f"too slow, {found} where {RATE_VARIABLE} is {limit}",
            )

    def count_block(self) -> None:
        """Note that bytes of the body were received."""
        self._unused = 0


def _no_answer() -> TransientError:
    return TransientError("timed out", "no answer", answered=False)


class Session(requests.Session):
    """A session whose connections use its ``meter``; each redirect is returned as an answer."""

    def __init__(self) -> None:
        super().__init__()
        self.meter = Meter()
        for scheme in ("https://", "http://"):
            self.mount(scheme, _Adapter(self.meter))
        # Bytes are counted and hashed as sent; a compressed answer could unpack to any size.
        self.headers.update({"Accept-Encoding": "identity", "User-Agent": "friendly-zoo"})

    def get_redirect_target(self, resp: requests.Response) -> str | None:
        """Return None: else requests reads the body of a redirect even without following it."""
        return None


class _Adapter(HTTPAdapter):
    """An adapter whose connections, also through proxies, read through a meter."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        super().__init__()

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        _meter_pools(self.poolmanager, self._meter)

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        known = proxy in self.proxy_manager
        manager = super().proxy_manager_for(proxy, **options)
        if not known:
            _meter_pools(manager, self._meter)
        return manager


def _meter_pools(manager: PoolManager, meter: Meter) -> None:
    pools = manager.pool_classes_by_scheme.items()
    manager.pool_classes_by_scheme = {key: _metered_pool(pool, meter) for key, pool in pools}


def _metered_pool(pool: type[HTTPConnectionPool], meter: Meter) -> type[HTTPConnectionPool]:
    answer = staticmethod(partial(_MeteredResponse, meter))
    connection = type(
        pool.ConnectionCls.__name__, (pool.ConnectionCls,), {"response_class": answer}
    )
    parts = {"ConnectionCls": connection, "QueueCls": _ConnectionQueue}
    return type(pool.__name__, (pool,), parts)


class _ConnectionQueue:
    """A last-in, first-out queue of connections without locks or waits.

    The exception of a signal handler may strike inside of `queue.LifoQueue` and leave its lock
    held: closing the pool would then wait for ever. Methods of a deque are one step each.
    """

    def __init__(self, maxsize: int) -> None:
        self._maxsize, self._connections = maxsize, deque[object]()

    def qsize(self) -> int:
        return len(self._connections)

    def put(self, connection: object, block: bool = True, timeout: float | None = None) -> None:
        """Put a connection, or None for one yet to be made; raise `queue.Full` if there is no room.

        Only pools that block wait for room; requests makes none of those.
        """
        if len(self._connections) >= self._maxsize:
            raise Full
        self._connections.append(connection)

    def get(self, block: bool = True, timeout: float | None = None) -> object:
        """Return the last connection put; raise `queue.Empty` without one."""
        try:
            return self._connections.pop()
        except IndexError:
            raise Empty from None


class _MeteredResponse(HTTPResponse):
    """A response of the standard library that reads through a meter."""

    def __init__(self, meter: Meter, sock: socket, *args: Any, **options: Any) -> None:
        super().__init__(sock, *args, **options)
        self.fp = io.BufferedReader(_MeteredReader(self.fp.detach(), sock, meter))


class _MeteredReader(io.RawIOBase):
    def __init__(self, raw: io.RawIOBase, sock: socket, meter: Meter) -> None:
        self._raw, self._sock, self._meter = raw, sock, meter

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._meter.allowance())
        before = monotonic()
        try:
            size = self._raw.readinto(buffer) or 0
        except TimeoutError as error:
            if not is_interruption(error):
                self._meter.allowance()  # raises the error for the deadline
            raise
        self._meter.count(size, monotonic() - before)
        return size

    def close(self) -> None:
        self._raw.close()
        super().close()
