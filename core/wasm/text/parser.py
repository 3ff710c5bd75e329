"""Modules of the text format."""

from collections.abc import Callable
from typing import Any

from core.wasm.binary.names import Names, with_names
from core.wasm.errors import MalformedModule
from core.wasm.instructions import named
from core.wasm.module import (
    Data,
    Element,
    Export,
    ExternalKind,
    Function,
    Global,
    Import,
    Instruction,
    Module,
    instruction,
)
from core.wasm.text.code_parser import CodeParser, Scope
from core.wasm.text.lexer import Group, String, read_groups
from core.wasm.text.stream import Stream
from core.wasm.types import REFERENCES, GlobalType, Limits, MemoryType, TableType, ValueType

#: Spaces of names by the word that begins a definition.
_SPACES = {
    "func": "functions",
    "table": "tables",
    "memory": "memories",
    "global": "globals",
    "elem": "elements",
    "data": "data",
    "type": "types",
}
_KINDS: tuple[ExternalKind, ...] = ("func", "table", "memory", "global")
_PAGE = 65536
_MOST = 2**32 - 1


def parse_text(text: str, *, keep_names: bool = False) -> Module:
    """Return the module that a text says. Types and indices are not checked.

    Args:
        text: in the text format, flat or folded.
        keep_names: whether identifiers become a section "name".

    Raises:
        MalformedModule: the text is not that of a module.

    >>> module = parse_text('(module (func (export "two") (result i32) i32.const 2))')
    >>> module.exports[0].name, module.functions[0].body[0].immediates
    ('two', (2,))
    """
    items = read_groups(text)
    if len(items) == 1 and isinstance(items[0], Group) and items[0].head == "module":
        stream = Stream(items[0].items, 1, items[0].offset)
    else:
        stream = Stream(items)
    name = stream.identifier()
    parser = _Parser(stream)
    module = parser.module()
    return with_names(module, parser.given_names(name)) if keep_names else module


