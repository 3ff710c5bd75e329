"""A module in memory: what a binary file or a text says, as plain tuples."""

import struct
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from core.wasm.instructions import Opcode, named
from core.wasm.types import FunctionType, GlobalType, MemoryType, TableType, ValueType

#: Kind of an import or export.
ExternalKind = Literal["func", "table", "memory", "global"]

#: Kinds of imports and exports, in the order of their codes.
EXTERNAL_KINDS: tuple[ExternalKind, ...] = ("func", "table", "memory", "global")


class MemoryAccess(NamedTuple):
    """Immediate of loads and stores: the promised alignment, as a power of two, and an offset."""

    alignment: int
    offset: int = 0


class Instruction(NamedTuple):
    """An instruction in a body: its row in the table, and a value for each immediate.

    Floating-point constants are the integers of the same bits, so that NaN keep theirs; vectors
    are 16 bytes, indices and lanes integers. The immediate of blocks is None, a value type, or the
    index of a function type; `MemoryAccess` is that of loads and stores.
    """

    opcode: Opcode
    immediates: tuple[Any, ...] = ()


def instruction(name: str, *immediates: Any) -> Instruction:
    """Return an instruction by its name.

    Args:
        name: as in the text format.
        immediates: operands in the code; Python's floats as constants become their bits.

    Raises:
        WasmError: there is no instruction of this name.

    >>> instruction("f32.const", 1.0).immediates
    (1065353216,)
    """
    row = named(name)
    kinds = (each.kind for each in row.immediates)
    return Instruction(row, tuple(_bits(k, v) for k, v in zip(kinds, immediates, strict=True)))


def _bits(kind: str, value: Any) -> Any:
    if kind == "f32" and isinstance(value, float):
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if kind == "f64" and isinstance(value, float):
        return struct.unpack("<Q", struct.pack("<d", value))[0]
    if kind in ("i32", "i64"):
        half = 1 << (int(kind[1:]) - 1)
        return value - 2 * half if value >= half else value
    return value


class Import(NamedTuple):
    """An import: of a function, the index of its type, else the type."""

    module: str
    name: str
    type: int | TableType | MemoryType | GlobalType

    @property
    def kind(self) -> ExternalKind:
        """Kind of the import."""
        if isinstance(self.type, TableType):
            return "table"
        if isinstance(self.type, MemoryType):
            return "memory"
        return "global" if isinstance(self.type, GlobalType) else "func"


class Function(NamedTuple):
    """A function: the index of its type, the types of its locals, its body without the last end."""

    type: int
    locals: tuple[ValueType, ...] = ()
    body: tuple[Instruction, ...] = ()


class Global(NamedTuple):
    """A global, and the constant expression of its first value."""

    type: GlobalType
    value: tuple[Instruction, ...]


class Export(NamedTuple):
    """A name that programs see, for a kind and the number of one of it."""

    name: str
    kind: ExternalKind
    number: int


class Element(NamedTuple):
    """A segment of elements of tables.

    Attributes:
        mode: "active" is copied into the table at the start, "passive" by ``table.init``,
            "declarative" only declares functions of which ``ref.func`` makes references.
        items: constant expressions, one an element; of a binary form with function indices,
            they are ``ref.func`` instructions.
        type: type of the elements.
        table: index of the table of an active segment.
        offset: constant expression, of an active segment.
        form: number of the binary form, 0 to 7, with which the segment is written again.
    """

    mode: Literal["active", "passive", "declarative"]
    items: tuple[tuple[Instruction, ...], ...]
    type: ValueType = "funcref"
    table: int = 0
    offset: tuple[Instruction, ...] = ()
    form: int = 0


class Data(NamedTuple):
    """A segment of bytes; an active one, with an offset, is copied into memory at the start."""

    content: bytes
    offset: tuple[Instruction, ...] | None = None
    memory: int = 0


class CustomSection(NamedTuple):
    """A section for tools, and the number of the last known section before it."""

    name: str
    content: bytes
    after: int = 0


@dataclass(frozen=True)
class Module:
    """A module. Indices of functions, tables, memories and globals begin with the imports.

    Attributes:
        types: function types.
        imports: what the host gives.
        functions: functions with their bodies.
        tables: types of tables.
        memories: types of memories.
        globals: global variables and constants.
        exports: what the host sees.
        start: index of the function that runs at the start, or None.
        elements: segments of elements.
        data: segments of bytes.
        has_data_count: whether the number of segments stands before the code, which
            ``memory.init`` and ``data.drop`` need.
        custom: sections for tools, such as "name".
    """

    types: tuple[FunctionType, ...] = ()
    imports: tuple[Import, ...] = ()
    functions: tuple[Function, ...] = ()
    tables: tuple[TableType, ...] = ()
    memories: tuple[MemoryType, ...] = ()
    globals: tuple[Global, ...] = ()
    exports: tuple[Export, ...] = ()
    start: int | None = None
    elements: tuple[Element, ...] = ()
    data: tuple[Data, ...] = ()
    has_data_count: bool = False
    custom: tuple[CustomSection, ...] = ()

    def imported(self, kind: ExternalKind) -> tuple[Any, ...]:
        """Types of the imports of a kind; of functions the indices of their types."""
        return tuple(each.type for each in self.imports if each.kind == kind)
