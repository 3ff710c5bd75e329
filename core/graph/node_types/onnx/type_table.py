"""Element types of ONNX: their numbers, names, and how files hold them."""

from typing import NamedTuple


class ElementType(NamedTuple):
    """A type of elements.

    Attributes:
        name: as NumPy calls it, or ONNX where NumPy has none.
        stored: NumPy's dtype of raw bytes; "" without one: strings.
        field: of the TensorProto that lists values instead of raw bytes.
        bits: of an element.
    """

    name: str
    stored: str
    field: int
    bits: int


#: The types by their numbers in files, TensorProto.DataType.
ELEMENT_TYPES = {
    1: ElementType("float32", "<f4", 4, 32),
    2: ElementType("uint8", "u1", 5, 8),
    3: ElementType("int8", "i1", 5, 8),
    4: ElementType("uint16", "<u2", 5, 16),
    5: ElementType("int16", "<i2", 5, 16),
    6: ElementType("int32", "<i4", 5, 32),
    7: ElementType("int64", "<i8", 7, 64),
    8: ElementType("string", "", 6, 0),
    9: ElementType("bool", "u1", 5, 8),
    10: ElementType("float16", "<f2", 5, 16),
    11: ElementType("float64", "<f8", 10, 64),
    12: ElementType("uint32", "<u4", 11, 32),
    13: ElementType("uint64", "<u8", 11, 64),
    14: ElementType("complex64", "<c8", 4, 64),
    15: ElementType("complex128", "<c16", 10, 128),
    16: ElementType("bfloat16", "<u2", 5, 16),
    17: ElementType("float8e4m3fn", "u1", 5, 8),
    18: ElementType("float8e4m3fnuz", "u1", 5, 8),
    19: ElementType("float8e5m2", "u1", 5, 8),
    20: ElementType("float8e5m2fnuz", "u1", 5, 8),
    21: ElementType("uint4", "u1", 5, 4),
    22: ElementType("int4", "u1", 5, 4),
    23: ElementType("float4e2m1", "u1", 5, 4),
    24: ElementType("float8e8m0", "u1", 5, 8),
    25: ElementType("uint2", "u1", 5, 2),
    26: ElementType("int2", "u1", 5, 2),
}

#: Names of the types by their numbers, as attributes have them.
NAMES = {number: kind.name for number, kind in ELEMENT_TYPES.items()}

#: Numbers of the types by their names.
NUMBERS = {name: number for number, name in NAMES.items()}
