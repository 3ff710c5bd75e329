"""A linker for one object file of kernels: from LLVM's relocatable form to a finished module.

The object's numbers of functions, types and globals stay as they are, for it needs no function of
another one. So what is left is little: data moves to its place in the memory, the imported memory
and stack pointer become the module's own, and the numbers, which LLVM writes with five bytes each,
are written again in as few as they need. After "WebAssembly Object File Linking" of the
tool-conventions.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from core.errors import CoreError
from core.wasm.binary.cursor import Cursor
from core.wasm.binary.reader import read_module
from core.wasm.module import Data, Export, Global, Module, instruction
from core.wasm.types import FunctionType, GlobalType, Limits, MemoryType

_LINKING, _RELOCATIONS = "linking", "reloc."

_HEADER = 8  # bytes before the first section
_CODE, _DATA = 10, 11  # numbers of sections

#: Relocations of addresses in the memory: operands in code, unsigned and signed, and data.
_ADDRESS, _SIGNED_ADDRESS, _DATA_ADDRESS = 3, 4, 5
#: Relocations of numbers that stay: of functions, types and globals.
_STAYING = (0, 6, 7)
_WITH_ADDEND = (_ADDRESS, _SIGNED_ADDRESS, _DATA_ADDRESS)

_SYMBOL_TABLE = 8  # number of the part of the section "linking"
_FUNCTION, _SEGMENT, _GLOBAL, _SECTION, _TABLE = 0, 1, 2, 3, 5
_UNDEFINED, _NAMED = 0x10, 0x40  # flags of symbols

_PAGE = 1 << 16


class Symbol(NamedTuple):
    """A symbol: its kind, its name, and the number of what it is."""

    kind: int
    name: str
    number: int
    is_defined: bool


class Placement(NamedTuple):
    """Addresses in the memory of the module.

    Attributes:
        data: address of the object's data.
        stack: address after the stack, which grows down.
        end: bytes of the memory.
    """

    data: int
    stack: int
    end: int


def data_bytes(data: bytes) -> int:
    """Return the bytes of the data of an object file."""
    return max((_offset(d) + len(d.content) for d in read_module(data).data), default=0)


def link(data: bytes, placement: Placement, exports: Mapping[str, str]) -> Module:
    """Link an object file.

    Args:
        data: a relocatable file of LLVM.
        placement: where its data goes.
        exports: names for the host of functions that it calls, with their names in the object.

    Raises:
        CoreError: it needs what kernels do not have, such as a function of another library.
    """
    custom = {each.name: each.content for each in read_module(data).custom}
    symbols = _symbols(custom[_LINKING])
    patched = bytearray(data)
    for name, number in (("CODE", _CODE), ("DATA", _DATA)):
        if _RELOCATIONS + name in custom:
            start = _section_start(data, number)
            _relocate(patched, start, custom[_RELOCATIONS + name], placement.data)
    module = read_module(bytes(patched))
    if module.imported("func"):
        names = [each.name for each in module.imports if each.kind == "func"]
        raise CoreError(f"kernels call functions that no library gives here: {', '.join(names)}")
    numbers = {s.name: s.number for s in symbols if s.kind == _FUNCTION}
    return replace(
        module,
        imports=(),
        memories=(MemoryType(Limits(-(-placement.end // _PAGE))),),
        globals=tuple(
            Global(GlobalType("i32", mutable=True), (instruction("i32.const", placement.stack),))
            for _ in module.imported("global")
        ),
        exports=(
            Export("memory", "memory", 0),
            *(Export(name, "func", numbers[inner]) for name, inner in exports.items()),
        ),
        data=tuple(_moved(d, placement.data) for d in module.data),
        tables=(),
        custom=(),
    )


def without_unused_types(module: Module) -> Module:
    """Return the module with only the types of its functions that differ."""
    types: dict[FunctionType, int] = {}
    functions = tuple(
        f._replace(type=types.setdefault(module.types[f.type], len(types)))
        for f in module.functions
    )
    return replace(module, types=tuple(types), functions=functions)


def _offset(data: Data) -> int:
    assert data.offset is not None
    return int(data.offset[0].immediates[0])


def _moved(data: Data, base: int) -> Data:
    return data._replace(offset=(instruction("i32.const", _offset(data) + base),))


def _section_start(data: bytes, number: int) -> int:
    """Return the offset of the contents of a section, from which relocations count."""
    cursor = Cursor(data, _HEADER)
    while True:
        found, size = cursor.byte(), cursor.unsigned()
        if found == number:
            return cursor.position
        cursor.take(size)


def _symbols(linking: bytes) -> list[Symbol]:
    cursor = Cursor(linking)
    cursor.unsigned()  # the version
    while cursor.position < len(linking):
        kind, size = cursor.byte(), cursor.unsigned()
        if kind == _SYMBOL_TABLE:
            return [_symbol(cursor) for _ in range(cursor.unsigned())]
        cursor.take(size)
    return []


def _symbol(cursor: Cursor) -> Symbol:
    kind, flags = cursor.byte(), cursor.unsigned()
    is_defined = not flags & _UNDEFINED
    if kind == _SEGMENT:
        name = cursor.name()
        index = cursor.unsigned() if is_defined else -1
        if is_defined:
            cursor.unsigned()  # the offset in the segment
            cursor.unsigned()  # the size
        return Symbol(kind, name, index, is_defined)
    index = cursor.unsigned()
    has_name = kind != _SECTION and (is_defined or flags & _NAMED)
    return Symbol(kind, cursor.name() if has_name else "", index, is_defined)


def _relocate(patched: bytearray, start: int, relocations: bytes, base: int) -> None:
    """Add the address of the data to the addresses in one section."""
    cursor = Cursor(relocations)
    cursor.unsigned()  # the number of the section
    for _ in range(cursor.unsigned()):
        kind, offset, _ = cursor.byte(), cursor.unsigned(), cursor.unsigned()
        if kind in _WITH_ADDEND:
            cursor.signed()
            _add(patched, start + offset, kind, base)
        elif kind not in _STAYING:
            raise CoreError(
                f"a kernel needs what lies outside of it (relocation {kind}): the generator must "
                f"emit neither tables of functions nor variables of threads"
            )


def _add(patched: bytearray, at: int, kind: int, base: int) -> None:
    """Add to an address, of five bytes of seven bits in code, of four bytes in data."""
    if kind == _DATA_ADDRESS:
        value = int.from_bytes(patched[at : at + 4], "little") + base
        patched[at : at + 4] = value.to_bytes(4, "little")
        return
    cursor = Cursor(bytes(patched[at : at + 5]))
    value = (cursor.signed() if kind == _SIGNED_ADDRESS else cursor.unsigned()) + base
    parts = [(value >> 7 * i) & 0x7F | 0x80 * (i < 4) for i in range(5)]
    patched[at : at + 5] = bytes(parts)
