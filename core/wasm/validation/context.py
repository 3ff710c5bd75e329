"""All that instructions may refer to: everything that a module imports and defines."""

from dataclasses import dataclass, field

from core.wasm.instructions import FEATURES
from core.wasm.module import ExternalKind, Module
from core.wasm.types import FunctionType, GlobalType, MemoryType, TableType, ValueType


@dataclass
class Context:
    """The spaces of indices, imports first.

    Attributes:
        types: function types.
        functions: types of functions.
        tables: types of tables.
        memories: types of memories.
        globals: types of globals.
        elements: types of the segments of elements.
        data: number of data segments, None where it is not announced before the code.
        declared: functions of which references may be made.
        features: extensions of WebAssembly that may be used.
    """

    types: list[FunctionType] = field(default_factory=list)
    functions: list[FunctionType] = field(default_factory=list)
    tables: list[TableType] = field(default_factory=list)
    memories: list[MemoryType] = field(default_factory=list)
    globals: list[GlobalType] = field(default_factory=list)
    elements: list[ValueType] = field(default_factory=list)
    data: int | None = None
    declared: set[int] = field(default_factory=set)
    features: frozenset[str] = FEATURES

    def size(self, kind: ExternalKind) -> int:
        """Number of functions, tables, memories or globals there are."""
        return {
            "func": len(self.functions),
            "table": len(self.tables),
            "memory": len(self.memories),
            "global": len(self.globals),
        }[kind]


def declared_functions(module: Module) -> set[int]:
    """Indices of functions that are named outside the bodies of functions."""
    expressions = [each.value for each in module.globals]
    expressions += [item for each in module.elements for item in each.items]
    expressions += [each.offset for each in module.elements]
    expressions += [each.offset for each in module.data if each.offset is not None]
    found = {e.number for e in module.exports if e.kind == "func"}
    for expression in expressions:
        for row, values in expression:
            if any(each.kind == "declared_function" for each in row.immediates):
                found.add(values[0])
    return found
