"""An upper bound on the steps of Python's `re`, which goes back to try alternatives.

A choice (a repeat, or one of several alternatives) is tried again whenever the rest of the pattern
fails, unless the next character decides it. So the number of paths through a pattern is the product
of all open choices; a repeat whose body leaves a choice open has exponentially many.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from math import inf, log
from typing import Any, NamedTuple

try:
    from re import _constants as codes  # type: ignore[attr-defined]
    from re import _parser as parser  # type: ignore[attr-defined]
except ImportError:  # Python 3.10
    import sre_constants as codes
    import sre_parse as parser

#: The largest code point of Unicode.
_LAST = 0x10FFFF

_DIGITS, _WORDS = [(48, 57)], [(48, 57), (65, 90), (95, 95), (97, 122)]

#: Characters as ranges; None is any.
Letters = list[tuple[int, int]] | None

#: Characters that may follow the end of a pattern: none are needed, so it never backtracks.
_NOTHING: Letters = []

#: Logarithm of the number of ways to match that counts as infinite.
_MOST_WAYS = 50.0


class _Part(NamedTuple):
    """A part of a pattern.

    Attributes:
        ways: number of paths that match it.
        first: the characters that it may begin with.
        can_be_empty: whether it also matches the empty text.
    """

    ways: float
    first: Letters
    can_be_empty: bool


@lru_cache(1024)
def steps(pattern: str, flags: int, length: int) -> float:
    """Return the most steps for a search in a text of a length; infinity if exponentially many.

    >>> steps("a+b", 0, 100), steps("(a+)+b", 0, 100), steps(".*a", 0, 100)
    (10000.0, inf, 1010000.0)
    """
    parsed = parser.parse(pattern, flags)
    needed = parsed[:-1] if _ends_with_letters(parsed) else parsed  # no repeat at the end fails
    widest = min(int(needed.getwidth()[1]) + 1, length) or 1
    return float(length * widest) * _sequence(parsed, _NOTHING, length, parsed.state.flags).ways


def _ends_with_letters(items: Sequence[Any]) -> bool:
    """Return whether the last item is a repeat of one letter or set."""
    if not len(items) or items[-1][0] is not codes.MAX_REPEAT:
        return False
    body = items[-1][1][2]
    return len(body) == 1 and body[0][0] in (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY)


def _sequence(items: Sequence[Any], after: Letters, length: int, flags: int) -> _Part:
    """Return items in sequence, from last to first, as each depends on the later items."""
    ways, following, can_be_empty = 1.0, after, True
    for code, argument in reversed(list(items)):
        part = _part(code, argument, following, length, flags)
        ways *= part.ways
        following = _either(part.first, following) if part.can_be_empty else part.first
        can_be_empty = can_be_empty and part.can_be_empty
    return _Part(ways, following, can_be_empty)


def _part(code: Any, argument: Any, after: Letters, length: int, flags: int) -> _Part:
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        return _repeat(argument, after, length, flags)
    if code is codes.BRANCH:
        return _branch(argument[1], after, length, flags)
    if code is codes.SUBPATTERN:
        _, added, removed, body = argument
        return _sequence(body, after, length, (flags | added) & ~removed)
    if code is codes.GROUPREF_EXISTS:
        bodies = [body for body in argument[1:] if body is not None]
        parts = [_sequence(body, after, length, flags) for body in bodies]
        return _Part(sum(part.ways for part in parts), None, True)
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return _Part(_sequence(argument[1], None, length, flags).ways, after, True)
    if code is codes.AT:
        return _Part(1, after, True)
    return _Part(1, _letters(code, argument, flags), code is codes.GROUPREF)


def _repeat(argument: Sequence[Any], after: Letters, length: int, flags: int) -> _Part:
    """Return a repeat: its open counts, unless the next character decides, and its paths."""
    least, most, body = argument
    again = _sequence(body, _either(_first(body, flags)[0], after), length, flags)
    most = min(int(most), length)
    counts = max(most - least + 1, 1)
    is_open = again.can_be_empty or _overlap(again.first, after)
    ways: float = counts if is_open and counts > 1 else 1
    if again.ways > 1:
        ways *= inf if most * log(again.ways) > _MOST_WAYS else again.ways**most
    return _Part(ways, again.first, again.can_be_empty or least == 0)


def _branch(bodies: Sequence[Any], after: Letters, length: int, flags: int) -> _Part:
    parts = [_sequence(body, after, length, flags) for body in bodies]
    firsts: Letters = []
    ways, overlaps = 0.0, False
    for part in parts:
        begins = _either(part.first, after) if part.can_be_empty else part.first
        overlaps = overlaps or _overlap(firsts, begins)
        firsts = _either(firsts, begins)
        ways = ways + part.ways if overlaps else max(ways, part.ways)
    if overlaps:
        ways = sum(part.ways for part in parts)
    return _Part(ways, firsts, any(part.can_be_empty for part in parts))


def _first(items: Sequence[Any], flags: int) -> tuple[Letters, bool]:
    """Return the characters that items may begin with, and whether they match the empty text."""
    found: Letters = []
    for code, argument in items:
        letters, can_be_empty = _first_of(code, argument, flags)
        found = _either(found, letters)
        if not can_be_empty:
            return found, False
    return found, True


def _first_of(code: Any, argument: Any, flags: int) -> tuple[Letters, bool]:
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT):
        letters, can_be_empty = _first(argument[2], flags)
        return letters, can_be_empty or argument[0] == 0
    if code is codes.BRANCH:
        bodies = [_first(body, flags) for body in argument[1]]
        letters = []
        for body, _ in bodies:
            letters = _either(letters, body)
        return letters, any(can_be_empty for _, can_be_empty in bodies)
    if code is codes.SUBPATTERN:
        return _first(argument[3], (flags | argument[1]) & ~argument[2])
    if code in (codes.AT, codes.ASSERT, codes.ASSERT_NOT):
        return [], True
    is_reference = code in (codes.GROUPREF, codes.GROUPREF_EXISTS)
    return (None, True) if is_reference else (_letters(code, argument, flags), False)


def _letters(code: Any, argument: Any, flags: int) -> Letters:
    """Return the characters that one item matches, if they can be listed."""
    if flags & re.IGNORECASE:
        return None
    if code is codes.LITERAL:
        return [(argument, argument)]
    if code is codes.NOT_LITERAL:
        return _others([(argument, argument)])
    return _set(argument) if code is codes.IN else None


def _set(members: Sequence[Any]) -> Letters:
    found: list[tuple[int, int]] = []
    is_negated = False
    for code, argument in members:
        if code is codes.NEGATE:
            is_negated = True
        elif code is codes.LITERAL:
            found.append((argument, argument))
        elif code is codes.RANGE:
            found.append(argument)
        elif argument in _CATEGORIES:
            found += _CATEGORIES[argument]
        else:
            return None
    return _others(found) if is_negated else found


def _others(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return all characters outside of the ranges."""
    found, at = [], 0
    for low, high in sorted(ranges):
        if low > at:
            found.append((at, low - 1))
        at = max(at, high + 1)
    return [*found, (at, _LAST)] if at <= _LAST else found


_CATEGORIES = {
    codes.CATEGORY_DIGIT: _DIGITS,
    codes.CATEGORY_NOT_DIGIT: _others(_DIGITS),
    codes.CATEGORY_WORD: _WORDS,
    codes.CATEGORY_NOT_WORD: _others(_WORDS),
}


def _either(one: Letters, other: Letters) -> Letters:
    return None if one is None or other is None else [*one, *other]


def _overlap(one: Letters, other: Letters) -> bool:
    """Return whether two sets have a common character."""
    if one is None or other is None:
        return one != [] and other != []
    return any(a <= d and c <= b for a, b in one for c, d in other)
