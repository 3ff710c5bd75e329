"""Names of functions, locals and others, which tools show: the custom section "name"."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.wasm.binary.cursor import Cursor
from core.wasm.binary.numbers import unsigned
from core.wasm.errors import MalformedModule
from core.wasm.module import CustomSection, Module

_SECTION = "name"
_AFTER_DATA = 11

#: Parts of the section by number: a name, names by index, or names by two indices.
_MODULE = 0
_SINGLE = {1: "functions", 4: "types", 5: "tables", 6: "memories", 7: "globals", 8: "elements"} | {
    9: "data"
}
_DOUBLE = {2: "locals", 3: "labels"}

NameMap = dict[int, str]


@dataclass
class Names:
    """Names by index; those of locals and labels by function, then by index."""

    module: str | None = None
    functions: NameMap = field(default_factory=dict)
    locals: dict[int, NameMap] = field(default_factory=dict)
    labels: dict[int, NameMap] = field(default_factory=dict)
    types: NameMap = field(default_factory=dict)
    tables: NameMap = field(default_factory=dict)
    memories: NameMap = field(default_factory=dict)
    globals: NameMap = field(default_factory=dict)
    elements: NameMap = field(default_factory=dict)
    data: NameMap = field(default_factory=dict)


def read_names(module: Module) -> Names:
    """Return the names of a module; none if the section is missing or damaged, as it may be.

    >>> read_names(with_names(Module(), Names(functions={0: "add"}))).functions
    {0: 'add'}
    """
    for each in module.custom:
        if each.name == _SECTION:
            try:
                return _read(Cursor(each.content))
            except MalformedModule:
                return Names()
    return Names()


def with_names(module: Module, names: Names) -> Module:
    """Return a module with other names."""
    others = tuple(each for each in module.custom if each.name != _SECTION)
    return replace(module, custom=(*others, CustomSection(_SECTION, _written(names), _AFTER_DATA)))


def _read(cursor: Cursor) -> Names:
    found = Names()
    while cursor.position < cursor.end:
        number = cursor.byte()
        part = Cursor(cursor.take(cursor.unsigned()))
        if number == _MODULE:
            found.module = part.name()
        elif number in _SINGLE:
            setattr(found, _SINGLE[number], _read_map(part, part.name))
        elif number in _DOUBLE:
            inner = _reader_of_maps(part)
            setattr(found, _DOUBLE[number], _read_map(part, inner))
    return found


def _read_map(cursor: Cursor, read: Callable[[], Any]) -> dict[int, Any]:
    return dict(cursor.items(lambda: (cursor.unsigned(), read())))


def _reader_of_maps(cursor: Cursor) -> Callable[[], dict[int, str]]:
    return lambda: _read_map(cursor, cursor.name)


def _written(names: Names) -> bytes:
    parts: dict[int, bytes] = {}
    if names.module is not None:
        parts[_MODULE] = _name(names.module)
    for number, kind in _SINGLE.items():
        if getattr(names, kind):
            parts[number] = _map(getattr(names, kind), _name)
    for number, kind in _DOUBLE.items():
        if getattr(names, kind):
            parts[number] = _map(getattr(names, kind), lambda inner: _map(inner, _name))
    return b"".join(bytes((n,)) + unsigned(len(part)) + part for n, part in sorted(parts.items()))


def _map(found: Mapping[int, Any], write: Callable[[Any], bytes]) -> bytes:
    items = [unsigned(index) + write(value) for index, value in sorted(found.items())]
    return unsigned(len(items)) + b"".join(items)


def _name(name: str) -> bytes:
    encoded = name.encode("utf-8")
    return unsigned(len(encoded)) + encoded
