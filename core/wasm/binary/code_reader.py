"""Bodies of functions and constant expressions, read from the binary format."""

from collections.abc import Callable
from typing import Any

from core.wasm.binary.cursor import Cursor
from core.wasm.binary.type_codes import read_reference_type, read_value_type
from core.wasm.instructions import ALL, BY_CODE, Opcode
from core.wasm.module import Instruction, MemoryAccess
from core.wasm.types import VALUE_TYPES

_OPENING = ("block", "loop", "if")


def _block(cursor: Cursor) -> Any:
    start = cursor.position
    value = cursor.signed(33)
    if value >= 0:
        return value
    if cursor.position - start == 1:
        if value == -0x40:
            return None
        if value + 0x80 in VALUE_TYPES:
            return VALUE_TYPES[value + 0x80]
    raise cursor.error(f"unknown type of a block {value}: expected an index or value type", start)


def _labels(cursor: Cursor) -> tuple[int, ...]:
    return (*cursor.items(cursor.unsigned), cursor.unsigned())


def _access(cursor: Cursor) -> MemoryAccess:
    return MemoryAccess(cursor.unsigned(), cursor.unsigned())


def _zero(cursor: Cursor) -> int:
    if cursor.byte():
        raise cursor.error("a reserved byte is not 0", cursor.position - 1)
    return 0


def _fixed(size: int) -> Callable[[Cursor], int]:
    return lambda cursor: int.from_bytes(cursor.take(size), "little")


#: Readers of the immediates that are not an index.
_READERS: dict[str, Callable[[Cursor], Any]] = {
    "i32": lambda cursor: cursor.signed(32),
    "i64": lambda cursor: cursor.signed(64),
    "f32": _fixed(4),
    "f64": _fixed(8),
    "v128": lambda cursor: cursor.take(16),
    "shuffle": lambda cursor: tuple(cursor.take(16)),
    "lane": Cursor.byte,
    "access": _access,
    "atomic": _access,
    "block": _block,
    "labels": _labels,
    "types": lambda cursor: cursor.items(lambda: read_value_type(cursor)),
    "reference": read_reference_type,
    "memory": _zero,
    "zero": _zero,
}


def _readers_of(row: Opcode) -> tuple[Callable[[Cursor], Any], ...]:
    return tuple(_READERS.get(each.kind, Cursor.unsigned) for each in row.immediates)


#: Rows by prefix and code: an instruction if it has no immediates, else its row and their readers.
_ROWS = {(row.prefix, row.code): (Instruction(row), row, _readers_of(row)) for row in ALL}


def read_expression(cursor: Cursor, most: int) -> tuple[Instruction, ...]:
    """Read instructions up to the end that belongs to none of their blocks, which is left out.

    Args:
        cursor: where the first instruction begins.
        most: largest number of instructions.

    Raises:
        MalformedModule: an instruction is unknown, incomplete, or there are too many.
    """
    found: list[Instruction] = []
    depth = 0
    while True:
        start = cursor.position
        if start >= cursor.end:
            raise cursor.error(f"the code ends before its last end, {depth} blocks are open")
        code, prefix = cursor.byte(), None
        if code in BY_CODE:
            code, prefix = cursor.unsigned(), code
        known = _ROWS.get((prefix, code))
        if known is None:
            shown = f"0x{code:02x}" if prefix is None else f"0x{prefix:02x} 0x{code:02x}"
            raise cursor.error(f"unknown instruction {shown}", start)
        plain, row, readers = known
        if row.name == "end":
            if not depth:
                return tuple(found)
            depth -= 1
        elif row.name in _OPENING:
            depth += 1
        if len(found) >= most:
            raise cursor.error("more instructions than the limit: raise it", start)
        found.append(
            Instruction(row, tuple([read(cursor) for read in readers])) if readers else plain
        )
