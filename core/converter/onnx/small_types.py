"""Values of types that NumPy lacks: bfloat16, floats of 8 and 4 bits, integers of 4 and 2 bits."""

from typing import NamedTuple

import numpy as np

from core.graph.node_types.onnx.type_table import ELEMENT_TYPES


class _SmallFloat(NamedTuple):
    """A float of less than 16 bits.

    Attributes:
        exponent: bits of the exponent.
        mantissa: bits of the mantissa.
        bias: of the exponent.
        special: what has the largest exponent: "ieee": infinity and NaN; "nan": NaN where all bits
            are set; "zero": NaN is the negative zero; "": all are numbers.
    """

    exponent: int
    mantissa: int
    bias: int
    special: str


#: Source: onnx.ai/onnx/technical, pages on float8 and float4.
_FLOATS = {
    "float8e4m3fn": _SmallFloat(4, 3, 7, "nan"),
    "float8e4m3fnuz": _SmallFloat(4, 3, 8, "zero"),
    "float8e5m2": _SmallFloat(5, 2, 15, "ieee"),
    "float8e5m2fnuz": _SmallFloat(5, 2, 16, "zero"),
    "float4e2m1": _SmallFloat(2, 1, 1, ""),
    "float8e8m0": _SmallFloat(8, 0, 127, "nan"),
}

_INTEGERS = {
    kind.name: kind.bits for kind in ELEMENT_TYPES.values() if "int" in kind.name and kind.bits < 8
}


def decoded(values: np.ndarray, name: str) -> np.ndarray:
    """Return values of a type that NumPy lacks in one that it has; others as they are.

    >>> decoded(np.uint8([0x38, 0xB9]), "float8e4m3fn").tolist()
    [1.0, -1.125]
    >>> decoded(np.uint8([0xF1]), "int4").tolist()
    [1, -1]
    """
    if name == "bool":
        return values != 0
    if name == "bfloat16":  # the upper half of a float32
        return (values.astype(np.uint32) << 16).view(np.float32)
    if name in _FLOATS:
        return _table(name)[_unpacked(values, 4) if name == "float4e2m1" else values]
    if name in _INTEGERS:
        return _small_integers(_unpacked(values, _INTEGERS[name]), name)
    return values


def _small_integers(values: np.ndarray, name: str) -> np.ndarray:
    bits = _INTEGERS[name]
    is_negative = name.startswith("int") & (values >= 1 << (bits - 1))
    return values.astype(np.int8) - np.int8(1 << bits) * is_negative


def _unpacked(values: np.ndarray, bits: int) -> np.ndarray:
    """Return the parts of bytes, the lowest bits first."""
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    return ((values[:, None] >> shifts) & ((1 << bits) - 1)).ravel()


def _table(name: str) -> np.ndarray:
    """Return the float32 of all codes of a type."""
    exponent, mantissa, bias, special = _FLOATS[name]
    is_signed = name != "float8e8m0"
    codes = np.arange(1 << (exponent + mantissa + is_signed))
    power = (codes >> mantissa) & ((1 << exponent) - 1)
    part = (codes & ((1 << mantissa) - 1)) / (1 << mantissa)
    is_small = (power == 0) & is_signed  # subnormal
    found = np.where(is_small, part, 1 + part) * 2.0 ** (np.where(is_small, 1, power) - bias)
    is_top = power == (1 << exponent) - 1
    if special == "ieee":
        found = np.where(is_top, np.where(part, np.nan, np.inf), found)
    elif special == "nan":
        found = np.where(is_top & (part == (1 - 2.0**-mantissa)), np.nan, found)
    found = np.where(codes >> (exponent + mantissa), -found, found)
    if special == "zero":
        found[1 << (exponent + mantissa)] = np.nan
    return found.astype(np.float32)
