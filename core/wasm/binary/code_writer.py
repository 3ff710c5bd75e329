"""Bodies of functions and constant expressions, written in the binary format."""

from collections.abc import Callable, Iterable
from typing import Any

from core.wasm.binary.numbers import signed, unsigned
from core.wasm.binary.type_codes import value_types
from core.wasm.instructions import ALL, named
from core.wasm.module import Instruction, MemoryAccess
from core.wasm.types import TYPE_CODES


def _block(value: Any) -> bytes:
    if value is None:
        return b"\x40"
    return signed(value) if isinstance(value, int) else bytes((TYPE_CODES[value],))


def _labels(value: tuple[int, ...]) -> bytes:
    return unsigned(len(value) - 1) + b"".join(map(unsigned, value))


def _access(value: MemoryAccess) -> bytes:
    return unsigned(value.alignment) + unsigned(value.offset)


#: Writers of the immediates that are not an index.
_WRITERS: dict[str, Callable[[Any], bytes]] = {
    "i32": signed,
    "i64": signed,
    "f32": lambda value: value.to_bytes(4, "little"),
    "f64": lambda value: value.to_bytes(8, "little"),
    "v128": bytes,
    "shuffle": bytes,
    "access": _access,
    "atomic": _access,
    "block": _block,
    "labels": _labels,
    "types": value_types,
    "reference": lambda value: bytes((TYPE_CODES[value],)),
    "lane": lambda value: bytes((value,)),
}


def _code_of(prefix: int | None, code: int) -> bytes:
    return bytes((code,)) if prefix is None else bytes((prefix,)) + unsigned(code)


_CODES = {(row.prefix, row.code): _code_of(row.prefix, row.code) for row in ALL}
_END = _code_of(None, named("end").code)


def write_instruction(instruction: Instruction) -> bytes:
    r"""Return an instruction as bytes.

    >>> from core.wasm.module import instruction
    >>> write_instruction(instruction("i32.const", 5))
    b'A\x05'
    """
    row, values = instruction
    code = _CODES[row.prefix, row.code]
    for immediate, value in zip(row.immediates, values, strict=True):
        code += _WRITERS.get(immediate.kind, unsigned)(value)
    return code


def write_expression(instructions: Iterable[Instruction]) -> bytes:
    """Return instructions and the end behind them as bytes."""
    return b"".join(map(write_instruction, instructions)) + _END
