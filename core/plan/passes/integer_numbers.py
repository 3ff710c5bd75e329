"""The numbers of steps of integers: what bytes stand for, and fixed-point factors, as LiteRT's.

Sources: tensorflow/lite/kernels/internal/quantization_util.cc (QuantizeMultiplier), kernel_util.cc
(GetQuantizedConvolutionMultipler), add.cc, mul.cc, reduce.cc,
reference/resize_bilinear.h.
"""

from typing import NamedTuple

import numpy as np

from core.engine.program import Step, StoredIntegers
from core.plan.integer_ops import POSITION_BITS, SUM_BITS
from core.plan.passes.program_passes import is_replaced


class Quanta(NamedTuple):
    """Bytes that stand for real values: ``(byte - zero_point) * scale``, from low to high.

    The integers of the file are ``byte - base``.
    """

    scale: float
    zero_point: int
    low: int
    high: int
    base: int

    @classmethod
    def of(cls, step: Step) -> "Quanta | None":
        """Return those to which a step rounds; None if it does not, or to more than bytes have."""
        if step.op.name != "quantise_round" or is_replaced(step.op):
            return None
        return cls.between(**{name: step.attributes[name] for name in cls._fields[:4]})

    @classmethod
    def between(cls, scale: float, zero_point: int, low: int, high: int) -> "Quanta | None":
        """Return those of integers between limits; None if bytes do not have room for them."""
        base = 0 if low >= 0 else 128
        if not -base <= low <= high <= 255 - base or not -base <= zero_point <= 255 - base:
            return None
        return cls(scale, zero_point + base, low + base, high + base, base)

    @property
    def limits(self) -> dict[str, int]:
        """Return zero point and limits as attributes."""
        return {"zero_point": self.zero_point, "low": self.low, "high": self.high}

    @property
    def real_limits(self) -> tuple[int, int]:
        """Return the limits without the zero point: in units of the scale."""
        return self.low - self.zero_point, self.high - self.zero_point


def ratios(
    given: float, filter: StoredIntegers, result: float, *, is_matrix: bool
) -> np.ndarray | None:
    """Return by which numbers sums of products are multiplied, in float64; None if they overflow.

    As LiteRT, which multiplies the two scales in float32 for uint8, and for matrices of one scale.
    """
    scale, scales = np.float32(given), filter.scales.astype(np.float32)
    with np.errstate(all="ignore"):  # of files that are damaged
        if filter.values.dtype == np.uint8 or (is_matrix and len(scales) == 1):
            both = (scale * scales).astype(np.float64)
        else:
            both = np.float64(scale) * scales.astype(np.float64)
        found = both / np.float64(np.float32(result))
    return found if np.isfinite(found).all() and (found >= 0).all() else None


def fits_sums(products: int, bias: np.ndarray, shift: np.ndarray) -> bool:
    """Return whether sums of products of bytes, with a bias, and moved up, fit into int32."""
    most = products * 255**2 + int(abs(bias.astype(np.int64)).max(initial=0))
    return most << max(int(shift.max(initial=0)), 0) < 2**31


class Numbers(NamedTuple):
    """By what sums are multiplied, for each channel: parts of 2**31, and powers of two; int32."""

    multiplier: np.ndarray
    shift: np.ndarray

    def in_floats(self) -> tuple[np.ndarray, np.ndarray]:
        """Return them in float32, which has 24 bits, as `core.plan.integer_ops.REQUANTISE` does.

        Equal ones of all channels are one.
        """
        lower = ((self.multiplier & 0xFFFF) << 6) + self.shift + 32
        both = np.stack((self.multiplier >> 16, lower)).astype(np.float32)
        upper, lower = both[:, :1] if (both == both[:, :1]).all() else both
        return upper, lower


def fixed_points(numbers: np.ndarray, channels: int) -> Numbers:
    """Return some numbers, or one for all channels, in two parts.

    LiteRT's QuantizeMultiplier.
    """
    part, shift = np.frexp(numbers)
    parts = np.floor(part * 2**31 + 0.5).astype(np.int64)
    is_next = parts == 2**31
    shift = shift + is_next
    parts = np.where(shift < -31, 0, np.where(is_next, 2**30, parts))
    both = np.stack((parts, np.where(shift < -31, 0, shift))).astype(np.int32)
    return Numbers(*np.ascontiguousarray(np.broadcast_to(both, (2, channels))))


def fixed_point(number: float) -> tuple[int, int]:
    """Return one number in two parts.

    >>> fixed_point(0.75), fixed_point(1.5), fixed_point(1 - 2**-40)
    ((1610612736, 0), (1610612736, 1), (1073741824, 1))
    """
    multiplier, shift = fixed_points(np.array([number]), 1)
    return int(multiplier[0]), int(shift[0])


