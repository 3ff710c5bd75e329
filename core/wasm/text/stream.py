"""Contents of a pair of brackets, taken one after the other."""

from typing import NoReturn

from core.wasm.errors import MalformedModule
from core.wasm.text.lexer import Group, Node, String, Word
from core.wasm.text.numbers import integer_of
from core.wasm.types import TYPE_CODES, FunctionType, ValueType


class Stream:
    """Words, strings and groups, and which of them is next."""

    def __init__(self, items: list[Node], position: int = 0, offset: int = 0):
        self.items = items
        self.position = position
        self.offset = offset

    def error(self, message: str) -> NoReturn:
        """Raise the error for the next item."""
        found = self.peek()
        offset = found.offset if found else self.offset
        raise MalformedModule(f"{message}, at character {offset}", offset)

    def peek(self) -> Node | None:
        """The next item, or None."""
        return self.items[self.position] if self.position < len(self.items) else None

    def word(self) -> str:
        """The next item if it is a word, or ""; it is not taken."""
        found = self.peek()
        return found.text if isinstance(found, Word) else ""

    def take_word(self, expected: str) -> str:
        """Take a word."""
        found = self.word()
        if not found:
            self.error(f"expected {expected}")
        self.position += 1
        return found

    def take_if(self, word: str) -> bool:
        """Take a word if it is the given one."""
        found = self.word() == word
        self.position += found
        return found

    def identifier(self) -> str | None:
        """Take an identifier, if there is one."""
        found = self.word()
        if not found.startswith("$"):
            return None
        self.position += 1
        return found

    def take_string(self) -> bytes:
        """Take a string."""
        found = self.peek()
        if not isinstance(found, String):
            self.error("expected a string")
        self.position += 1
        return found.content

    def take_name(self) -> str:
        """Take a string in UTF-8."""
        content = self.take_string()
        try:
            return content.decode("utf-8")
        except UnicodeDecodeError:
            self.position -= 1
            self.error("a name is not in UTF-8")

    def group(self, *heads: str) -> "Stream | None":
        """Take a group that begins with one of some words, if it is next; its items behind it."""
        found = self.peek()
        if not isinstance(found, Group) or found.head not in heads:
            return None
        self.position += 1
        return Stream(found.items, 1, found.offset)

    def is_index(self) -> bool:
        """Whether the next item is an identifier or number."""
        return self.word()[:1] in ("$", *"0123456789") and self.word() != ""

    def integer(self, low: int, high: int, what: str) -> int:
        """Take an integer of a range."""
        text = self.take_word(what)
        self.position -= 1
        try:
            value = integer_of(text)
        except MalformedModule:
            self.error(f"expected {what}, got {text[:80]!r}")
        if not low <= value <= high:
            self.error(f"expected {what} from {low} to {high}, got {text[:80]!r}")
        self.position += 1
        return value

    def value_type(self) -> ValueType:
        """Take the type of a value."""
        found = self.word()
        types = [known for known in TYPE_CODES if known == found]
        if not types:
            self.error(f"expected one of {', '.join(TYPE_CODES)}, got {found!r}")
        self.position += 1
        return types[0]

    def signature(self) -> tuple[FunctionType, list[str | None]]:
        """Take groups of parameters and results, and the identifiers of the parameters."""
        names: list[str | None] = []
        parameters = self.declarations("param", names)
        results = self.declarations("result", [])
        return FunctionType(parameters, results), names

    def declarations(self, word: str, names: list[str | None]) -> tuple[ValueType, ...]:
        """Take groups such as ``(param $x i32)`` and ``(local i32 f64)``."""
        found: list[ValueType] = []
        while group := self.group(word):
            name = None if word == "result" else group.identifier()
            types = [group.value_type()] if name else []
            while not name and group.peek():
                types.append(group.value_type())
            group.finish()
            found += types
            names += [name] if name else [None] * len(types)
        return tuple(found)

    def finish(self) -> None:
        """Check that nothing is left."""
        if self.peek():
            self.error("unexpected words")
