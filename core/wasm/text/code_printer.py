"""Instructions in the text format."""

import struct
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from core.wasm.instructions import Immediate
from core.wasm.module import Instruction, MemoryAccess, Module
from core.wasm.text.numbers import float_text
from core.wasm.types import FunctionType, ValueType

#: Immediates that are named first, and not at all where they are 0.
FIRST = ("table", "memory")

#: The space of names of each kind of index.
SPACES = {
    "function": "functions",
    "declared_function": "functions",
    "global": "globals",
    "mutable_global": "globals",
    "table": "tables",
    "table_of_the_type": "tables",
    "element": "elements",
    "element_for_table": "elements",
    "data": "data",
    "type": "types",
    "memory": "memories",
    "local": "locals",
}

#: Names by index, by space.
Identifiers = Mapping[str, Mapping[int, str]]


def in_text_order(kinds: tuple[Immediate, ...]) -> list[int]:
    """Places of immediates in the order of the text, in which tables and memories stand first."""
    return sorted(range(len(kinds)), key=lambda at: kinds[at].kind not in FIRST)


def type_text(type_: FunctionType) -> str:
    """Parameters and results, each with a blank before it."""
    return _list("param", type_.parameters) + _list("result", type_.results)


def _list(word: str, types: tuple[ValueType, ...]) -> str:
    return f" ({word} {' '.join(types)})" if types else ""


class CodePrinter:
    """Prints instructions of one module.

    Args:
        module: whose types blocks have.
        names: identifiers by index, by space.
    """

    def __init__(self, module: Module, names: Identifiers):
        self.module = module
        self.names = names
        self.first_types: dict[FunctionType, int] = {}
        for index, type_ in enumerate(module.types):
            self.first_types.setdefault(type_, index)

    def line(self, instruction: Instruction) -> str:
        """Return an instruction, without the blanks before it."""
        row, values = instruction
        words = [row.name]
        is_first = all(
            not value
            for kind, value in zip(row.immediates, values, strict=True)
            if kind.kind in (*FIRST, "table_of_the_type")
        )
        for at in in_text_order(row.immediates):
            kind, value = row.immediates[at], values[at]
            if not (is_first and kind.kind in FIRST and self._may_go(kind.kind, row.name)):
                words.append(self._immediate(kind, value))
        return " ".join(word for word in words if word)

    def _may_go(self, kind: str, name: str) -> bool:
        """Whether a table or memory 0 is left out: not in ``table.get``, as wabt does it."""
        return kind == "memory" or name in ("call_indirect", "table.init")

    def lines(self, body: tuple[Instruction, ...], indent: int) -> Iterator[str]:
        """Yield a line for each instruction, indented by its blocks."""
        depth = 0
        for each in body:
            name = each.opcode.name
            if name in ("end", "else"):
                depth -= 1
            yield " " * (indent + 2 * max(depth, 0)) + self.line(each)
            if name in ("block", "loop", "if", "else"):
                depth += 1

    def constant(self, body: tuple[Instruction, ...]) -> str:
        """Return a constant expression in brackets."""
        return " ".join(f"({self.line(each)})" for each in body)

    def index(self, kind: str, value: int) -> str:
        """Return the identifier of an index, or the index."""
        return self.names.get(SPACES.get(kind, ""), {}).get(value) or str(value)

    def _immediate(self, kind: Immediate, value: Any) -> str:
        if kind.kind == "block":
            return self._block(value)
        if kind.kind == "type":
            return f"(type {self.index('type', value)})"
        if kind.kind in ("access", "atomic"):
            return _access(kind, value)
        printer = _PRINTERS.get(kind.kind)
        return printer(value) if printer else self.index(kind.kind, value)

    def _block(self, value: Any) -> str:
        if value is None:
            return ""
        if isinstance(value, str):
            return f"(result {value})"
        type_ = self.module.types[value] if value < len(self.module.types) else None
        if type_ is None or self.first_types[type_] != value or _is_short(type_):
            return f"(type {self.index('type', value)})"
        return type_text(type_).strip()


def _is_short(type_: FunctionType) -> bool:
    """Whether a block of the type would be written without an index."""
    return not type_.parameters and len(type_.results) < 2


def _access(kind: Immediate, value: MemoryAccess) -> str:
    words = [f"offset={value.offset}"] if value.offset else []
    if 1 << value.alignment != kind.number:
        words.append(f"align={1 << value.alignment}")
    return " ".join(words)


def _vector(value: bytes) -> str:
    return "i32x4 " + " ".join(f"0x{each:08x}" for each in struct.unpack("<4I", value))


_PRINTERS: dict[str, Callable[[Any], str]] = {
    "f32": lambda value: float_text(value, 32),
    "f64": lambda value: float_text(value, 64),
    "v128": _vector,
    "shuffle": lambda value: " ".join(map(str, value)),
    "labels": lambda value: " ".join(map(str, value)),
    "types": lambda value: " ".join(f"(result {each})" for each in value),
    "reference": lambda value: value.removesuffix("ref"),
    "zero": lambda value: "",
}