def mean_numbers(given: Quanta, result: Quanta, values: int) -> tuple[int, int] | None:
    """Return multiplier and power of two of the mean of some values; None if they overflow.

    As LiteRT, which divides the multiplier of their sum by their number.
    """
    ratio = float(np.float32(given.scale)) / float(np.float32(result.scale))
    multiplier, shift = fixed_point(ratio)
    moved = min(values.bit_length() - 1, 32, 31 + shift)
    multiplier, shift = (multiplier << moved) // values, shift - moved
    has_room = shift >= -31 and values * 255 << max(shift, 0) < 2**31
    return (multiplier, shift) if has_room else None


def sum_numbers(a: Quanta, b: Quanta, result: Quanta) -> np.ndarray | None:
    """Return the numbers of a sum or difference; None where LiteRT's rule has no room for them."""
    scales = [float(np.float32(each.scale)) for each in (a, b, result)]
    twice = 2 * max(scales[:2])
    points = [fixed_point(scale / twice) for scale in scales[:2]]
    points.append(fixed_point(twice / (2**SUM_BITS * scales[2])))
    if any(shift > 0 for _, shift in points) or not points[2][0]:
        return None
    (m_a, s_a), (m_b, s_b), (m, s) = points
    return np.array((a.zero_point, m_a, -s_a, b.zero_point, m_b, -s_b, m, 0, -s), np.int32)


def product_numbers(a: Quanta, b: Quanta, result: Quanta) -> np.ndarray | None:
    """Return the numbers of a product."""
    scales = [np.float32(each.scale) for each in (a, b, result)]
    multiplier, shift = fixed_point(float(scales[0] * scales[1] / scales[2]))
    if shift > _MOST_LEFT:
        return None
    moves = max(shift, 0), max(-shift, 0)
    return np.array((a.zero_point, 0, 0, b.zero_point, 0, 0, multiplier, *moves), np.int32)


#: The most bits by which a product of two bytes may be moved up within int32.
_MOST_LEFT = 14

#: Ops of two operands that have a form for integers, and their numbers.
BINARY = {"add": sum_numbers, "sub": sum_numbers, "mul": product_numbers}


def positions(old: int, new: int, align_corners: bool, half_pixel_centers: bool) -> np.ndarray:
    """Return the pixels around each new one, and the share of the second, int32 [new, 3].

    As LiteRT's reference kernel for integers computes them.
    """
    parts = 1 << POSITION_BITS
    scale = (parts * old + new // 2) // new
    if align_corners and new > 1:
        scale = (parts * (old - 1) + (new - 1) // 2) // (new - 1)
    at = np.arange(new) * scale
    if half_pixel_centers:
        at = at + scale // 2 - parts // 2
    before = np.maximum(at // parts, 0)
    after = np.minimum((at + parts - 1) // parts, old - 1)
    return np.stack((before, np.maximum(after, 0), at - before * parts), 1).astype(np.int32)


def are_exact(old: int, new: int, table: np.ndarray, align_corners: bool) -> bool:
    """Return whether float32 holds `positions`, and the pixels that they mix, without rounding."""
    moved, apart = (old - 1, new - 1) if align_corners and new > 1 else (old, new)
    is_whole = (moved << POSITION_BITS) % (2 * apart) == 0 and not (align_corners and new == 1)
    return is_whole and not (table[:, 2] % _LEAST_SHARE).any()


#: Shares of pixels that float32 mixes exactly: multiples of 1/64.
_LEAST_SHARE = 1 << POSITION_BITS - 6


def sum_limits(taps: np.ndarray, given: Quanta, channels: int) -> tuple[np.ndarray, np.ndarray]:
    """Return between which numbers sums of products are, and those of any part of them; float64.

    Args:
        taps: a filter in steps from 0, float32 [..., channels] in this order.
        given: of the values that it is multiplied with.
        channels: number of results.
    """
    flat, (first, last) = taps.reshape(-1, channels), given.real_limits
    low, high = min(first, 0), max(last, 0)
    ones = np.ones(_ROWS, np.float32)
    total, size = np.zeros((2, channels))
    for rows in (flat[i : i + _ROWS] for i in range(0, len(flat), _ROWS)):
        total += ones[: len(rows)] @ rows  # exact, below 2**24
        size += ones[: len(rows)] @ np.abs(rows)
    above, below = (size + total) / 2, (size - total) / 2
    return above * low - below * high, above * high - below * low


#: Rows of a filter that are added up at once, in memory that stays in the cache.
_ROWS = 64
