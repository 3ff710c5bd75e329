"""Floating-point numbers of the text format: bits of 32 or 64 to text and back, exactly."""

import re
from fractions import Fraction

from core.wasm.errors import MalformedModule

#: Bits of the fraction, by bits of the number.
_FRACTION = {32: 23, 64: 52}
_DECIMAL = re.compile(r"(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?")
_HEXADECIMAL = re.compile(r"0[xX]([0-9a-fA-F]+)(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?\d+))?")
_INTEGER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|\d+)")
_UNDERSCORE = re.compile(r"(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])")

#: Exponents beyond this one are infinite or zero for any number of digits in a text.
_MOST_EXPONENT = 20_000
_MOST_DIGITS = 4000


def float_text(bits: int, size: int) -> str:
    """Return the text of a number from its bits.

    Args:
        bits: the bits, as an integer.
        size: 32 or 64.

    >>> float_text(0x40490FDB, 32), float_text(0x80000000, 32), float_text(0x7FA00000, 32)
    ('0x1.921fb6p+1', '-0x0p+0', 'nan:0x200000')
    """
    width = _FRACTION[size]
    fraction = bits & ((1 << width) - 1)
    largest = (1 << (size - 1 - width)) - 1
    exponent = bits >> width & largest
    sign = "-" if bits >> (size - 1) else ""
    if exponent == largest:
        if not fraction:
            return f"{sign}inf"
        quiet = fraction == 1 << (width - 1)
        return f"{sign}nan" if quiet else f"{sign}nan:0x{fraction:x}"
    if not exponent and not fraction:
        return f"{sign}0x0p+0"
    if not exponent:  # a subnormal number, which is shown as a normal one
        shift = width + 1 - fraction.bit_length()
        fraction, exponent = fraction << shift & ((1 << width) - 1), 1 - shift
    pad = -width % 4
    digits = f"{fraction << pad:0{(width + pad) // 4}x}".rstrip("0")
    point = f".{digits}" if digits else ""
    return f"{sign}0x1{point}p{exponent - largest // 2:+d}"


def float_bits(text: str, size: int) -> int:
    """Return the bits of a number from its text, rounded to the nearest number, ties to even.

    Raises:
        MalformedModule: the text is no number, or exceeds the range.

    >>> hex(float_bits("0.1", 32)), hex(float_bits("-inf", 32)), hex(float_bits("nan:0x1", 64))
    ('0x3dcccccd', '0xff800000', '0x7ff0000000000001')
    """
    width = _FRACTION[size]
    sign = (text[:1] == "-") << (size - 1)
    plain = _UNDERSCORE.sub("", text[1:] if text[:1] in ("+", "-") else text)
    top = ((1 << (size - 1 - width)) - 1) << width
    if plain == "inf":
        return sign | top
    if plain == "nan":
        return sign | top | 1 << (width - 1)
    if plain.startswith("nan:0x"):
        payload = integer_of(plain[4:])
        if 0 < payload < 1 << width:
            return sign | top | payload
        raise MalformedModule(
            f"the payload of {text[:80]!r} is not from 1 to {(1 << width) - 1:#x}"
        )
    rounded = _rounded(_fraction(plain, text), width, size)
    if rounded >= top:
        raise MalformedModule(f"{text[:80]!r} exceeds the range of f{size}: expected inf")
    return sign | rounded


def integer_of(text: str) -> int:
    """Return an integer from its text, decimal or hexadecimal.

    Raises:
        MalformedModule: the text is no integer.
    """
    plain = _UNDERSCORE.sub("", text)
    if not _INTEGER.fullmatch(plain) or len(plain) > _MOST_DIGITS:
        raise MalformedModule(f"expected an integer, got {text[:80]!r}")
    return int(plain, 16 if "x" in plain.lower() else 10)


def _fraction(plain: str, text: str) -> Fraction:
    found = _HEXADECIMAL.fullmatch(plain)
    base, power = (16, 2) if found else (10, 10)
    found = found or _DECIMAL.fullmatch(plain)
    if not found or len(plain) > _MOST_DIGITS:
        raise MalformedModule(f"expected a number, got {text[:80]!r}")
    digits, after, exponent = found[1], found[2] or "", int(found[3] or 0)
    mantissa = Fraction(int(digits + after, base), base ** len(after))
    if abs(exponent) > _MOST_EXPONENT:
        exponent = _MOST_EXPONENT if exponent > 0 else -_MOST_EXPONENT
    return mantissa * Fraction(power) ** exponent


def _rounded(value: Fraction, width: int, size: int) -> int:
    """The bits of a number from 0."""
    if not value:
        return 0
    bias = (1 << (size - 2 - width)) - 1
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    significand = round(value / Fraction(2) ** (exponent - width))  # Python rounds ties to even
    return ((exponent + bias - 1) << width) + significand  # a carry goes into the exponent
