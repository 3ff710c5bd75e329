"""One function: its parameters, locals, labels and instructions."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from core.wasm.builder.handles import GlobalVariable, ImportedFunction, Label, Local
from core.wasm.builder.instruction_names import attribute
from core.wasm.builder.spaces import Spaces
from core.wasm.errors import InvalidModule, WasmError
from core.wasm.instructions import Immediate, named
from core.wasm.module import Instruction, MemoryAccess, instruction
from core.wasm.types import FunctionType, ValueType
from core.wasm.validation.stack import StackChecker

#: Type of a block: nothing, one result, or parameters and results.
BlockType = ValueType | FunctionType | None


#: Immediates that are 0 where none is given.
_FIRST = ("memory", "zero", "table", "table_of_the_type")


class FunctionMaker:
    """Adds instructions to a function; each is checked at once. See `ModuleMaker.function`.

    Each instruction is an attribute: ``f.i32.add()``, ``f.local.get(x)``, ``f.call(g)``,
    ``f.f32.load(offset=4)``, ``f.v128.and_()``. Memories and tables are the first ones where none
    is named.

    Attributes:
        number: index of the function.
        type: types of parameters and results.
        parameters: the parameters.
        body: the instructions so far.
    """

    def __init__(self, spaces: Spaces, number: int, type_: FunctionType, name: str):
        self._spaces = spaces
        self.number = number
        self.type = type_
        self.name = name
        self.parameters = tuple(Local(i, each) for i, each in enumerate(type_.parameters))
        self.local_names: dict[int, str] = {}
        self.body: list[Instruction] = []
        self._types = list(type_.parameters)
        self._open: list[int] = []
        self._opened = 0
        self._checker = StackChecker(spaces.context, type_.results, self._types)

    def __getattr__(self, name: str) -> Any:
        return attribute(name, self.emit)

    @property
    def locals(self) -> tuple[ValueType, ...]:
        """Types of the locals, without the parameters."""
        return tuple(self._types[len(self.type.parameters) :])

    @property
    def stack(self) -> tuple[str, ...]:
        """Types on the stack now; "any" where the code cannot be reached."""
        return tuple(each or "any" for each in self._checker.stack)

    def new_local(self, type_: ValueType, name: str | None = None) -> Local:
        """Return a new local variable, which is 0 or null at the start.

        Args:
            type_: type of its values.
            name: shown by debuggers and in the text format.
        """
        self._types.append(type_)
        local = Local(len(self._types) - 1, type_)
        if name:
            self.local_names[local.number] = name
        return local

    def emit(self, name: str, *immediates: Any, **access: int) -> None:
        """Add an instruction.

        Args:
            name: as in the text format.
            immediates: its operands in the code: handles, indices, constants.
            access: of loads and stores ``offset``, and ``alignment`` in bytes.

        Raises:
            WasmError: there is no such instruction, or its immediates are wrong.
            InvalidModule: the types on the stack are not what it takes.
        """
        row = named(name)
        self.add(Instruction(row, self._values(name, row.immediates, immediates, access)))

    def add(self, added: Instruction) -> None:
        """Add an instruction that is there already."""
        try:
            self._checker.apply(added)
        except InvalidModule as error:
            place = f"function {self.name!r}, instruction {len(self.body)}"
            raise InvalidModule(f"{place}: {error}") from None
        self.body.append(added)

    def _values(
        self,
        name: str,
        kinds: tuple[Immediate, ...],
        given: tuple[Any, ...],
        access: dict[str, int],
    ) -> tuple[Any, ...]:
        left = list(given)
        needed = [each for each in kinds if each.kind not in ("access", "atomic")]
        while len(left) < len(needed) and needed[len(left)].kind in _FIRST:
            left.append(0)
        wrong = access.keys() - {"offset", "alignment"}
        if len(left) != len(needed) or wrong or (access and len(kinds) == len(needed)):
            expected = ", ".join(each.kind for each in kinds)
            raise WasmError(f"{name} takes ({expected}), got {given} {access or ''}")
        values: list[Any] = []
        for each in kinds:
            if each.kind in ("access", "atomic"):
                alignment = access.get("alignment", each.number)
                values.append(MemoryAccess(alignment.bit_length() - 1, access.get("offset", 0)))
            else:
                values.append(self._value(each.kind, left.pop(0)))
        return instruction(name, *values).immediates

    def _value(self, kind: str, value: Any) -> Any:
        if isinstance(value, Label):
            return self._depth(value)
        if kind == "labels":
            return tuple(self._value("label", each) for each in value)
        if kind == "block" and isinstance(value, FunctionType):
            if not value.parameters and len(value.results) < 2:
                return value.results[0] if value.results else None
            return self._spaces.type_index(value)
        if kind == "type" and isinstance(value, FunctionType):
            return self._spaces.type_index(value)
        if kind == "declared_function":
            number = value if isinstance(value, int) else value.number
            self._spaces.declare(number)
            return number
        if isinstance(value, (Local, GlobalVariable, ImportedFunction, FunctionMaker)):
            return value.number
        if kind in ("f32", "f64"):
            return float(value)
        return value

    def _depth(self, label: Label) -> int:
        if label.level >= len(self._open) or self._open[label.level] != label.key:
            raise WasmError(f"function {self.name!r}: the block of a label has ended")
        return len(self._open) - 1 - label.level

    @contextmanager
    def _opened_block(self, name: str, type_: BlockType) -> Iterator[Label]:
        self.emit(name, type_)
        self._opened += 1
        label = Label(len(self._open), self._opened)
        self._open.append(label.key)
        yield label
        self.emit("end")
        self._open.pop()

    def block(self, type_: BlockType = None) -> AbstractContextManager[Label]:
        """Open a block: ``with f.block() as label``; a branch to the label leaves it."""
        return self._opened_block("block", type_)

    def loop(self, type_: BlockType = None) -> AbstractContextManager[Label]:
        """Open a loop: ``with f.loop() as label``; a branch to the label starts it again."""
        return self._opened_block("loop", type_)

    def if_(self, type_: BlockType = None) -> AbstractContextManager[Label]:
        """Open a block that runs if the operand on top is not 0; ``f.else_()`` stands in it."""
        return self._opened_block("if", type_)

    @contextmanager
    def for_range(
        self, start: int | Local, stop: int | Local, step: int = 1, index: Local | None = None
    ) -> Iterator[Local]:
        """Open a loop over integers, as Python's ``range``: ``with f.for_range(0, n) as i``.

        Args:
            start: first integer.
            stop: the first integer that is not reached, as a signed one.
            step: distance of two integers, not 0.
            index: the i32 that counts; by default a new one.

        Raises:
            WasmError: the step is 0.
        """
        if step == 0:
            raise WasmError("the step of a range is 0: expected a positive or negative integer")
        index = index or self.new_local("i32")
        self._number(start)
        self.emit("local.set", index)
        with self.block() as out, self.loop() as again:
            self.emit("local.get", index)
            self._number(stop)
            self.emit("i32.ge_s" if step > 0 else "i32.le_s")
            self.emit("br_if", out)
            yield index
            self.emit("local.get", index)
            self._number(step)
            self.emit("i32.add")
            self.emit("local.set", index)
            self.emit("br", again)

    def _number(self, value: int | Local) -> None:
        if isinstance(value, Local):
            self.emit("local.get", value)
        else:
            self.emit("i32.const", value)

    def finish(self) -> None:
        """Check that the function returns what its type says.

        Raises:
            InvalidModule: a block is open, or the stack has other types.
        """
        try:
            self._checker.finish()
        except InvalidModule as error:
            raise InvalidModule(f"function {self.name!r}: {error}") from None
