"""Scales from values to pixels, and the values that get a tick."""

from dataclasses import dataclass
from math import ceil, floor, isfinite, log10
from typing import Literal, get_args

import numpy as np

from core.errors import CoreError

ScaleKind = Literal["linear", "log"]
Range = tuple[float, float]

#: Largest finite number of a scale; larger ones count as infinite, so differences do not overflow.
LARGEST = 1e300


def check_scale(name: str, kind: str) -> None:
    """Raise an error for an unknown kind of scale."""
    if kind not in get_args(ScaleKind):
        valid = ", ".join(map(repr, get_args(ScaleKind)))
        raise CoreError(f"{name} is {kind!r}; the names are {valid}")


def check_range(name: str, limits: Range | None, kind: str) -> None:
    """Raise an error for a range that is empty, or that a log scale lacks."""
    if limits is None:
        return
    try:
        low, high = map(float, limits)
    except (TypeError, ValueError):
        low = high = float("nan")
    if not (isfinite(low) and isfinite(high) and -LARGEST < low < high < LARGEST):
        raise CoreError(f"{name} is {limits!r:.80}: give two numbers, the smaller one first")
    if kind == "log" and low <= 0:
        raise CoreError(f"{name} is {limits!r}: a log scale has positive numbers alone")


def nice_step(span: float, count: float) -> float:
    """Return 1, 2 or 5 times a power of ten, of which a span has at most ``count`` steps.

    >>> nice_step(0.93, 5), nice_step(240, 6), nice_step(7, 10)
    (0.2, 50.0, 1.0)
    """
    raw = max(span / max(count, 1), 1e-300)
    power = floor(log10(raw))
    for factor in (1, 2, 5):
        if factor * 10.0**power >= raw * (1 - 1e-9):
            return float(f"{factor}e{power}")
    return float(f"1e{power + 1}")


@dataclass(frozen=True)
class Scale:
    """A map of values to positions between two pixels.

    Attributes:
        low: the least value.
        high: the largest value.
        kind: linear, or log: equal factors have equal lengths.
        ticks: values with a tick.
        texts: their texts.
        start: the pixel of the least value.
        end: the pixel of the largest value.
    """

    low: float
    high: float
    kind: ScaleKind
    ticks: tuple[float, ...]
    texts: tuple[str, ...]
    start: float = 0.0
    end: float = 1.0

    def over(self, start: float, end: float) -> "Scale":
        """Return the scale between two other pixels."""
        return Scale(self.low, self.high, self.kind, self.ticks, self.texts, start, end)

    def at(self, values: np.ndarray | float) -> np.ndarray:
        """Return the pixels of values; of a value that a log scale lacks, NaN."""
        given = np.asarray(values, np.float64)
        low, high = self.low, self.high
        if self.kind == "log":
            given = np.log10(np.where(given > 0, given, np.nan))
            low, high = log10(low), log10(high)
        share = (given - low) / (high - low)
        return self.start + np.clip(share, -50, 50) * (self.end - self.start)


def scale_for(
    low: float,
    high: float,
    kind: ScaleKind,
    count: float,
    is_exact: bool = False,
    least_step: float = 0.0,
) -> Scale:
    """Return a scale that has all values from low to high, and about as many ticks.

    Args:
        low: the least value.
        high: the largest value.
        kind: of the scale.
        count: ticks that have space.
        is_exact: whether it begins and ends at these values, and not at the ticks around them.
        least_step: the least distance of ticks.
    """
    if kind == "log":
        return _log_scale(low, high, count, is_exact)
    low, high = _widened(low, high, least_step)
    step = max(nice_step(high - low, count), least_step)
    if not is_exact:
        low = min(low, floor(low / step + 1e-6) * step)
        high = max(high, ceil(high / step - 1e-6) * step)
    first, last = ceil(low / step - 1e-6), floor(high / step + 1e-6)
    ticks = tuple(float(f"{i * step:.14g}") for i in range(int(first), int(last) + 1))
    return Scale(low, high, "linear", ticks, number_texts(ticks, step))


def _widened(low: float, high: float, least: float) -> Range:
    """Return a range with a length: a single value lies in its middle."""
    size = max(abs(low), abs(high))
    if high - low > size * 1e-12:
        return low, high
    margin = max(least, size / 10 if not least else 0.0) or 0.5
    return low - margin, high + margin


def _log_scale(low: float, high: float, count: float, is_exact: bool) -> Scale:
    if high / low < 1 + 1e-9:
        low, high = low / 2, high * 2
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    every = max(1, ceil((last - first) / max(count, 1)))
    factors = (1,) if (last - first) * 3 > count else (1, 2, 5)
    powers = range(first - first % every, last + 1, every)
    marks = [float(f"{factor}e{power}") for power in powers for factor in factors]
    if not is_exact:
        low = max((m for m in marks if m <= low * (1 + 1e-9)), default=low)
        high = min((m for m in marks if m >= high * (1 - 1e-9)), default=high)
    ticks = tuple(m for m in marks if low * (1 - 1e-9) <= m <= high * (1 + 1e-9))
    return Scale(low, high, "log", ticks, tuple(map(_log_text, ticks)))


def _log_text(value: float) -> str:
    return f"{value:,.10g}" if 1e-3 <= value < 1e6 else _scientific(value, 0)


def number_texts(values: tuple[float, ...], step: float) -> tuple[str, ...]:
    """Return texts of multiples of a step, with equal decimals.

    >>> number_texts((0.0, 0.5, 1.0), 0.5), number_texts((0.0, 2e7), 1e7)
    (('0.0', '0.5', '1.0'), ('0', '2e7'))
    """
    largest = max(map(abs, values), default=0.0)
    decimals = max(0, -floor(log10(step) + 1e-9))
    if decimals > 5 or largest >= 1e7:
        digits = max(0, floor(log10(largest or 1.0)) - floor(log10(step) + 1e-9))
        if decimals > 5 or digits < 6:
            return tuple(_scientific(v, min(digits, 12)) for v in values)
    return tuple(f"{0.0 if v == 0 else v:,.{decimals}f}" for v in values)


def _scientific(value: float, digits: int) -> str:
    """Return a number such as 2e7, without superfluous zeros."""
    if value == 0:
        return "0"
    mantissa, power = f"{value:.{digits}e}".split("e")
    mantissa = mantissa.rstrip("0").rstrip(".") if "." in mantissa else mantissa
    return f"{mantissa}e{int(power)}"


def short_number(value: float, digits: int = 4) -> str:
    """Return a number with that many significant digits, and all of an integer part.

    >>> short_number(0.123456), short_number(12345.0), short_number(3.0), short_number(4.2e-9)
    ('0.1235', '12,345', '3', '4.2e-9')
    """
    if not isfinite(value):
        return {"nan": "NaN", "inf": "Inf", "-inf": "-Inf"}[str(float(value))]
    size = abs(value)
    if size >= 1e7 or 0 < size < 1e-4:
        return _scientific(value, digits - 1)
    if size >= 10 ** (digits - 1):
        return f"{value:,.0f}"
    return f"{float(f'{value:.{digits}g}'):.10g}"
