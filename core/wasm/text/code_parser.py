"""Instructions of the text format, flat and folded."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from core.wasm.errors import MalformedModule
from core.wasm.instructions import ALL, BY_NAME, Immediate, Opcode
from core.wasm.module import Instruction, MemoryAccess
from core.wasm.text.code_printer import FIRST, SPACES, in_text_order
from core.wasm.text.lexer import Group, Word
from core.wasm.text.numbers import float_bits
from core.wasm.text.stream import Stream
from core.wasm.types import FunctionType
from weights_cache.common.similar_names import did_you_mean

_MOST_INDEX = 2**32 - 1
_BLOCKS = ("block", "loop", "if")
_TYPED_SELECT = next(row for row in ALL if row.rule == "typed_select")

#: Kinds of lanes of vectors: their number, and the letter of `struct`.
_SHAPES = {
    "i8x16": (16, "B"),
    "i16x8": (8, "H"),
    "i32x4": (4, "I"),
    "i64x2": (2, "Q"),
    "f32x4": (4, "I"),
    "f64x2": (2, "Q"),
}


@dataclass
class Scope:
    """Identifiers and types of a module.

    Attributes:
        types: function types; those that are used without being defined are added.
        names: indices by identifier, by space.
    """

    types: list[FunctionType] = field(default_factory=list)
    names: dict[str, dict[str, int]] = field(default_factory=dict)

    def index(self, stream: Stream, space: str) -> int:
        """Take an identifier or number of a space."""
        if stream.word().startswith("$"):
            found = self.names.get(space, {}).get(stream.word())
            if found is None:
                near = did_you_mean(stream.word(), self.names.get(space, {}))
                stream.error(f"unknown identifier {stream.word()!r} of {space}{near}")
            stream.position += 1
            return found
        return stream.integer(0, _MOST_INDEX, f"an index of {space}")

    def type_index(self, type_: FunctionType) -> int:
        """The index of a type, which is added where it is new."""
        if type_ not in self.types:
            self.types.append(type_)
        return self.types.index(type_)

    def type_use(self, stream: Stream) -> tuple[int, list[str | None]]:
        """Take the type of a function: an index, parameters and results, or both."""
        used = stream.group("type")
        given = self.index(used, "types") if used else None
        type_, names = stream.signature()
        if given is None:
            return self.type_index(type_), names
        if given < len(self.types):
            if type_ != FunctionType() and type_ != self.types[given]:
                stream.error(f"parameters and results are not those of type {given}")
            if not names:
                names = [None] * len(self.types[given].parameters)
        return given, names


class CodeParser:
    """Reads the instructions of one body.

    Args:
        scope: identifiers of the module.
        variables: indices of parameters and locals by identifier.
    """

    def __init__(self, scope: Scope, variables: dict[str, int] | None = None):
        self.scope = Scope(scope.types, {**scope.names, "locals": variables or {}})
        self.labels: list[str | None] = []
        self.out: list[Instruction] = []
        self._work: list[Stream | Callable[[], None]] = []

    def body(self, stream: Stream) -> tuple[Instruction, ...]:
        """Return all instructions that are left in a stream."""
        self._work = [stream]
        while self._work:
            task = self._work[-1]
            if not isinstance(task, Stream):
                self._work.pop()
                task()
            elif task.peek() is None:
                self._work.pop()
            else:
                self._step(task)
        if self.labels:
            stream.error("a block is not ended: expected end")
        return tuple(self.out)

    def _step(self, stream: Stream) -> None:
        found = stream.peek()
        if isinstance(found, Word):
            name = stream.take_word("an instruction")
            if name in _BLOCKS:
                label, type_ = stream.identifier(), self._block(stream)
                self._open(name, label, type_)
            elif name in ("end", "else"):
                self._close(name, stream)
            else:
                self.out.append(self._plain(name, stream))
        elif isinstance(found, Group):
            stream.position += 1
            self._folded(Stream(found.items, 0, found.offset))
        else:
            stream.error("expected an instruction, got a string")

    def _open(self, name: str, label: str | None, type_: Any) -> None:
        self.out.append(Instruction(BY_NAME[name], (type_,)))
        self.labels.append(label)

    def _close(self, name: str, stream: Stream) -> None:
        if not self.labels:
            stream.error(f"{name} belongs to no block")
        repeated = stream.identifier()
        if repeated and repeated != self.labels[-1]:
            stream.error(f"{name} repeats the label {repeated!r}, that of the block is another")
        self.out.append(Instruction(BY_NAME[name]))
        if name == "end":
            self.labels.pop()

    def _end(self) -> None:
        self.out.append(Instruction(BY_NAME["end"]))
        self.labels.pop()

    def _folded(self, stream: Stream) -> None:
        """Put the parts of a folded instruction on the list of work, the last one first."""
        name = stream.take_word("an instruction")
        if name in ("end", "else", "then"):
            stream.error(f"({name} ...) stands outside of an if")
        if name not in _BLOCKS:
            made = self._plain(name, stream)
            self._work += [lambda: self.out.append(made), stream]
            return
        label, type_ = stream.identifier(), self._block(stream)
        if name != "if":
            self._open(name, label, type_)
            self._work += [self._end, stream]
            return
        before = Stream([], 0, stream.offset)
        while not (then := stream.group("then")):
            operand = stream.peek()
            if operand is None:
                stream.error("an if has no (then ...)")
            before.items.append(operand)
            stream.position += 1
        other = stream.group("else")
        stream.finish()
        self._work.append(self._end)
        if other:
            self._work += [other, lambda: self.out.append(Instruction(BY_NAME["else"]))]
        self._work += [then, lambda: self._open("if", label, type_), before]

    def _block(self, stream: Stream) -> Any:
        start = stream.position
        first = stream.peek()
        if not (isinstance(first, Group) and first.head == "type"):
            type_, names = stream.signature()
            if not type_.parameters and len(type_.results) < 2:
                return type_.results[0] if type_.results else None
            stream.position = start
        index, names = self.scope.type_use(stream)
        if any(names):
            stream.position = start
            stream.error("parameters of blocks have no identifiers")
        return index

    def _plain(self, name: str, stream: Stream) -> Instruction:
        row = BY_NAME.get(name)
        if row is None:
            stream.position -= 1
            stream.error(f"unknown instruction {name!r}{did_you_mean(name, BY_NAME)}")
        if row.rule == "select":
            found = stream.peek()
            if isinstance(found, Group) and found.head == "result":
                row = _TYPED_SELECT
        return Instruction(row, self._immediates(row, stream))

    def _immediates(self, row: Opcode, stream: Stream) -> tuple[Any, ...]:
        kinds = row.immediates
        values: dict[int, Any] = {}
        order = in_text_order(kinds)
        needed = sum(kinds[at].kind in SPACES and kinds[at].kind != "type" for at in order)
        given = self._count_indices(stream, needed)
        for at in order:
            kind = kinds[at].kind
            if given < needed and kind in (*FIRST, "table_of_the_type"):
                values[at] = 0
                needed -= 1
            else:
                values[at] = self._immediate(kinds[at], stream)
                if kind in SPACES and kind != "type":
                    given, needed = given - 1, needed - 1
        return tuple(values[at] for at in range(len(kinds)))

    def _count_indices(self, stream: Stream, most: int) -> int:
        start = stream.position
        while stream.position - start < most and stream.is_index():
            stream.position += 1
        count, stream.position = stream.position - start, start
        return count

    def _immediate(self, kind: Immediate, stream: Stream) -> Any:
        reader = _READERS.get(kind.kind)
        if reader:
            return reader(self, kind, stream)
        return self.scope.index(stream, SPACES[kind.kind])

    def label(self, stream: Stream) -> int:
        """Take a label: an identifier or a number of blocks."""
        word = stream.word()
        if not word.startswith("$"):
            return stream.integer(0, _MOST_INDEX, "a label")
        if word not in self.labels:
            stream.error(f"unknown label {word!r}")
        stream.position += 1
        return self.labels[::-1].index(word)


def _labels(parser: CodeParser, _: Immediate, stream: Stream) -> tuple[int, ...]:
    found = [parser.label(stream)]
    while stream.is_index():
        found.append(parser.label(stream))
    return tuple(found)


def _integer(kind: Immediate, stream: Stream) -> int:
    size = int(kind.kind[1:])
    value = stream.integer(-(1 << (size - 1)), (1 << size) - 1, f"an {kind.kind}")
    return value - (1 << size) if value >> (size - 1) > 0 else value


def _float(size: int, stream: Stream) -> int:
    text = stream.take_word("a number")
    try:
        return float_bits(text, size)
    except MalformedModule as error:
        stream.position -= 1
        stream.error(str(error))


def _vector(stream: Stream) -> bytes:
    shape = stream.take_word("a shape of lanes")
    if shape not in _SHAPES:
        stream.error(f"unknown lanes {shape!r}: expected one of {', '.join(_SHAPES)}")
    count, letter = _SHAPES[shape]
    size = 128 // count
    lanes = []
    for _ in range(count):
        if shape[0] == "f":
            lanes.append(_float(size, stream))
        else:
            value = stream.integer(-(1 << (size - 1)), (1 << size) - 1, f"a lane of {shape}")
            lanes.append(value % (1 << size))
    return struct.pack(f"<{count}{letter}", *lanes)


def _access(kind: Immediate, stream: Stream) -> MemoryAccess:
    offset, alignment = 0, kind.number
    for word in ("offset", "align"):
        if stream.word().startswith(f"{word}="):
            found = stream.take_word(word)
            part = Stream([Word(found.partition("=")[2], stream.offset)], 0, stream.offset)
            value = part.integer(0, _MOST_INDEX, f"{word}=")
            offset, alignment = (value, alignment) if word == "offset" else (offset, value)
    if alignment < 1 or alignment & (alignment - 1):
        stream.error(f"the alignment is not a power of two, got {alignment}")
    return MemoryAccess(alignment.bit_length() - 1, offset)


def _types(_: CodeParser, __: Immediate, stream: Stream) -> Any:
    return stream.declarations("result", [])


def _reference(stream: Stream) -> str:
    word = stream.take_word("func or extern")
    if word not in ("func", "extern"):
        stream.error(f"expected func or extern, got {word!r}")
    return f"{word}ref"


_READERS: dict[str, Callable[[CodeParser, Immediate, Stream], Any]] = {
    "label": lambda parser, _, stream: parser.label(stream),
    "labels": _labels,
    "i32": lambda _, kind, stream: _integer(kind, stream),
    "i64": lambda _, kind, stream: _integer(kind, stream),
    "f32": lambda _, __, stream: _float(32, stream),
    "f64": lambda _, __, stream: _float(64, stream),
    "v128": lambda _, __, stream: _vector(stream),
    "shuffle": lambda _, __, stream: tuple(stream.integer(0, 255, "a lane") for _ in range(16)),
    "lane": lambda _, __, stream: stream.integer(0, 255, "a lane"),
    "access": lambda _, kind, stream: _access(kind, stream),
    "atomic": lambda _, kind, stream: _access(kind, stream),
    "type": lambda parser, _, stream: parser.scope.type_use(stream)[0],
    "types": _types,
    "reference": lambda _, __, stream: _reference(stream),
    "zero": lambda _, __, ___: 0,
}
