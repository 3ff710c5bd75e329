"""Modules, written in the binary format."""

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TypeVar

from core.wasm.binary.code_writer import write_expression
from core.wasm.binary.numbers import unsigned
from core.wasm.binary.reader import HEADER, SECTIONS
from core.wasm.binary.type_codes import external_type, function_type
from core.wasm.module import EXTERNAL_KINDS, Data, Element, Export, Function, Import, Module
from core.wasm.types import TYPE_CODES

Item = TypeVar("Item")


def write_module(module: Module) -> bytes:
    r"""Return a module in the binary format. Types and indices are not checked.

    >>> write_module(Module())
    b'\x00asm\x01\x00\x00\x00'
    """
    contents = _contents(module)
    out = [HEADER]
    for number in (0, *SECTIONS):
        if contents.get(number):
            out.append(_section(number, contents[number]))
        for custom in module.custom:
            if custom.after == number:
                out.append(_section(0, _name(custom.name) + custom.content))
    return b"".join(out)


def _contents(module: Module) -> dict[int, bytes]:
    """The sections that are not empty, by number."""
    return {
        1: _list(module.types, function_type),
        2: _list(module.imports, _import),
        3: _list(module.functions, lambda each: unsigned(each.type)),
        4: _list(module.tables, external_type),
        5: _list(module.memories, external_type),
        6: _list(module.globals, lambda g: external_type(g.type) + write_expression(g.value)),
        7: _list(module.exports, _export),
        8: b"" if module.start is None else unsigned(module.start),
        9: _list(module.elements, _element),
        12: unsigned(len(module.data)) if module.has_data_count else b"",
        10: _list(module.functions, _body),
        11: _list(module.data, _data),
    }


def _section(number: int, content: bytes) -> bytes:
    return bytes((number,)) + unsigned(len(content)) + content


def _list(items: tuple[Item, ...], write: Callable[[Item], bytes]) -> bytes:
    return _counted([write(each) for each in items]) if items else b""


def _counted(parts: Iterable[bytes]) -> bytes:
    found = list(parts)
    return unsigned(len(found)) + b"".join(found)


def _name(name: str) -> bytes:
    encoded = name.encode("utf-8")
    return unsigned(len(encoded)) + encoded


def _import(each: Import) -> bytes:
    kind = EXTERNAL_KINDS.index(each.kind)
    return _name(each.module) + _name(each.name) + bytes((kind,)) + external_type(each.type)


def _export(each: Export) -> bytes:
    return _name(each.name) + bytes((EXTERNAL_KINDS.index(each.kind),)) + unsigned(each.number)


def _element(each: Element) -> bytes:
    form = each.form
    out = unsigned(form)
    if each.mode == "active":
        out += (unsigned(each.table) if form & 2 else b"") + write_expression(each.offset)
    if form & 3:
        out += bytes((TYPE_CODES[each.type] if form & 4 else 0,))
    if form & 4:
        return out + _counted(map(write_expression, each.items))
    return out + _counted(unsigned(item[0].immediates[0]) for item in each.items)


def _body(function: Function) -> bytes:
    runs = [(len(list(group)), type_) for type_, group in groupby(function.locals)]
    locals_ = _counted(unsigned(count) + bytes((TYPE_CODES[type_],)) for count, type_ in runs)
    code = locals_ + write_expression(function.body)
    return unsigned(len(code)) + code


def _data(each: Data) -> bytes:
    content = unsigned(len(each.content)) + each.content
    if each.offset is None:
        return unsigned(1) + content
    form = unsigned(2) + unsigned(each.memory) if each.memory else unsigned(0)
    return form + write_expression(each.offset) + content
