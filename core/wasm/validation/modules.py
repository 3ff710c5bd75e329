"""Modules as a whole: their definitions, then the body of each function."""

from collections.abc import Iterable

from core.wasm.errors import InvalidModule
from core.wasm.instructions import ALL, FEATURES
from core.wasm.module import Instruction, Module
from core.wasm.types import GlobalType, Limits, MemoryType, TableType, ValueType
from core.wasm.validation.context import Context, declared_functions
from core.wasm.validation.stack import StackChecker, entry

MOST_PAGES = 65536
MOST_ELEMENTS = 2**32 - 1

#: Instructions of constant expressions.
_CONSTANT = {row.name for row in ALL if row.name.endswith(".const")} | {
    "ref.null",
    "ref.func",
    "global.get",
}


def validate(module: Module, features: Iterable[str] = FEATURES) -> None:
    """Check that a module is valid.

    Args:
        module: from a file, a text or a builder.
        features: extensions of WebAssembly that it may use; by default all that are known.

    Raises:
        InvalidModule: with the function and the number of the instruction that is wrong.

    >>> from core.wasm.module import Function, instruction
    >>> from core.wasm.types import FunctionType
    >>> validate(Module((FunctionType((), ("i32",)),), functions=(Function(0),)))
    Traceback (most recent call last):
    core.wasm.errors.InvalidModule: function 0, instruction 0: the end of the body takes (i32), \
the stack is () in this block
    """
    context = _context(module, frozenset(features))
    _check_definitions(module, context)
    constants = Context(**{**vars(context), "globals": list(module.imported("global"))})
    for number, each in enumerate(module.globals):
        _check_constant(constants, each.value, each.type.value, f"global {number}")
    _check_segments(module, constants)
    _check_exports(module, context)
    first = len(module.imported("func"))
    for number, function in enumerate(module.functions, first):
        type_ = context.functions[number]
        checker = StackChecker(context, type_.results, type_.parameters + function.locals)
        _check_body(checker, function.body, f"function {number}")


def _context(module: Module, features: frozenset[str]) -> Context:
    types = list(module.types)
    indices = [*module.imported("func"), *(each.type for each in module.functions)]
    return Context(
        types=types,
        functions=[entry(types, index, "type", "a function") for index in indices],
        tables=[*module.imported("table"), *module.tables],
        memories=[*module.imported("memory"), *module.memories],
        globals=[*module.imported("global"), *(each.type for each in module.globals)],
        elements=[each.type for each in module.elements],
        data=len(module.data) if module.has_data_count else None,
        declared=declared_functions(module),
        features=features,
    )


def _check_definitions(module: Module, context: Context) -> None:
    for table in context.tables:
        check_table(table)
    for memory in context.memories:
        check_memory(memory, context.features)
    if len(context.memories) > 1:
        raise InvalidModule(f"a module has one memory, got {len(context.memories)}")
    for type_ in context.types:
        if len(type_.results) > 1 and "multi_value" not in context.features:
            raise InvalidModule("several results need the feature 'multi_value', which is off")


def check_table(table: TableType) -> None:
    """Check the size of a table."""
    _check_limits(table.limits, MOST_ELEMENTS, "a table of elements")


def check_memory(memory: MemoryType, features: frozenset[str] = FEATURES) -> None:
    """Check the size of a memory, and whether it may be shared."""
    _check_limits(memory.limits, MOST_PAGES, "a memory of pages")
    if memory.shared and memory.limits.maximum is None:
        raise InvalidModule("a shared memory needs a maximum")
    if memory.shared and "threads" not in features:
        raise InvalidModule("a shared memory needs the feature 'threads', which is off")


def _check_limits(limits: Limits, most: int, what: str) -> None:
    low, high = limits
    if low > most or (high is not None and not low <= high <= most):
        raise InvalidModule(
            f"{what} has the limits {low} and {high}: expected minimum <= maximum <= {most}"
        )


def _check_constant(
    context: Context, body: tuple[Instruction, ...], type_: ValueType, what: str
) -> None:
    for row, values in body:
        if row.name not in _CONSTANT:
            raise InvalidModule(f"{what}: {row.name} is not allowed in a constant expression")
        if row.name == "global.get":
            found: GlobalType = entry(context.globals, values[0], "imported global", what)
            if found.mutable:
                raise InvalidModule(f"{what}: global {values[0]} is mutable, expected a constant")
    _check_body(StackChecker(context, (type_,)), body, what)


def _check_segments(module: Module, context: Context) -> None:
    for number, each in enumerate(module.elements):
        what = f"element segment {number}"
        for item in each.items:
            _check_constant(context, item, each.type, what)
        if each.mode == "active":
            table: TableType = entry(context.tables, each.table, "table", what)
            if table.element != each.type:
                raise InvalidModule(f"{what} of {each.type} is for a table of {table.element}")
            _check_constant(context, each.offset, "i32", what)
    for number, data in enumerate(module.data):
        if data.offset is not None:
            entry(context.memories, data.memory, "memory", f"data segment {number}")
            _check_constant(context, data.offset, "i32", f"data segment {number}")


def _check_exports(module: Module, context: Context) -> None:
    names: set[str] = set()
    for each in module.exports:
        if each.name in names:
            raise InvalidModule(f"two exports are named {each.name!r}: rename one")
        names.add(each.name)
        entry(range(context.size(each.kind)), each.number, each.kind, f"export {each.name!r}")
    if module.start is not None:
        type_ = entry(context.functions, module.start, "function", "start")
        if type_.parameters or type_.results:
            raise InvalidModule(
                f"the start function takes and returns nothing, got ({' '.join(type_.parameters)})"
                f" -> ({' '.join(type_.results)})"
            )


def _check_body(checker: StackChecker, body: tuple[Instruction, ...], what: str) -> None:
    number = 0
    try:
        for number, each in enumerate(body):  # noqa: B007 - the error names it
            checker.apply(each)
        number = len(body)
        checker.finish()
    except InvalidModule as error:
        raise InvalidModule(f"{what}, instruction {number}: {error}") from None
