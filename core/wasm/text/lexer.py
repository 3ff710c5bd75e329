"""The text format as nested lists of words and strings; nothing calls itself for what is nested."""

import re
from typing import NamedTuple, Union

from core.wasm.errors import MalformedModule

_TOKEN = re.compile(
    r"(?P<blank>[ \t\n\r]+|;;[^\n]*)|(?P<open>\((?!;))|(?P<close>\))|(?P<comment>\(;)"
    r'|(?P<string>"(?:[^"\\\x00-\x1f\x7f]|\\.)*")|(?P<word>[^\s"();,\[\]{}]+)'
)
_COMMENT_PART = re.compile(r"\(;|;\)")
_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F_]+\}|[0-9a-fA-F]{2}|.)", re.DOTALL)
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", '"': '"', "'": "'", "\\": "\\"}


class Word(NamedTuple):
    """A keyword, number or identifier, and the index of its first character."""

    text: str
    offset: int


class String(NamedTuple):
    """A string as bytes, and the index of its first character."""

    content: bytes
    offset: int


class Group(NamedTuple):
    """Words, strings and groups in a pair of brackets, and the index of the first one."""

    items: list["Node"]
    offset: int

    @property
    def head(self) -> str:
        """The first word, or ""."""
        first = self.items[0] if self.items else None
        return first.text if isinstance(first, Word) else ""


Node = Union[Word, String, Group]  # noqa: UP007 - names of classes in quotes need it


def read_groups(text: str) -> list[Node]:
    """Return what stands in a text.

    Raises:
        MalformedModule: a bracket, string or comment is not closed, or a character is not allowed.

    >>> [group] = read_groups('(i32.const 1 (; one ;))')
    >>> group.head, len(group.items)
    ('i32.const', 2)
    """
    root = Group([], 0)
    open_ = [root]
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            shown = text[at : at + 20]
            message = f"a string is not closed or {shown!r} is not allowed, at character {at}"
            raise MalformedModule(message, at)
        kind, end = found.lastgroup, found.end()
        if kind == "open":
            group = Group([], at)
            open_[-1].items.append(group)
            open_.append(group)
        elif kind == "close":
            if len(open_) == 1:
                raise MalformedModule(f"a bracket closes none, at character {at}", at)
            open_.pop()
        elif kind == "comment":
            end = _behind_comment(text, end)
        elif kind == "string":
            open_[-1].items.append(String(_string(found[0][1:-1], at), at))
        elif kind == "word":
            open_[-1].items.append(Word(found[0], at))
        at = end
    if len(open_) > 1:
        start = open_[-1].offset
        raise MalformedModule(f"the bracket at character {start} is not closed", start)
    return root.items


def _behind_comment(text: str, at: int) -> int:
    start, depth = at, 1
    while depth:
        found = _COMMENT_PART.search(text, at)
        if not found:
            raise MalformedModule(f"the comment at character {start} is not closed", start)
        depth += 1 if found[0] == "(;" else -1
        at = found.end()
    return at


def _string(text: str, offset: int) -> bytes:
    parts, at = [], 0
    for found in _ESCAPE.finditer(text):
        parts.append(text[at : found.start()].encode("utf-8", "surrogatepass"))
        parts.append(_escaped(found[1], offset))
        at = found.end()
    return b"".join([*parts, text[at:].encode("utf-8", "surrogatepass")])


def _escaped(code: str, offset: int) -> bytes:
    if code in _LETTERS:
        return _LETTERS[code].encode()
    if len(code) == 2:
        return bytes((int(code, 16),))
    if code.startswith("u{"):
        point = int(code[2:-1].strip("_").replace("_", "") or "0", 16)
        if point < 0xD800 or 0xE000 <= point < 0x110000:
            return chr(point).encode()
    raise MalformedModule(f"unknown escape \\{code} in a string, at character {offset}", offset)
