"""Types on the operand stack while instructions run: the algorithm of the specification's appendix.

The validator gives it whole bodies; the builder gives it each instruction when it is added.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from core.wasm.errors import InvalidModule
from core.wasm.instructions import Immediate, Opcode
from core.wasm.module import Instruction
from core.wasm.types import NUMBERS, REFERENCES, FunctionType, ValueType
from core.wasm.validation.context import Context

#: A type that is not known, since the code cannot be reached.
Operand = ValueType | None


class Frame(NamedTuple):
    """A block that is not ended: the name of its instruction, its type, the stack before it."""

    name: str
    type: FunctionType
    height: int

    @property
    def label(self) -> tuple[ValueType, ...]:
        """Types that a branch to the block takes along."""
        return self.type.parameters if self.name == "loop" else self.type.results


class StackChecker:
    """Checks instructions of one body, one after the other.

    Args:
        context: what the instructions may refer to.
        results: types that the body returns.
        variables: types of parameters and locals.

    >>> from core.wasm.module import instruction
    >>> checker = StackChecker(Context(), ("i32",), ("f32",))
    >>> checker.apply(instruction("local.get", 0))
    >>> checker.apply(instruction("i32.eqz"))
    Traceback (most recent call last):
    core.wasm.errors.InvalidModule: i32.eqz takes (i32), the stack is (f32) in this block
    """

    def __init__(
        self, context: Context, results: Sequence[ValueType], variables: Sequence[ValueType] = ()
    ):
        self.context = context
        self.variables = variables
        self.results = tuple(results)
        self.stack: list[Operand] = []
        self.frames = [Frame("function", FunctionType((), self.results), 0)]
        self.unreachable = [False]
        self.current = ""

    def apply(self, instruction: Instruction) -> None:
        """Check an instruction, and put its results on the stack.

        Raises:
            InvalidModule: it may not stand here.
        """
        row, values = instruction
        self.current = row.name
        if row.feature not in self.context.features and row.feature != "mvp":
            raise InvalidModule(f"{row.name} needs the feature {row.feature!r}, which is off")
        known: dict[str, str] = {}
        for immediate, value in zip(row.immediates, values, strict=True):
            check = _CHECKS.get(immediate.kind)
            if check:
                type_ = check(self, row, immediate, values, value)
                if type_:
                    known[f"${immediate.kind}"] = type_
        if row.rule:
            _RULES[row.rule](self, *values)
        else:
            before: Any = row.parameters
            after: Any = row.results
            if known:
                before = [known.get(each, each) for each in before]
                after = [known.get(each, each) for each in after]
            self.take(before)
            self.stack.extend(after)

    def finish(self) -> None:
        """Check that the body may end here, as the ``end`` behind it does.

        Raises:
            InvalidModule: a block is open, or the stack is not what the body returns.
        """
        if len(self.frames) > 1:
            raise InvalidModule(f"the body ends within a {self.frames[-1].name}")
        self.current = "the end of the body"
        before = list(self.stack)
        self._take_results(self.frames[0])
        self.stack = before

    def take(self, types: Sequence[ValueType]) -> None:
        """Take operands of some types from the stack, the last one first."""
        stack, height = self.stack, self.frames[-1].height
        count = len(types)
        if len(stack) - height >= count:
            if not count:
                return
            top = stack[-count:]
            if top == list(types) or all(a in (None, b) for a, b in zip(top, types, strict=True)):
                del stack[-count:]
                return
        elif self.unreachable[-1]:
            top = stack[height:]
            given = types[count - len(top) :]
            if all(a in (None, b) for a, b in zip(top, given, strict=True)):
                del stack[height:]
                return
        raise self._mismatch(f"({' '.join(types)})")

    def _mismatch(self, expected: str) -> InvalidModule:
        shown: list[str] = [each or "any" for each in self.stack[self.frames[-1].height :]]
        text = " ".join(["..."] * (len(shown) > 8) + shown[-8:])
        return InvalidModule(
            f"{self.current} takes {expected}, the stack is ({text}) in this block"
        )

    def take_any(self, expected: str) -> Operand:
        """Take one operand of any type."""
        if len(self.stack) > self.frames[-1].height:
            return self.stack.pop()
        if self.unreachable[-1]:
            return None
        raise self._mismatch(expected)

    def leave(self) -> None:
        """Note that the code behind cannot be reached: its stack has any operands."""
        del self.stack[self.frames[-1].height :]
        self.unreachable[-1] = True

    def enter(self, name: str, type_: FunctionType) -> None:
        """Enter a block."""
        self.take(type_.parameters)
        self.frames.append(Frame(name, type_, len(self.stack)))
        self.unreachable.append(False)
        self.stack.extend(type_.parameters)

    def enter_if(self, type_: Any) -> None:
        """Enter the first branch of an ``if``."""
        self.take(("i32",))
        self.enter("if", self.block_type(type_))

    def drop(self) -> None:
        """Forget an operand."""
        self.take_any("one operand")

    def _take_results(self, frame: Frame) -> None:
        self.take(frame.type.results)
        if len(self.stack) != frame.height:
            more = " ".join(each or "any" for each in self.stack[frame.height :])
            results = " ".join(frame.type.results)
            raise InvalidModule(f"{self.current} takes ({results}), more is there: ({more})")

    def _close(self) -> Frame:
        frame = self.frames[-1]
        self._take_results(frame)
        self.unreachable.pop()
        return self.frames.pop()

    def end(self) -> None:
        """Leave a block."""
        if len(self.frames) == 1:
            raise InvalidModule("end closes a block, and no block is open")
        frame = self._close()
        if frame.name == "if" and frame.type.parameters != frame.type.results:
            raise InvalidModule(
                f"an if without else leaves its parameters ({' '.join(frame.type.parameters)}), "
                f"its results are ({' '.join(frame.type.results)})"
            )
        self.stack.extend(frame.type.results)

    def otherwise(self) -> None:
        """Go on with the other branch of an ``if``."""
        if self.frames[-1].name != "if":
            raise InvalidModule(f"else stands in a {self.frames[-1].name}, expected an if")
        frame = self._close()
        self.frames.append(Frame("else", frame.type, frame.height))
        self.unreachable.append(False)
        self.stack.extend(frame.type.parameters)

    def label(self, depth: int) -> tuple[ValueType, ...]:
        """Types that a branch out of ``depth`` blocks takes along."""
        return self.frames[-1 - entry(self.frames, depth, "label", self.current, True)].label

    def block_type(self, value: Any) -> FunctionType:
        """The type that the immediate of a block stands for."""
        if value is None:
            return FunctionType()
        if isinstance(value, int):
            self._needs("multi_value", "the function type of a block")
            return self.context.types[entry(self.context.types, value, "type", self.current, True)]
        return FunctionType((), (value,))

    def _needs(self, feature: str, what: str) -> None:
        if feature not in self.context.features:
            raise InvalidModule(f"{what} needs the feature {feature!r}, which is off")

    def branch_if(self, depth: int) -> None:
        """Branch if the operand on top is not 0."""
        self.take(("i32",))
        label = self.label(depth)
        self.take(label)
        self.stack.extend(label)

    def branch(self, depth: int) -> None:
        """Branch always."""
        self.take(self.label(depth))
        self.leave()

    def branch_table(self, depths: tuple[int, ...]) -> None:
        """Branch to the label of the number on top; all labels take equally many operands."""
        self.take(("i32",))
        last = self.label(depths[-1])
        for depth in set(depths):
            label = self.label(depth)
            if len(label) != len(last):
                raise InvalidModule(
                    f"br_table takes labels of as many values: ({' '.join(label)}) is not "
                    f"({' '.join(last)})"
                )
            before = list(self.stack)
            self.take(label)
            self.stack = before
        self.take(last)
        self.leave()

    def return_(self) -> None:
        """Return from the function."""
        self.take(self.results)
        self.leave()

    def call(self, type_: FunctionType) -> None:
        """Take arguments, give results."""
        self.take(type_.parameters)
        self.stack.extend(type_.results)

    def call_indirect(self, type_: int, table: int) -> None:
        """Call a function of a table."""
        if self.context.tables[table].element != "funcref":
            raise InvalidModule(
                f"call_indirect takes a table of funcref, table {table} has another type"
            )
        self.take(("i32",))
        self.call(self.context.types[type_])

    def select(self) -> None:
        """Choose one of two numbers of one type."""
        self.take(("i32",))
        second, first = self.take_any("(t t i32)"), self.take_any("(t t i32)")
        found = first or second
        if (first and second and first != second) or found not in (None, *NUMBERS):
            raise InvalidModule(
                f"select takes two numbers of one type, got {first or 'any'} and "
                f"{second or 'any'}; references need the type: select (result TYPE)"
            )
        self.stack.append(found)

    def typed_select(self, types: tuple[ValueType, ...]) -> None:
        """Choose one of two values of the given type."""
        if len(types) != 1:
            raise InvalidModule(f"select takes one type, got {len(types)}")
        self.take((*types, *types, "i32"))
        self.stack.extend(types)

    def is_null(self) -> None:
        """Ask a reference."""
        found = self.take_any("a reference")
        if found not in (None, *REFERENCES):
            raise InvalidModule(f"ref.is_null takes a reference, got {found}")
        self.stack.append("i32")


def entry(space: Sequence[Any], index: int, kind: str, name: str, is_index: bool = False) -> Any:
    """The entry of an index, or the index itself, that must be there."""
    if not 0 <= index < len(space):
        there = f"there are {len(space)}" if space else "there is none"
        raise InvalidModule(f"{name} names {kind} {index}: {there}")
    return index if is_index else space[index]


#: Rules of the table by name: how the stack changes where the row does not say it.
_RULES: dict[str, Callable[..., None]] = {
    "unreachable": StackChecker.leave,
    "block": lambda checker, type_: checker.enter("block", checker.block_type(type_)),
    "loop": lambda checker, type_: checker.enter("loop", checker.block_type(type_)),
    "if": StackChecker.enter_if,
    "else": StackChecker.otherwise,
    "end": StackChecker.end,
    "br": StackChecker.branch,
    "br_if": StackChecker.branch_if,
    "br_table": StackChecker.branch_table,
    "return": StackChecker.return_,
    "call": lambda checker, index: checker.call(checker.context.functions[index]),
    "call_indirect": StackChecker.call_indirect,
    "drop": StackChecker.drop,
    "select": StackChecker.select,
    "typed_select": StackChecker.typed_select,
    "ref.is_null": StackChecker.is_null,
}


Values = tuple[Any, ...]


def _local(c: StackChecker, row: Opcode, _: Immediate, __: Values, value: int) -> ValueType:
    return entry(c.variables, value, "local", row.name)


def _global(c: StackChecker, row: Opcode, at: Immediate, __: Values, value: int) -> ValueType:
    found = entry(c.context.globals, value, "global", row.name)
    if at.kind == "mutable_global" and not found.mutable:
        raise InvalidModule(f"{row.name} changes global {value}, which is not mutable")
    return found.value


def _table(c: StackChecker, row: Opcode, _: Immediate, __: Values, value: int) -> ValueType:
    return entry(c.context.tables, value, "table", row.name).element


def _same_table(c: StackChecker, row: Opcode, at: Immediate, all_: Values, value: int) -> None:
    source, target = _table(c, row, at, all_, value), c.context.tables[all_[0]].element
    if source != target:
        raise InvalidModule(f"{row.name} copies {source} into a table of {target}")


def _element(c: StackChecker, row: Opcode, at: Immediate, all_: Values, value: int) -> None:
    type_ = entry(c.context.elements, value, "element segment", row.name)
    if at.kind == "element_for_table":
        table = _table(c, row, at, all_, all_[1])
        if table != type_:
            raise InvalidModule(f"{row.name} copies {type_} into a table of {table}")


def _memory(c: StackChecker, row: Opcode, _: Immediate, __: Values, value: int) -> None:
    entry(c.context.memories, value, "memory", row.name)


def _access(c: StackChecker, row: Opcode, at: Immediate, __: Values, value: Any) -> None:
    entry(c.context.memories, 0, "memory", row.name)
    natural = at.number.bit_length() - 1
    if value.alignment > natural or (at.kind == "atomic" and value.alignment != natural):
        least = "exactly" if at.kind == "atomic" else "at most"
        shown = 1 << value.alignment if value.alignment < 32 else f"2**{value.alignment}"
        raise InvalidModule(f"{row.name} takes an alignment of {least} {at.number}, got {shown}")


def _lane(c: StackChecker, row: Opcode, at: Immediate, __: Values, value: int) -> None:
    if value >= at.number:
        raise InvalidModule(f"{row.name} takes a lane below {at.number}, got {value}")


def _shuffle(c: StackChecker, row: Opcode, _: Immediate, __: Values, value: Values) -> None:
    if len(value) != 16 or max(value) >= 32:
        raise InvalidModule(f"{row.name} takes 16 lanes below 32, got {value}")


def _function(c: StackChecker, row: Opcode, at: Immediate, __: Values, value: int) -> None:
    entry(c.context.functions, value, "function", row.name)
    if at.kind == "declared_function" and value not in c.context.declared:
        raise InvalidModule(
            f"{row.name} refers to function {value}, which no export, global or element "
            "segment declares: add a declarative element segment"
        )


def _type(c: StackChecker, row: Opcode, _: Immediate, __: Values, value: int) -> None:
    entry(c.context.types, value, "type", row.name)


def _data(c: StackChecker, row: Opcode, _: Immediate, __: Values, value: int) -> None:
    if c.context.data is None:
        raise InvalidModule(f"{row.name} needs the section of the data count before the code")
    entry(range(c.context.data), value, "data segment", row.name)


def _reference(c: StackChecker, row: Opcode, _: Immediate, __: Values, value: str) -> Any:
    return value


#: Checks of immediates by kind; they return the type of the variable, if the immediate names one.
_CHECKS: dict[str, Callable[[StackChecker, Opcode, Immediate, Values, Any], Any]] = {
    "local": _local,
    "global": _global,
    "mutable_global": _global,
    "table": _table,
    "table_of_the_type": _same_table,
    "element": _element,
    "element_for_table": _element,
    "memory": _memory,
    "access": _access,
    "atomic": _access,
    "lane": _lane,
    "shuffle": _shuffle,
    "function": _function,
    "declared_function": _function,
    "type": _type,
    "data": _data,
    "reference": _reference,
}
