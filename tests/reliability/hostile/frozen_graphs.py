"""Hostile frozen graphs of TensorFlow: 21 .pb files."""

import struct
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from tests.core.converter.fuzz.protobuf import TYPES, entry, field, shape, varint
from tests.core.converter.graph_parts import (
    call,
    constant,
    function,
    library,
    node,
    placeholder,
    tensor_of,
)

RAN = "code-has-run"
_FLOAT, _INT, _STRING = TYPES["DT_FLOAT"], TYPES["DT_INT32"], TYPES["DT_STRING"]
_VERSION = field(4, field(1, 2000))


def _write(make: Callable[[], bytes], folder: Path) -> Path:
    path = folder / "graph.pb"
    path.write_bytes(make())
    return path


def _spread(lengths: list[int], padding: int = 0) -> bytes:
    """A constant of one value that is spread to a shape, in a file of some size."""
    value = tensor_of(_FLOAT, lengths, field(5, struct.pack("<f", 1.0)))
    filler = node("filler", "NoOp", text=field(2, bytes(padding)))
    parts = [placeholder(), constant("c", value), node("y", "AddV2", "x", "c"), filler]
    return b"".join([*parts, _VERSION])


def _text(op: str, *inputs: str, **attributes: bytes) -> bytes:
    """An op that works on files, or runs code."""
    file = tensor_of(_STRING, [], field(8, RAN))
    parts = [constant("file", file), node("y", op, "file", *inputs, **attributes)]
    return b"".join([*parts, _VERSION])


def _functions(count: int, fields: int) -> bytes:
    """Functions of many empty fields, all of them called."""
    body = field(3, b"") * fields
    found = [field(1, field(1, field(1, f"f{i}")) + body) for i in range(count)]
    calls = [call(f"c{i}", f"f{i}", "x") for i in range(count)]
    return b"".join([placeholder(), *calls, library(*found), _VERSION])


def _doubling(depth: int) -> bytes:
    """Each function calls the next one twice."""
    found = [
        function(
            f"f{i}",
            ["a"],
            {"r": "q:output:0"},
            call("p", f"f{i + 1}", "a"),
            call("q", f"f{i + 1}", "p:output:0"),
        )
        for i in range(depth)
    ]
    found.append(function(f"f{depth}", ["a"], {"r": "p:y:0"}, node("p", "Neg", "a")))
    return placeholder() + call("y", "f0", "x") + library(*found) + _VERSION


def _recursion(*names: str) -> bytes:
    """Functions that call each other in a ring."""
    ring = zip(names, (*names[1:], names[0]), strict=True)
    found = [function(a, ["a"], {"r": "p:output:0"}, call("p", b, "a")) for a, b in ring]
    return placeholder() + call("y", names[0], "x") + library(*found) + _VERSION


def _cycle() -> bytes:
    return placeholder() + node("a", "AddV2", "x", "b") + node("b", "Neg", "a") + _VERSION


def _row(count: int) -> bytes:
    nodes = [node(f"n{i}", "Neg", f"n{i - 1}" if i else "x") for i in range(count)]
    return b"".join([placeholder(), *nodes, _VERSION])


def _deep(depth: int) -> bytes:
    """Messages in messages, as attributes that are lists of functions with attributes."""
    found = field(1, "f")
    for _ in range(depth):
        found = field(1, "f") + entry(2, "a", field(10, found))
    return placeholder() + node("y", "Neg", "x", f=field(10, found)) + _VERSION


def _strings(count: int) -> bytes:
    """A constant that claims many texts and has one."""
    value = tensor_of(_STRING, [count], field(8, "a" * 100_000))
    return constant("c", value) + node("y", "Identity", "c") + _VERSION


def _listed(count: int) -> bytes:
    """Values as varints, one field each."""
    value = tensor_of(_INT, [count], field(7, 1) * count)
    return constant("c", value) + node("y", "Abs", "c") + _VERSION


def _claimed_lengths() -> bytes:
    """A field that claims more bytes than there are, in a node."""
    return placeholder() + varint(1 << 3 | 2) + varint(2**62) + b"\x0a\x01y"


def _endless_varint() -> bytes:
    return placeholder() + b"\x08" + b"\xff" * 1_000_000


def _twice() -> bytes:
    return placeholder() + node("y", "Neg", "x") + node("y", "Abs", "x") + _VERSION


def _huge_placeholder() -> bytes:
    lengths = field(7, shape([2**31 - 1, 2**31 - 1]))
    start = node("x", "Placeholder", dtype=field(6, _FLOAT), shape=lengths)
    return start + node("y", "Neg", "x") + _VERSION


FILES: Mapping[str, Callable[[Path], Path]] = {
    name: partial(_write, make)
    for name, make in {
        "spread": partial(_spread, [475_000_000], 2_000_000),
        "spread_small": partial(_spread, [250_000_000]),
        "spread_overflow": partial(_spread, [2**31, 2**31]),
        "spread_negative": partial(_spread, [-1, 4]),
        "strings": partial(_strings, 2**31 - 1),
        "strings_many": partial(_strings, 50_000_000),
        "listed": partial(_listed, 8_000_000),
        "functions": partial(_functions, 10, 1_000_000),
        "doubling": partial(_doubling, 60),
        "doubling_short": partial(_doubling, 17),
        "recursion": partial(_recursion, "f"),
        "recursion_ring": partial(_recursion, "f", "g", "h"),
        "cycle": _cycle,
        "row": partial(_row, 200_000),
        "deep": partial(_deep, 5000),
        "claimed": _claimed_lengths,
        "varint": _endless_varint,
        "twice": _twice,
        "placeholder": _huge_placeholder,
        "write_file": partial(_text, "WriteFile", "file"),
        "py_func": partial(_text, "PyFunc", token=field(2, "os.system")),
    }.items()
}
