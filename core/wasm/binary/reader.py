"""Modules, read from the binary format.

No length or count in the file is believed: memory grows with the bytes that are there. Nothing
calls itself for what is nested.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from core.wasm.binary.code_reader import read_expression
from core.wasm.binary.cursor import Cursor
from core.wasm.binary.type_codes import (
    read_function_type,
    read_global_type,
    read_memory_type,
    read_reference_type,
    read_table_type,
    read_value_type,
)
from core.wasm.module import (
    EXTERNAL_KINDS,
    CustomSection,
    Data,
    Element,
    Export,
    Function,
    Global,
    Import,
    Module,
    instruction,
)
from core.wasm.types import ValueType

#: The first eight bytes: a magic number and version 1.
HEADER = b"\0asm\1\0\0\0"

#: Sections by number, in the order in which they stand in a module.
SECTIONS = {
    1: "types",
    2: "imports",
    3: "function_types",
    4: "tables",
    5: "memories",
    6: "globals",
    7: "exports",
    8: "start",
    9: "elements",
    12: "data_count",
    10: "functions",
    11: "data",
}
_ORDER = {number: place for place, number in enumerate(SECTIONS)}


@dataclass(frozen=True)
class ReadingLimits:
    """Largest sizes of a module.

    Attributes:
        bytes: largest size of the file.
        instructions: most instructions of all functions together.
        locals: most locals of one function.
        all_locals: most locals of all functions together.
    """

    bytes: int = 256 << 20
    instructions: int = 50_000_000
    locals: int = 50_000
    all_locals: int = 5_000_000


def read_module(data: bytes, limits: ReadingLimits | None = None) -> Module:
    r"""Return the module that some bytes contain. Types and indices are not checked.

    Args:
        data: a file in the binary format.
        limits: how large it may be; by default 256 MiB and 50,000,000 instructions.

    Raises:
        MalformedModule: the bytes are no module, or it exceeds a limit.

    >>> read_module(b"\0asm\1\0\0\0").functions
    ()
    >>> read_module(b"<html>")
    Traceback (most recent call last):
    core.wasm.errors.MalformedModule: expected a WebAssembly module, which begins with ...
    """
    return _Reader(bytes(data), limits or ReadingLimits()).module()


class _Reader:
    """Reads the sections of one module."""

    def __init__(self, data: bytes, limits: ReadingLimits):
        self.cursor = Cursor(data)
        self.limits = limits
        self.instructions = 0
        self.locals = 0
        self.found: dict[str, Any] = {}
        self.custom: list[CustomSection] = []
        self.readers: dict[int, Callable[[], Any]] = {
            1: self._list(lambda: read_function_type(self.cursor)),
            2: self._list(self._import),
            3: self._list(lambda: self.cursor.unsigned()),
            4: self._list(lambda: read_table_type(self.cursor)),
            5: self._list(lambda: read_memory_type(self.cursor)),
            6: self._list(lambda: Global(read_global_type(self.cursor), self._expression())),
            7: self._list(self._export),
            8: lambda: self.cursor.unsigned(),
            9: self._list(self._element),
            12: lambda: self.cursor.unsigned(),
            10: self._list(self._body),
            11: self._list(self._data),
        }

    def _list(self, read: Callable[[], Any]) -> Callable[[], Any]:
        return lambda: self.cursor.items(read)

    def module(self) -> Module:
        cursor = self.cursor
        size = len(cursor.data)
        if size > self.limits.bytes:
            raise cursor.error(f"the module has {size} bytes, the limit is {self.limits.bytes}")
        start = cursor.data[: len(HEADER)]
        if start != HEADER:
            raise cursor.error(
                f"expected a WebAssembly module, which begins with {HEADER!r}, got {start!r}"
            )
        cursor.position = len(HEADER)
        last = 0
        while cursor.position < size:
            last = self._section(last)
        return self._joined()

    def _section(self, last: int) -> int:
        """Read a section behind the one numbered ``last``; the number of this one, if known."""
        outer, start = self.cursor, self.cursor.position
        number, length = outer.byte(), outer.unsigned()
        if length > outer.end - outer.position:
            left = outer.end - outer.position
            raise outer.error(f"a section of {length} bytes has only {left} bytes left", start)
        self.cursor = inner = Cursor(outer.data, outer.position, outer.position + length)
        outer.position += length
        if number == 0:
            name = inner.name()
            content = inner.take(inner.end - inner.position)
            self.custom.append(CustomSection(name, content, last))
            self.cursor = outer
            return last
        if number not in SECTIONS:
            raise outer.error(f"unknown section {number}: expected at most 12", start)
        if last and _ORDER[number] <= _ORDER[last]:
            raise outer.error(f"the section {SECTIONS[number]} is not in order", start)
        self.found[SECTIONS[number]] = self.readers[number]()
        if inner.position != inner.end:
            raise inner.error(f"the section {SECTIONS[number]} has bytes behind its last item")
        self.cursor = outer
        return number

    def _joined(self) -> Module:
        found = self.found
        types, bodies = found.pop("function_types", ()), found.pop("functions", ())
        if len(types) != len(bodies):
            raise self.cursor.error(f"{len(types)} functions are declared, {len(bodies)} have code")
        functions = tuple(
            Function(type_, locals_, body)
            for type_, (locals_, body) in zip(types, bodies, strict=True)
        )
        count = found.pop("data_count", None)
        segments = len(found.get("data", ()))
        if count is not None and count != segments:
            raise self.cursor.error(f"{count} data segments are announced, {segments} are there")
        return Module(
            functions=functions,
            has_data_count=count is not None,
            custom=tuple(self.custom),
            **found,
        )

    def _expression(self) -> tuple[Any, ...]:
        most = self.limits.instructions - self.instructions
        found = read_expression(self.cursor, most)
        self.instructions += len(found)
        return found

    def _kind(self) -> int:
        kind = self.cursor.byte()
        if kind >= len(EXTERNAL_KINDS):
            raise self.cursor.error(
                f"unknown kind {kind} of an import or export: expected at most 3",
                self.cursor.position - 1,
            )
        return kind

    def _import(self) -> Import:
        module, name = self.cursor.name(), self.cursor.name()
        read = (Cursor.unsigned, read_table_type, read_memory_type, read_global_type)
        return Import(module, name, read[self._kind()](self.cursor))

    def _export(self) -> Export:
        name = self.cursor.name()
        return Export(name, EXTERNAL_KINDS[self._kind()], self.cursor.unsigned())

    def _function_item(self) -> tuple[Any, ...]:
        return (instruction("ref.func", self.cursor.unsigned()),)

    def _element(self) -> Element:
        cursor = self.cursor
        form = cursor.unsigned()
        if form > 7:
            raise cursor.error(f"unknown form {form} of an element segment: expected at most 7")
        table, offset, type_ = 0, (), "funcref"
        mode = ("active", "passive", "active", "declarative")[form & 3]
        if mode == "active":
            table = cursor.unsigned() if form & 2 else 0
            offset = self._expression()
        if form & 3:
            if form & 4:
                type_ = read_reference_type(cursor)
            elif cursor.byte():
                raise cursor.error("an element segment has an unknown kind", cursor.position - 1)
        items = cursor.items(self._expression if form & 4 else self._function_item)
        return Element(mode, items, type_, table, offset, form)  # type: ignore[arg-type]

    def _body(self) -> tuple[tuple[ValueType, ...], tuple[Any, ...]]:
        outer = self.cursor
        length = outer.unsigned()
        if length > outer.end - outer.position:
            raise outer.error(f"a function of {length} bytes reaches behind the section")
        self.cursor = Cursor(outer.data, outer.position, outer.position + length)
        locals_ = self._locals()
        body = self._expression()
        if self.cursor.position != self.cursor.end:
            raise self.cursor.error("a function has bytes behind its last instruction")
        outer.position += length
        self.cursor = outer
        return locals_, body

    def _locals(self) -> tuple[ValueType, ...]:
        cursor = self.cursor
        runs = cursor.items(lambda: (cursor.unsigned(), read_value_type(cursor)))
        count = sum(run[0] for run in runs)
        self.locals += count
        if count > self.limits.locals or self.locals > self.limits.all_locals:
            raise cursor.error(
                f"{count} locals of a function, {self.locals} so far: the limits are "
                f"{self.limits.locals} and {self.limits.all_locals}"
            )
        return tuple(type_ for number, type_ in runs for _ in range(number))

    def _data(self) -> Data:
        cursor = self.cursor
        form = cursor.unsigned()
        if form > 2:
            raise cursor.error(f"unknown form {form} of a data segment: expected at most 2")
        memory = cursor.unsigned() if form == 2 else 0
        offset = None if form == 1 else self._expression()
        return Data(cursor.take(cursor.unsigned()), offset, memory)
