"""Limits of a transfer: waiting times, least rate, and number of attempts."""

import os
import time
from collections.abc import Callable
from math import inf
from typing import NamedTuple

from weights_cache.common.errors import WeightsError
from weights_cache.progress import PATIENCE

RATE_VARIABLE = "ZOO_LEAST_RATE"


class TransferLimits(NamedTuple):
    """Waiting times of a transfer in seconds, and the number of attempts per URL.

    ``connect`` and ``read`` are limits for each packet. ``silence`` limits the time before the
    first byte, of all attempts at one URL together, and of each attempt before the first byte of
    its body, with redirects; ``busy`` limits the total of a server's ``Retry-After``. A body must
    arrive with ``least_rate`` bytes per second, measured over ``window`` seconds of waiting. A file
    may take ``fixed`` seconds more than its size at the least rate, for all URLs together.
    ``patience`` is the time before a line about waiting; ``rest`` is the time for which a server
    that did not answer or was too slow is skipped if another URL is left.
    """

    connect: float = 5.0
    read: float = 15.0
    silence: float = 18.0
    busy: float = 60.0
    least_rate: float = 10_000.0
    window: float = 30.0
    fixed: float = 120.0
    patience: float = PATIENCE
    rest: float = 60.0
    attempts: int = 5
    first_wait: float = 0.5
    longest_wait: float = 8.0
    longest_retry_after: float = 30.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def with_user_rate(self) -> "TransferLimits":
        """Return the limits with the least rate of the environment variable ZOO_LEAST_RATE, if set.

        Raises:
            WeightsError: the variable's value is not a number of 0 or above.
        """
        text = os.environ.get(RATE_VARIABLE, "").strip()
        return self._replace(least_rate=_rate(text)) if text else self

    def seconds_for(self, size: int) -> float:
        """Return the seconds allowed for a file of some bytes.

        >>> TransferLimits().seconds_for(1_000_000)
        220.0
        """
        return self.fixed + (size / self.least_rate if self.least_rate else inf)


def _rate(text: str) -> float:
    try:
        rate = float(text)
    except ValueError:
        rate = -1.0
    if not 0 <= rate < inf:
        raise WeightsError(
            f"{RATE_VARIABLE}={text!r:.80} must be a number of bytes per second, "
            "such as 1000, or 0 for no limit"
        )
    return rate


def rate_text(rate: float) -> str:
    """Return a number of bytes per second as text.

    >>> rate_text(5120.0), rate_text(99.0)
    ('5.1 kB/s', '99 bytes/s')
    """
    return f"{rate / 1000:.1f} kB/s" if rate >= 1000 else f"{rate:.0f} bytes/s"
