"""Shapes of element-wise dispatches: axes that broadcast alike are merged."""

from collections.abc import Sequence
from math import prod

from core.engine.specs import Shape


def collapsed(out: Shape, operands: Sequence[Shape]) -> tuple[Shape, list[Shape]]:
    """Return equivalent broadcasting shapes with as few axes as possible.

    Args:
        out: shape of the result.
        operands: shapes that broadcast to it, maybe with fewer axes.

    Returns:
        The shapes of result and operands, with equal numbers of axes, none of length 1 in the
        result.

    >>> collapsed((2, 3, 4), [(2, 3, 4), (4,), (2, 1, 1), ()])
    ((2, 3, 4), [(2, 3, 4), (1, 1, 4), (2, 1, 1), (1, 1, 1)])
    >>> collapsed((2, 3, 4), [(2, 3, 4), (4,)])
    ((6, 4), [(6, 4), (1, 4)])
    """
    padded = [(1,) * (len(out) - len(shape)) + tuple(shape) for shape in operands]
    lengths: list[int] = []
    patterns: list[tuple[bool, ...]] = []
    for axis, length in enumerate(out):
        if length == 1:
            continue
        pattern = tuple(shape[axis] == 1 for shape in padded)
        if patterns and patterns[-1] == pattern:
            lengths[-1] *= length
        else:
            lengths.append(length)
            patterns.append(pattern)
    shapes = [
        tuple(1 if p[i] else n for p, n in zip(patterns, lengths, strict=True))
        for i in range(len(padded))
    ]
    return tuple(lengths), shapes


def flat_index(shape: Shape, names: Sequence[str], lengths: Sequence[str]) -> str:
    """Return GLSL of a value's index from its coordinates; axes of length 1 do not count.

    >>> flat_index((2, 1, 3), ["i", "j", "k"], ["x_0", "x_1", "x_2"])
    'i * x_2 + k'
    """
    text = ""
    for length, name, shown in zip(shape, names, lengths, strict=True):
        if length == 1:
            continue
        name = name if name.isidentifier() else f"({name})"
        if text:
            head = text if text.isidentifier() else f"({text})"
            text = f"{head} * {shown} + {name}"
        else:
            text = name
    return text or "0"


def broadcast_index(out: Shape, shape: Shape, number: str) -> str:
    """Return GLSL of an operand's index for an index of the result, with constant lengths.

    >>> broadcast_index((2, 3, 4), (4,), "o")
    'o % 4'
    >>> broadcast_index((2, 3, 4), (2, 1, 4), "o")
    '(o / 12) * 4 + o % 4'
    """
    lengths, (own,) = collapsed(out, [shape])
    if prod(own) == 1:
        return "0"
    if own == lengths:
        return number
    parts: list[str] = []
    behind, own_behind = prod(lengths), prod(own)
    for axis, (length, mine) in enumerate(zip(lengths, own, strict=True)):
        behind //= length
        own_behind //= mine
        if mine == 1:
            continue
        part = number if behind == 1 else f"({number} / {behind})"
        if axis:
            part = f"{part} % {length}"
        if own_behind > 1:
            part = f"({part}) * {own_behind}" if "%" in part else f"{part} * {own_behind}"
        parts.append(part)
    return " + ".join(parts)
