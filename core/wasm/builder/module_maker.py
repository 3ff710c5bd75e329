"""A module that grows: types, imports, memory, globals, tables, functions."""

from collections.abc import Sequence
from typing import Literal

from core.wasm.binary.names import Names, with_names
from core.wasm.binary.writer import write_module
from core.wasm.builder.function_maker import FunctionMaker
from core.wasm.builder.handles import GlobalVariable, ImportedFunction
from core.wasm.builder.memory import MemoryManager
from core.wasm.builder.spaces import Spaces
from core.wasm.errors import WasmError
from core.wasm.instructions import FEATURES, named
from core.wasm.module import (
    Data,
    Element,
    Export,
    Function,
    Global,
    Import,
    Instruction,
    Module,
    instruction,
)
from core.wasm.types import (
    FunctionType,
    GlobalType,
    Limits,
    MemoryType,
    TableType,
    ValueType,
)
from core.wasm.validation.modules import MOST_PAGES, validate

#: Extensions that are off unless a module is made with them.
_OPTIONS = ("simd", "relaxed_simd", "threads")


class ModuleMaker:
    r"""Builds a module.

    Args:
        simd: whether vectors of 128 bits may be used.
        relaxed_simd: whether those whose results differ between processors may be, too.
        threads: whether atomic instructions may be used; the memory is shared then.
        start: offset of the first byte of the memory that regions may have.

    Attributes:
        memory: hands out regions of the linear memory.
        context: types of all that functions may refer to.

    >>> module = ModuleMaker()
    >>> f = module.function("sum", ["i32"], ["i32"])
    >>> total = f.new_local("i32")
    >>> with f.for_range(0, f.parameters[0]) as i:
    ...     f.local.get(total)
    ...     f.local.get(i)
    ...     f.i32.add()
    ...     f.local.set(total)
    >>> f.local.get(total)
    >>> f.f32.sqrt()
    Traceback (most recent call last):
    core.wasm.errors.InvalidModule: function 'sum', instruction 20: f32.sqrt takes (f32), ...
    >>> module.to_bytes()[:4]
    b'\x00asm'
    """

    def __init__(
        self,
        *,
        simd: bool = True,
        relaxed_simd: bool = False,
        threads: bool = False,
        start: int = 0,
    ):
        options = dict(zip(_OPTIONS, (simd, relaxed_simd, threads), strict=True))
        off = {name for name, on in options.items() if not on}
        self._spaces = Spaces(FEATURES - off)
        self.context = self._spaces.context
        self.memory = MemoryManager(start)
        self._shared = threads
        self._memory: tuple[int, int | None] | None = None
        self._memory_import: tuple[str, str] | None = None
        self._imports: list[Import] = []
        self._functions: list[FunctionMaker] = []
        self._globals: list[Global] = []
        self._tables: list[TableType] = []
        self._elements: list[Element] = []
        self._passive: list[Data] = []
        self._exports: list[Export] = []
        self._start: int | None = None
        self._names = Names()

    def import_function(
        self,
        module: str,
        name: str,
        parameters: Sequence[ValueType] = (),
        results: Sequence[ValueType] = (),
    ) -> ImportedFunction:
        """Import a function of the host.

        Args:
            module: first of the two names by which the host gives it.
            name: second one.
            parameters: types of what it takes.
            results: types of what it returns.

        Raises:
            WasmError: a function of the module is there already, which has the next index.
        """
        if self._functions:
            raise WasmError(
                f"the import {module}.{name} follows function {self._functions[0].name!r}: "
                "import functions before you make some"
            )
        type_ = FunctionType(tuple(parameters), tuple(results))
        self._imports.append(Import(module, name, self._spaces.type_index(type_)))
        self.context.functions.append(type_)
        number = len(self.context.functions) - 1
        self._names.functions[number] = name
        return ImportedFunction(number, type_)

    def function(
        self,
        name: str,
        parameters: Sequence[ValueType] = (),
        results: Sequence[ValueType] = (),
        *,
        export: bool = True,
    ) -> FunctionMaker:
        """Return a new function, without instructions.

        Args:
            name: by which it is exported, and shown.
            parameters: types of what it takes.
            results: types of what it returns.
            export: whether the host sees it.
        """
        type_ = FunctionType(tuple(parameters), tuple(results))
        self._spaces.type_index(type_)
        self.context.functions.append(type_)
        made = FunctionMaker(self._spaces, len(self.context.functions) - 1, type_, name)
        self._functions.append(made)
        self._names.functions[made.number] = name
        if export:
            self.export(name, "func", made.number)
        return made

    def export(
        self, name: str, kind: Literal["func", "table", "memory", "global"], number: int
    ) -> None:
        """Export what has a number of a kind."""
        self._exports.append(Export(name, kind, number))

    def use_memory(
        self,
        pages: int = 1,
        maximum: int | None = None,
        *,
        export: str | None = "memory",
        imported: tuple[str, str] | None = None,
    ) -> MemoryManager:
        """Give the module a memory, and return what hands out its regions.

        Args:
            pages: least size at the start; regions that need more make it larger.
            maximum: largest size in pages; a shared memory has the largest one by default.
            export: name by which the host sees it, or None.
            imported: the two names by which the host gives it instead.
        """
        if self._memory is None:
            self.context.memories.append(MemoryType(Limits(pages, maximum), self._shared))
        self._memory, self._memory_import = (pages, maximum), imported
        if export:
            self.export(export, "memory", 0)
        return self.memory

    def global_variable(
        self,
        type_: ValueType,
        value: float | int = 0,
        *,
        mutable: bool = True,
        export: str | None = None,
    ) -> GlobalVariable:
        """Add a global with a number as first value."""
        first = float(value) if type_ in ("f32", "f64") else value
        found = GlobalType(type_, mutable)
        self._globals.append(Global(found, (instruction(f"{type_}.const", first),)))
        self.context.globals.append(found)
        number = len(self.context.globals) - 1
        if export:
            self.export(export, "global", number)
        return GlobalVariable(number, type_)

    def table_of(self, functions: Sequence[FunctionMaker | ImportedFunction]) -> int:
        """Add a table that has some functions, for ``call_indirect``; return its number."""
        size = len(functions)
        self._tables.append(TableType("funcref", Limits(size, size)))
        self.context.tables.append(self._tables[-1])
        number = len(self.context.tables) - 1
        items = tuple((instruction("ref.func", each.number),) for each in functions)
        offset = (instruction("i32.const", 0),)
        form = 2 if number else 0
        self._elements.append(Element("active", items, "funcref", number, offset, form))
        self.context.elements.append("funcref")
        self.context.declared.update(each.number for each in functions)
        return number

    def passive_data(self, content: bytes) -> int:
        """Add bytes that ``memory.init`` copies; return the number of the segment."""
        self._passive.append(Data(content))
        self.context.data = len(self._passive)
        return len(self._passive) - 1

    def start_with(self, function: FunctionMaker) -> None:
        """Run a function when the module is instantiated."""
        self._start = function.number

    def build(self) -> Module:
        """Return the module.

        Raises:
            InvalidModule: a function is not complete, two exports have one name, and the like.
        """
        for each in self._functions:
            each.finish()
            if each.local_names:
                self._names.locals[each.number] = each.local_names
        imports, memories = list(self._imports), []
        if self._memory is not None:
            type_ = self._memory_type(*self._memory)
            if self._memory_import:
                imports.append(Import(*self._memory_import, type_))
            else:
                memories.append(type_)
        module = Module(
            types=tuple(self.context.types),
            imports=tuple(imports),
            functions=tuple(self._function(each) for each in self._functions),
            tables=tuple(self._tables),
            memories=tuple(memories),
            globals=tuple(self._globals),
            exports=tuple(self._exports),
            start=self._start,
            elements=(*self._elements, *self._declaration()),
            data=(*self._passive, *self.memory.data),
            has_data_count=bool(self._passive),
        )
        validate(module, self.context.features)
        return with_names(module, self._names)

    def to_bytes(self) -> bytes:
        """Return the module in the binary format; raises as `build`."""
        return write_module(self.build())

    def _function(self, made: FunctionMaker) -> Function:
        return Function(self._spaces.type_index(made.type), made.locals, tuple(made.body))

    def _memory_type(self, pages: int, maximum: int | None) -> MemoryType:
        if self._shared and maximum is None:
            maximum = MOST_PAGES
        return MemoryType(Limits(max(pages, self.memory.pages), maximum), self._shared)

    def _declaration(self) -> tuple[Element, ...]:
        """The segment that declares functions of which references are made."""
        items: list[tuple[Instruction, ...]] = [
            (Instruction(named("ref.func"), (number,)),)
            for number in sorted(self._spaces.referenced)
        ]
        return (Element("declarative", tuple(items), form=3),) if items else ()