class _Parser:
    """Reads the fields of a module: what each defines first, then what is in them."""

    def __init__(self, stream: Stream):
        self.stream = stream
        self.scope = Scope(names={space: {} for space in _SPACES.values()})
        self.counts = dict.fromkeys(_SPACES, 0)
        self.defined = dict.fromkeys(_KINDS, False)
        self.later: list[tuple[str, Stream, int]] = []
        self.imports: list[Import] = []
        self.functions: list[Function] = []
        self.tables: list[TableType] = []
        self.memories: list[MemoryType] = []
        self.globals: list[Global] = []
        self.exports: list[Export] = []
        self.elements: dict[int, Element] = {}
        self.data: dict[int, Data] = {}
        self.start: int | None = None
        self.local_names: dict[int, dict[int, str]] = {}

    def module(self) -> Module:
        fields = self._fields()
        for word, field in fields:
            if word == "type":
                self._type(field)
        for word, field in fields:
            self._declare(word, field)
        for word, field, index in self.later:
            self._readers()[word](field, index)
        uses_segments = any(
            kind.kind == "data"
            for function in self.functions
            for each in function.body
            for kind in each.opcode.immediates
        )
        return Module(
            types=tuple(self.scope.types),
            imports=tuple(self.imports),
            functions=tuple(self.functions),
            tables=tuple(self.tables),
            memories=tuple(self.memories),
            globals=tuple(self.globals),
            exports=tuple(self.exports),
            start=self.start,
            elements=tuple(self.elements[at] for at in sorted(self.elements)),
            data=tuple(self.data[at] for at in sorted(self.data)),
            has_data_count=uses_segments,
        )

    def given_names(self, module: str | None) -> Names:
        """The identifiers, without the dollar."""
        found = Names(module and module[1:], locals=self.local_names)
        for space, names in self.scope.names.items():
            setattr(found, space, {index: name[1:] for name, index in names.items()})
        return found

    def _fields(self) -> list[tuple[str, Stream]]:
        found: list[tuple[str, Stream]] = []
        known = (*_SPACES, "import", "export", "start")
        while self.stream.peek() is not None:
            field = self.stream.group(*known)
            if field is None:
                self.stream.error(f"expected a field of a module: one of {', '.join(known)}")
            head = field.items[0]
            found.append((getattr(head, "text", ""), field))
        return found

    def _readers(self) -> dict[str, Callable[[Stream, int], None]]:
        return {
            "func": self._function,
            "table": self._table,
            "memory": self._memory,
            "global": self._global,
            "elem": self._element,
            "data": self._data,
            "export": self._export,
            "start": self._start,
        }

    def _define(self, kind: str, name: str | None, field: Stream) -> int:
        """Give the next index of a kind to an identifier."""
        index = self.counts[kind]
        self.counts[kind] += 1
        names = self.scope.names[_SPACES[kind]]
        if name:
            if name in names:
                field.error(f"the identifier {name!r} is used twice")
            names[name] = index
        return index

    def _type(self, field: Stream) -> None:
        self._define("type", field.identifier(), field)
        function = field.group("func")
        if function is None:
            field.error("expected (func ...)")
        self.scope.types.append(function.signature()[0])
        function.finish()
        field.finish()

    def _declare(self, word: str, field: Stream) -> None:
        """Give a field its index; what it contains is read when all fields have theirs."""
        if word == "type":
            return
        if word == "import":
            self._import(field)
            return
        index = self._define(word, field.identifier(), field) if word in _SPACES else 0
        if word in _KINDS:
            kind = _KINDS[_KINDS.index(word)]
            while exported := field.group("export"):
                self.exports.append(Export(exported.take_name(), kind, index))
                exported.finish()
            imported = field.group("import")
            if imported:
                names = imported.take_name(), imported.take_name()
                self._add_import(kind, *names, field, index)
                return
            self.defined[kind] = True
        self.later.append((word, field, index))

    def _import(self, field: Stream) -> None:
        module, name = field.take_name(), field.take_name()
        for kind in _KINDS:
            inner = field.group(kind)
            if inner:
                index = self._define(kind, inner.identifier(), inner)
                self._add_import(kind, module, name, inner, index)
                field.finish()
                return
        field.error(f"expected one of {', '.join(_KINDS)} to import")

    def _add_import(
        self, kind: ExternalKind, module: str, name: str, field: Stream, index: int
    ) -> None:
        if self.defined[kind]:
            field.error(f"an import of a {kind} follows a {kind} of the module: move it before")
        readers: dict[str, Callable[[], Any]] = {
            "func": lambda: self.scope.type_use(field)[0],
            "table": lambda: TableType(limits=_limits(field), element=_reference(field)),
            "memory": lambda: _memory_type(field),
            "global": lambda: _global_type(field),
        }
        self.imports.append(Import(module, name, readers[kind]()))
        field.finish()

    def _function(self, field: Stream, index: int) -> None:
        type_, names = self.scope.type_use(field)
        locals_ = field.declarations("local", names)
        variables: dict[str, int] = {}
        for at, name in enumerate(names):
            if name in variables:
                field.error(f"the identifier {name!r} is used twice in a function")
            if name:
                variables[name] = at
        if variables:
            self.local_names[index] = {at: name[1:] for name, at in variables.items()}
        body = CodeParser(self.scope, variables).body(field)
        self.functions.append(Function(type_, locals_, body))

    def _table(self, field: Stream, index: int) -> None:
        if field.word() not in REFERENCES:
            limits = _limits(field)
            self.tables.append(TableType(_reference(field), limits))
            field.finish()
            return
        type_ = _reference(field)
        inner = field.group("elem")
        if inner is None:
            field.error("expected (elem ...)")
        items, is_short = self._items(inner, type_)
        form = (2 if is_short else 6) if index else (0 if is_short else 4)
        if form == 4 and type_ != "funcref":
            form = 6
        segment = self._define("elem", None, field)
        zero = (instruction("i32.const", 0),)
        self.elements[segment] = Element("active", items, type_, index, zero, form)
        self.tables.append(TableType(type_, Limits(len(items), len(items))))

    def _memory(self, field: Stream, index: int) -> None:
        inner = field.group("data")
        if inner is None:
            self.memories.append(_memory_type(field))
            field.finish()
            return
        content = _strings(inner)
        segment = self._define("data", None, field)
        self.data[segment] = Data(content, (instruction("i32.const", 0),), index)
        pages = -(-len(content) // _PAGE)
        self.memories.append(MemoryType(Limits(pages, pages)))

    def _global(self, field: Stream, _: int) -> None:
        type_ = _global_type(field)
        self.globals.append(Global(type_, CodeParser(self.scope).body(field)))

    def _export(self, field: Stream, _: int) -> None:
        name = field.take_name()
        for kind in _KINDS:
            inner = field.group(kind)
            if inner:
                number = self.scope.index(inner, _SPACES[kind])
                self.exports.append(Export(name, kind, number))
                inner.finish()
                field.finish()
                return
        field.error(f"expected one of {', '.join(_KINDS)} to export")

    def _start(self, field: Stream, _: int) -> None:
        self.start = self.scope.index(field, "functions")
        field.finish()

    def _element(self, field: Stream, index: int) -> None:
        is_declared = field.take_if("declare")
        table = field.group("table")
        number = self.scope.index(table, "tables") if table else None
        offset = None if is_declared else self._offset(field)
        type_, is_plain = "funcref", field.take_if("func")
        has_type = field.word() in REFERENCES
        if has_type:
            type_ = _reference(field)
        elif not is_plain and offset is None:
            field.error("expected func, funcref or externref")
        items, is_short = self._items(field, type_) if has_type else (self._indices(field), True)
        if has_type:
            is_short = False
        form = 0 if is_short else 4
        if offset is None:
            form |= 3 if is_declared else 1
            mode = "declarative" if is_declared else "passive"
            self.elements[index] = Element(mode, items, type_, form=form)  # type: ignore[arg-type]
            return
        if number or type_ != "funcref":
            form |= 2
        self.elements[index] = Element(
            "active",
            items,
            type_,  # type: ignore[arg-type]
            number or 0,
            offset,
            form,
        )

    def _offset(self, field: Stream) -> tuple[Instruction, ...] | None:
        group = field.group("offset")
        if group:
            return CodeParser(self.scope).body(group)
        found = field.peek()
        if not isinstance(found, Group):
            return None
        field.position += 1
        return CodeParser(self.scope).body(Stream([found], 0, found.offset))

    def _indices(self, field: Stream) -> tuple[tuple[Instruction, ...], ...]:
        found = []
        while field.peek():
            number = self.scope.index(field, "functions")
            found.append((Instruction(named("ref.func"), (number,)),))
        return tuple(found)

    def _items(
        self, field: Stream, type_: ValueType | str
    ) -> tuple[tuple[tuple[Instruction, ...], ...], bool]:
        """Constant expressions, or indices of functions, and whether they are indices."""
        if field.is_index() or field.peek() is None:
            return self._indices(field), True
        found = []
        while (item := field.peek()) is not None:
            inner = field.group("item")
            if inner is None:
                field.position += 1
                inner = Stream([item], 0, item.offset)
            found.append(CodeParser(self.scope).body(inner))
        return tuple(found), False

    def _data(self, field: Stream, index: int) -> None:
        group = field.group("memory")
        memory = self.scope.index(group, "memories") if group else 0
        offset = self._offset(field)
        self.data[index] = Data(_strings(field), offset, memory)


def _strings(field: Stream) -> bytes:
    parts = []
    while isinstance(field.peek(), String):
        parts.append(field.take_string())
    field.finish()
    return b"".join(parts)


def _limits(field: Stream) -> Limits:
    minimum = field.integer(0, _MOST, "a size")
    return Limits(minimum, field.integer(0, _MOST, "a size") if field.is_index() else None)


def _memory_type(field: Stream) -> MemoryType:
    return MemoryType(_limits(field), field.take_if("shared"))


def _reference(field: Stream) -> ValueType:
    found = field.value_type()
    if found not in REFERENCES:
        raise MalformedModule(f"expected a reference type, got {found}", field.offset)
    return found


def _global_type(field: Stream) -> GlobalType:
    inner = field.group("mut")
    if inner is None:
        return GlobalType(field.value_type())
    found = inner.value_type()
    inner.finish()
    return GlobalType(found, mutable=True)
