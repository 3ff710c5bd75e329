"""Types of the binary format, read and written."""

from core.wasm.binary.cursor import Cursor
from core.wasm.binary.numbers import unsigned
from core.wasm.types import (
    REFERENCES,
    TYPE_CODES,
    VALUE_TYPES,
    FunctionType,
    GlobalType,
    Limits,
    MemoryType,
    TableType,
    ValueType,
)

_FUNCTION = 0x60


def read_value_type(cursor: Cursor) -> ValueType:
    """Read the type of a value."""
    code = cursor.byte()
    if code not in VALUE_TYPES:
        known = ", ".join(f"0x{each:02x}" for each in VALUE_TYPES)
        raise cursor.error(
            f"unknown value type 0x{code:02x}: expected {known}", cursor.position - 1
        )
    return VALUE_TYPES[code]


def read_reference_type(cursor: Cursor) -> ValueType:
    """Read the type of a reference."""
    found = read_value_type(cursor)
    if found not in REFERENCES:
        raise cursor.error(f"expected a reference type, got {found}", cursor.position - 1)
    return found


def read_function_type(cursor: Cursor) -> FunctionType:
    """Read the type of a function."""
    form = cursor.byte()
    if form != _FUNCTION:
        raise cursor.error(f"expected a function type, 0x60, got 0x{form:02x}", cursor.position - 1)
    parameters = cursor.items(lambda: read_value_type(cursor))
    return FunctionType(parameters, cursor.items(lambda: read_value_type(cursor)))


def _read_limits(cursor: Cursor, largest_flags: int) -> tuple[Limits, int]:
    flags = cursor.byte()
    if flags > largest_flags:
        raise cursor.error(
            f"unknown flags of limits {flags}: expected at most {largest_flags}",
            cursor.position - 1,
        )
    minimum = cursor.unsigned()
    return Limits(minimum, cursor.unsigned() if flags & 1 else None), flags


def read_table_type(cursor: Cursor) -> TableType:
    """Read the type of a table."""
    return TableType(read_reference_type(cursor), _read_limits(cursor, 1)[0])


def read_memory_type(cursor: Cursor) -> MemoryType:
    """Read the type of a memory."""
    limits, flags = _read_limits(cursor, 3)
    return MemoryType(limits, bool(flags & 2))


def read_global_type(cursor: Cursor) -> GlobalType:
    """Read the type of a global."""
    value, mutable = read_value_type(cursor), cursor.byte()
    if mutable > 1:
        raise cursor.error(f"a global is mutable, 1, or not, 0, got {mutable}", cursor.position - 1)
    return GlobalType(value, bool(mutable))


def value_types(types: tuple[ValueType, ...]) -> bytes:
    """Return a list of value types as bytes."""
    return unsigned(len(types)) + bytes(TYPE_CODES[each] for each in types)


def function_type(type_: FunctionType) -> bytes:
    """Return the type of a function as bytes."""
    return bytes((_FUNCTION,)) + value_types(type_.parameters) + value_types(type_.results)


def _limits(limits: Limits, flags: int = 0) -> bytes:
    if limits.maximum is None:
        return bytes((flags,)) + unsigned(limits.minimum)
    return bytes((flags | 1,)) + unsigned(limits.minimum) + unsigned(limits.maximum)


def external_type(type_: int | TableType | MemoryType | GlobalType) -> bytes:
    """Return the type of an import as bytes, an index of a type for functions."""
    if isinstance(type_, TableType):
        return bytes((TYPE_CODES[type_.element],)) + _limits(type_.limits)
    if isinstance(type_, MemoryType):
        return _limits(type_.limits, 2 * type_.shared)
    if isinstance(type_, GlobalType):
        return bytes((TYPE_CODES[type_.value], type_.mutable))
    return unsigned(type_)
