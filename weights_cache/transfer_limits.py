"""How long a transfer waits for a server, how slow it may be, and how often it is asked."""

import os
import time
from collections.abc import Callable
from math import inf
from typing import NamedTuple

from weights_cache.errors import WeightsError
from weights_cache.progress import PATIENCE

RATE_VARIABLE = "ZOO_LEAST_RATE"


class TransferLimits(NamedTuple):
    """How long a transfer waits, in seconds, and how often it tries one URL.

    ``connect`` and ``read`` hold for each packet. ``silence`` is what all attempts at one URL may
    take together before its first byte, and each attempt before the first byte of its body, with
    redirects; ``busy`` is what a server may have us wait in all by ``Retry-After``. A body has to
    come with ``least_rate`` bytes per second, measured over ``window`` seconds of waiting for it. A
    file may take ``fixed`` seconds beside those that the least rate gives it, from all URLs
    together. ``patience`` is how long nothing is said of waiting; ``rest`` is how long a server
    that was silent or too slow is passed over where another URL is left.
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

    def of_user(self) -> "TransferLimits":
        """With the least rate that the environment variable ZOO_LEAST_RATE gives, if it does.

        Raises:
            WeightsError: its value is no number of 0 or above.
        """
        text = os.environ.get(RATE_VARIABLE, "").strip()
        return self._replace(least_rate=_rate(text)) if text else self

    def seconds_for(self, size: int) -> float:
        """How long a file of some bytes may take.

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
    """A number of bytes per second in words.

    >>> rate_text(5120.0), rate_text(99.0)
    ('5.1 kB/s', '99 bytes/s')
    """
    return f"{rate / 1000:.1f} kB/s" if rate >= 1000 else f"{rate:.0f} bytes/s"
