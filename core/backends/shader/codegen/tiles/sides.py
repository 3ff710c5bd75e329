"""The factors of products: how each is read, and the destination of the result."""

from collections.abc import Callable
from typing import NamedTuple

from core.backends.shader.codegen.tiles.held import FLOATS, Held
from core.backends.shader.codegen.tiles.tile_source import Choice, run_function


class Side(NamedTuple):
    """GLSL that reads one factor, a vec4 at a time.

    A slot (``s`` is its suffix in names) is a position in the strip that a thread fills turn by
    turn. A vec4 extends along the inner axis, or across it (along rows of the left factor or
    columns of the right one). Lines past the end may read any memory; past the end of the inner
    axis both sides read zero.
    """

    along_inner: bool
    functions: str
    start: Callable[[str, str, str], str]  # slot, line, index k on the inner axis: declarations
    value: Callable[[str], str]  # slot: an expression of vec4, or of the form `held`
    step: Callable[[str, int], str]  # slot, floats to go along the inner axis: statements
    held: Held = FLOATS

    def kept(self, slot: str, held: Held) -> str:
        """Return the value of a slot in the storage of a tile."""
        value = self.value(slot)
        return value if held.is_packed == self.held.is_packed else held.kept(value)


class OperandLayout(NamedTuple):
    """A product for `product_text`: both factors, and the destination of its result."""

    left: Side
    right: Side
    rows: str  # how many rows there are, as GLSL
    columns: int
    turns: Callable[[int], str]  # the length of a strip: how many strips there are, as GLSL
    store_row: Callable[[str], str]  # a row's number: where it starts in the result, in floats
    fill: Callable[[Choice], str] | None = None  # how the left factor's rows become resident


def matrix_side(
    name: str,
    base: str,
    lines: int,
    inner: int,
    along: bool,
    guard: bool,
    held: Held = FLOATS,
) -> Side:
    """Return a dense matrix as a factor.

    Args:
        name: name of the input.
        base: start of the matrix, in floats, as GLSL; "0" for the only one.
        lines: rows of a left factor, columns of a right one.
        inner: length of the inner axis.
        along: whether elements along the inner axis are adjacent.
        guard: whether strips extend past the end of the inner axis.
        held: form of the tile; of loose rows the values are floats.
    """
    if (inner if along else lines) % 4:
        return _loose_side(name, base, lines, inner, along, guard)

    def start(s: str, line: str, k: str) -> str:
        if along:
            at = f"(min({line}, {lines - 1}) * {inner} + {k}) / 4"
        else:
            at = f"(({k}) * {lines} + min({line}, {lines - 4})) / 4"
        base_4 = "" if base == "0" else f"{base} / 4 + "
        return f"int {name}at{s} = {base_4}{at};" + (f"int {name}k{s} = {k};" if guard else "")

    def value(s: str) -> str:
        read = f"{held.read(name)}({name}at{s})"
        return f"{name}k{s} < {inner} ? {read} : {held.zero}" if guard else read

    def step(s: str, length: int) -> str:
        ahead = length // 4 if along else length * (lines // 4)
        return f"{name}at{s} += {ahead};" + (f"{name}k{s} += {length};" if guard else "")

    return Side(along, "", start, value, step, held)


def _loose_side(name: str, base: str, lines: int, inner: int, along: bool, guard: bool) -> Side:
    """Return a matrix whose rows do not start on vec4s: read by floats, with all ends guarded."""

    def start(s: str, line: str, k: str) -> str:
        if along:
            at = f"{base} + min({line}, {lines - 1}) * {inner} + {k}"
            return f"int {name}at{s} = {at}; int {name}k{s} = {k};"
        at = f"{base} + ({k}) * {lines} + {line}"
        left = f"{lines} - ({line})"
        return f"int {name}at{s} = {at}, {name}l{s} = {left}; int {name}k{s} = {k};"

    def value(s: str) -> str:
        if along:
            return f"{name}_run({name}at{s}, {inner} - {name}k{s})"
        left = f"{name}k{s} < {inner} ? {name}l{s} : 0" if guard else f"{name}l{s}"
        return f"{name}_run({name}at{s}, {left})"

    def step(s: str, length: int) -> str:
        ahead = length if along else length * lines
        return f"{name}at{s} += {ahead}; {name}k{s} += {length};"

    return Side(along, run_function(name), start, value, step)


def inside_or_zero(kind: str, name: str, inside: str, read: str, at: str, other: str) -> str:
    """Return GLSL that declares a value of an image, zero outside of it.

    It loads in any case, elsewhere if need be, and then chooses: around a load a choice is a branch
    for NVIDIA's compiler, and loads wait for each other. On an H200 a layer of MobileNet v1 of
    14x14 takes 13.4 us by this instead of 14.6.

    Args:
        kind: GLSL type.
        name: name of the value.
        inside: GLSL of whether it is inside.
        read: GLSL of the load, with ``{}`` for the index.
        at: GLSL of the index.
        other: GLSL of an index that always exists.
    """
    value = read.format(f"(is_{name} ? {at} : {other})")
    return (
        f"bool is_{name} = {inside};\n{kind} {name} = {value};\n"
        f"{name} = is_{name} ? {name} : {kind}(0);\n"
    )


def returned_inside(kind: str, read: str, at: str) -> str:
    """Return the end of a function that returns a value of an image, or zero.

    Args:
        kind: GLSL type.
        read: GLSL of the load if ``inside`` is true, with ``{}`` for the index.
        at: GLSL of the index.
    """
    return inside_or_zero(kind, "v", "inside", read, at, "0") + "return v;\n}\n"
