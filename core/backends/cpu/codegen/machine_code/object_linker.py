"""A linker for the object files of kernels: from ELF to one block of machine code.

Kernels call no other code, so what a linker has to do is little: lay out the sections of code and
of constants, and fill in the distances between them. The result can be mapped anywhere, without
LLVM: a later process loads it in a fraction of a millisecond, where importing llvmlite takes a
hundred. After the "System V ABI, AMD64 Architecture Processor Supplement", section 4.4.
"""

import struct
from typing import NamedTuple

from core.errors import CoreError

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QQq")

_SYMBOLS, _RELOCATIONS = 2, 4  # types of sections
_WRITABLE, _ALLOCATED = 1, 2  # flags of sections: those that are loaded, and may change
_X86_64 = 62

#: Relocations of 32 bits that hold a distance: to data, to code, and by a table of addresses that
#: is not needed as all symbols are known.
_PC32, _PLT32 = 2, 4

#: Sections that are needed to unwind the stack after an exception: kernels raise none.
_UNNEEDED = (b".eh_frame",)


class Image(NamedTuple):
    """Machine code that works at any address.

    Attributes:
        code: instructions and constants.
        functions: offset of each function in the code, by name.
    """

    code: bytes
    functions: dict[str, int]


class _Section(NamedTuple):
    name: bytes
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int


def link(data: bytes) -> Image:
    """Link an object file.

    Args:
        data: a relocatable ELF file for x86-64.

    Raises:
        CoreError: it needs what kernels do not have, such as a function of another library.
    """
    sections = _sections(data)
    offsets, code = _laid_out(data, sections)
    symbols = next((s for s in sections if s.type == _SYMBOLS), None)
    if symbols is None:
        return Image(bytes(code), {})
    found = [
        _SYMBOL.unpack_from(data, symbols.offset + i) for i in range(0, symbols.size, _SYMBOL.size)
    ]
    for section in sections:
        if section.type == _RELOCATIONS and section.info in offsets:
            _relocate(data, section, offsets, code, found)
    names = sections[symbols.link]
    functions = {
        _text(data, names.offset + name).decode(): offsets[index] + value
        for name, info, _, index, value, _ in found
        if info & 15 == 2 and info >> 4 and index in offsets  # a global function
    }
    return Image(bytes(code), functions)


def _sections(data: bytes) -> list[_Section]:
    magic, _, machine, *_ = fields = _HEADER.unpack_from(data)
    if magic[:5] != b"\x7fELF\x02" or machine != _X86_64:
        raise CoreError("the compiler wrote no ELF object for x86-64")
    start, size, count, names = fields[6], fields[11], fields[12], fields[13]
    rows = [_SECTION.unpack_from(data, start + i * size) for i in range(count)]
    texts = rows[names][4]
    return [
        _Section(_text(data, texts + r[0]), r[1], r[2], r[4], r[5], r[6], r[7], r[8]) for r in rows
    ]


def _text(data: bytes, offset: int) -> bytes:
    return data[offset : data.index(b"\0", offset)]


def _laid_out(data: bytes, sections: list[_Section]) -> tuple[dict[int, int], bytearray]:
    """Return the offset of each section that is kept, by number, and all of them as one block."""
    offsets: dict[int, int] = {}
    code = bytearray()
    for i, section in enumerate(sections):
        if section.flags & _ALLOCATED and section.size and section.name not in _UNNEEDED:
            if section.flags & _WRITABLE:
                raise CoreError(
                    f"the code has variables ({section.name.decode()}): the generator must emit "
                    f"constants alone"
                )
            code += bytes(-len(code) % max(section.alignment, 1))
            offsets[i] = len(code)
            code += data[section.offset : section.offset + section.size]
    return offsets, code


def _relocate(
    data: bytes,
    section: _Section,
    offsets: dict[int, int],
    code: bytearray,
    symbols: list[tuple[int, ...]],
) -> None:
    """Fill in the distances in one section."""
    for start in range(section.offset, section.offset + section.size, _RELOCATION.size):
        offset, kind, addend = _RELOCATION.unpack_from(data, start)
        _, _, _, target, value, _ = symbols[kind >> 32]
        if target not in offsets or kind & 0xFFFFFFFF not in (_PC32, _PLT32):
            raise CoreError(
                f"a kernel needs what lies outside of it (relocation {kind & 0xFFFFFFFF}): the "
                f"generator must not emit calls of other libraries"
            )
        at = offsets[section.info] + offset
        struct.pack_into("<i", code, at, offsets[target] + value + addend - at)
