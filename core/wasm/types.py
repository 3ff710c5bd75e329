"""Types of values, functions, tables, memories and globals."""

from typing import Literal, NamedTuple

#: Type of a value: "i32", "i64", "f32", "f64", "v128", "funcref" or "externref".
ValueType = Literal["i32", "i64", "f32", "f64", "v128", "funcref", "externref"]

#: Value types by the byte that stands for them in a module.
VALUE_TYPES: dict[int, ValueType] = {
    0x7F: "i32",
    0x7E: "i64",
    0x7D: "f32",
    0x7C: "f64",
    0x7B: "v128",
    0x70: "funcref",
    0x6F: "externref",
}

#: Bytes by value type.
TYPE_CODES: dict[ValueType, int] = {name: code for code, name in VALUE_TYPES.items()}

#: Types of references, which are in tables.
REFERENCES: tuple[ValueType, ...] = ("funcref", "externref")

#: Types that the instruction ``select`` takes without naming them.
NUMBERS: tuple[ValueType, ...] = ("i32", "i64", "f32", "f64", "v128")


class FunctionType(NamedTuple):
    """Types of the parameters and results of a function or block."""

    parameters: tuple[ValueType, ...] = ()
    results: tuple[ValueType, ...] = ()


class Limits(NamedTuple):
    """Size at the start and largest size, None for no bound, of a table or memory."""

    minimum: int
    maximum: int | None = None


class TableType(NamedTuple):
    """A table: the type of its elements, and its size."""

    element: ValueType
    limits: Limits


class MemoryType(NamedTuple):
    """A memory: its size in pages of 64 KiB, and whether threads share it."""

    limits: Limits
    shared: bool = False


class GlobalType(NamedTuple):
    """A global variable or constant."""

    value: ValueType
    mutable: bool = False
