"""Modules in the text format, as wabt's wasm2wat lays them out, without its comments."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from core.wasm.binary.names import Names, read_names
from core.wasm.module import Data, Element, Function, Import, Instruction, Module
from core.wasm.text.code_printer import CodePrinter, type_text
from core.wasm.types import FunctionType, GlobalType, Limits, MemoryType, TableType

_IDENTIFIER = re.compile(r"[!#$%&'*+\-./0-9:<=>?@A-Z\\^_`a-z|~]+")


def print_text(module: Module) -> str:
    """Return a module in the text format; names of the section "name" become identifiers.

    Args:
        module: should be valid. Custom sections other than "name" have no text.

    >>> from core.wasm.module import instruction
    >>> body = (instruction("local.get", 0), instruction("i32.eqz"))
    >>> module = Module((FunctionType(("i32",), ("i32",)),), functions=(Function(0, (), body),))
    >>> print(print_text(module).rstrip())
    (module
      (type (func (param i32) (result i32)))
      (func (type 0) (param i32) (result i32)
        local.get 0
        i32.eqz))
    """
    return "".join(_Printer(module, read_names(module)).parts())


class _Printer:
    """Prints the fields of one module."""

    def __init__(self, module: Module, names: Names):
        self.module = module
        spaces = ("functions", "types", "tables", "memories", "globals", "elements", "data")
        self.names = {space: _identifiers(getattr(names, space)) for space in spaces}
        self.local_names = names.locals
        self.code = CodePrinter(module, self.names)

    def parts(self) -> Iterator[str]:
        yield "(module"
        for field in self.fields():
            yield f"\n  {field}"
        yield ")\n"

    def fields(self) -> Iterator[str]:
        module = self.module
        for index, type_ in enumerate(module.types):
            yield f"(type{self._id('types', index)} (func{type_text(type_)}))"
        yield from self._imports()
        for index, function in enumerate(module.functions, len(module.imported("func"))):
            yield self._function(index, function)
        yield from self._tables_and_memories()
        for index, variable in enumerate(module.globals, len(module.imported("global"))):
            value = self.code.constant(variable.value)
            yield f"(global{self._id('globals', index)} {_external(variable.type)} {value})"
        for export in module.exports:
            target = self._index(export.kind, export.number)
            yield f"(export {string(export.name.encode())} ({export.kind} {target}))"
        if module.start is not None:
            yield f"(start {self._index('func', module.start)})"
        yield from map(self._element, range(len(module.elements)), module.elements)
        yield from map(self._data, range(len(module.data)), module.data)

    def _imports(self) -> Iterator[str]:
        counts: Counter[str] = Counter()
        for each in self.module.imports:
            yield self._import(each, counts[each.kind])
            counts[each.kind] += 1

    def _tables_and_memories(self) -> Iterator[str]:
        module = self.module
        for index, table in enumerate(module.tables, len(module.imported("table"))):
            yield f"(table{self._id('tables', index)} {_external(table)})"
        for index, memory in enumerate(module.memories, len(module.imported("memory"))):
            yield f"(memory{self._id('memories', index)} {_external(memory)})"

    def _id(self, space: str, index: int) -> str:
        found = self.names[space].get(index)
        return f" {found}" if found else ""

    def _index(self, kind: str, number: int) -> str:
        kinds = {"func": "function", "table": "table", "memory": "memory", "global": "global"}
        return self.code.index(kinds[kind], number)

    def _import(self, each: Import, index: int) -> str:
        space = {"func": "functions", "memory": "memories"}.get(each.kind, f"{each.kind}s")
        if isinstance(each.type, int):
            type_ = f"(type {self.code.index('type', each.type)})"
        else:
            type_ = _external(each.type)
        names = f"{string(each.module.encode())} {string(each.name.encode())}"
        return f"(import {names} ({each.kind}{self._id(space, index)} {type_}))"

    def _function(self, index: int, function: Function) -> str:
        type_ = self.module.types[function.type]
        given = _identifiers(self.local_names.get(index, {}))
        code = CodePrinter(self.module, {**self.names, "locals": given})
        count = len(type_.parameters)
        head = (
            f"(func{self._id('functions', index)} (type {self.code.index('type', function.type)})"
        )
        head += _variables("param", type_.parameters, given, 0)
        head += type_text(FunctionType((), type_.results))
        lines = [head]
        if function.locals:
            lines.append("   " + _variables("local", function.locals, given, count))
        lines.extend(code.lines(function.body, 4))
        return "\n".join(lines) + ")"

    def _element(self, index: int, each: Element) -> str:
        words = ["declare"] if each.mode == "declarative" else []
        if each.mode == "active":
            if each.table or each.form in (2, 6):
                words.append(f"(table {self.code.index('table', each.table)})")
            words.append(self._offset(each.offset))
        if each.form & 4:
            words += [each.type, *(self._item(item) for item in each.items)]
        else:
            values = (item[0].immediates[0] for item in each.items)
            words += ["func", *(self.code.index("function", value) for value in values)]
        return f"(elem{self._id('elements', index)} {' '.join(words)})"

    def _item(self, item: tuple[Instruction, ...]) -> str:
        text = self.code.constant(item)
        return text if len(item) == 1 else f"(item {text})"

    def _offset(self, body: tuple[Instruction, ...]) -> str:
        text = self.code.constant(body)
        return text if len(body) == 1 else f"(offset {text})"

    def _data(self, index: int, each: Data) -> str:
        offset = "" if each.offset is None else f" {self._offset(each.offset)}"
        return f"(data{self._id('data', index)}{offset} {string(each.content)})"


def _identifiers(names: dict[int, str]) -> dict[int, str]:
    """The names that can be identifiers and are unique."""
    counts = Counter(names.values())
    return {
        index: f"${name}"
        for index, name in names.items()
        if counts[name] == 1 and _IDENTIFIER.fullmatch(name)
    }


def _variables(word: str, types: tuple[Any, ...], names: dict[int, str], first: int) -> str:
    """Parameters or locals: those with an identifier in brackets of their own."""
    out, open_ = "", False
    for index, type_ in enumerate(types, first):
        name = names.get(index)
        if name:
            out += f"{')' if open_ else ''} ({word} {name} {type_})"
        else:
            out += f" {type_}" if open_ else f" ({word} {type_}"
        open_ = not name
    return f"{out})" if open_ else out


def _external(type_: TableType | MemoryType | GlobalType) -> str:
    if isinstance(type_, TableType):
        return f"{_limits(type_.limits)} {type_.element}"
    if isinstance(type_, MemoryType):
        return f"{_limits(type_.limits)}{' shared' * type_.shared}"
    return f"(mut {type_.value})" if type_.mutable else type_.value


def _limits(limits: Limits) -> str:
    return str(limits.minimum) + ("" if limits.maximum is None else f" {limits.maximum}")


def string(content: bytes) -> str:
    r"""Return bytes as a string of the text format.

    >>> print(string(b'a"\n'))
    "a\22\0a"
    """
    shown = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02x}" for b in content)
    return f'"{"".join(shown)}"'
