"""Buffers placed in one arena: those that are not needed at the same time share memory.

Greedy by size, after Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference"
(2020, arXiv:2001.03288), as TFLite's arena planner does it: the largest buffer first, each into the
smallest gap that fits between those that live at the same time.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from core.engine.executable import Placed
from core.errors import CoreError

_Spans = dict[int, list[tuple[int, int]]]


class Request(NamedTuple):
    """A buffer that is needed from one step to another, both included."""

    name: str
    bytes: int
    first: int
    last: int


def place(requests: Sequence[Request], alignment: int = 64) -> tuple[list[Placed], int]:
    """Return the offset of each buffer.

    Two orders are tried, and the better one is kept: by size, and by size from the steps outwards
    that need most memory at once, which is better if many buffers live long. The second order is
    skipped if the first needs no more than the buffers that live at one time.

    Args:
        requests: requests in any order, also of no bytes.
        alignment: divisor of all offsets, in bytes.

    Returns:
        The buffers in the order of the requests, and the bytes of the arena.

    Raises:
        CoreError: a buffer ends before it begins, or has a negative size.

    >>> chain = [Request("a", 100, 0, 1), Request("b", 200, 1, 2), Request("c", 100, 2, 3)]
    >>> placed, total = place(chain)
    >>> [(p.name, p.offset) for p in placed], total
    ([('a', 256), ('b', 0), ('c', 256)], 384)
    """
    _check(requests)
    rounded = [-(-request.bytes // alignment) * alignment for request in requests]
    live = _live_bytes(requests, rounded)
    by_size = sorted(range(len(requests)), key=lambda i: (-rounded[i], requests[i].first))
    offsets, total = _packed(by_size, requests, rounded)
    if total > max(live.values(), default=0):
        widest = [max(live[step] for step in _steps(request)) for request in requests]
        by_breadth = sorted(by_size, key=lambda i: -widest[i])
        offsets, total = min(
            (offsets, total), _packed(by_breadth, requests, rounded), key=lambda found: found[1]
        )
    placed = [
        Placed(r.name, offset, r.bytes, r.first, r.last)
        for r, offset in zip(requests, offsets, strict=True)
    ]
    return placed, total


def _check(requests: Iterable[Request]) -> None:
    for name, size, first, last in requests:
        if size < 0 or last < first:
            raise CoreError(
                f"the buffer {name!r} of {size} bytes, needed from step {first} to {last}, cannot "
                "be placed: it needs 0 bytes or more, and a last step that is not before the first"
            )


def _steps(request: Request) -> range:
    return range(request.first, request.last + 1)


def _live_bytes(requests: Sequence[Request], sizes: Sequence[int]) -> dict[int, int]:
    """Return the bytes that are needed at each step."""
    live: dict[int, int] = defaultdict(int)
    for request, size in zip(requests, sizes, strict=True):
        for step in _steps(request):
            live[step] += size
    return live


def _packed(
    order: Iterable[int], requests: Sequence[Request], sizes: Sequence[int]
) -> tuple[list[int], int]:
    """Return the offsets of buffers placed in some order, and the end of the last one."""
    live: _Spans = defaultdict(list)  # by step; few live at the same time
    begun: _Spans = defaultdict(list)
    offsets, total = [0] * len(requests), 0
    for i in order:
        if not sizes[i]:
            continue
        steps = _steps(requests[i])
        # Others lived at the first step, or began later.
        beside = sorted({*live[steps[0]], *chain.from_iterable(map(begun.__getitem__, steps[1:]))})
        offsets[i] = _best_offset(beside, sizes[i])
        span = offsets[i], offsets[i] + sizes[i]
        begun[steps[0]].append(span)
        for step in steps:
            live[step].append(span)
        total = max(total, span[1])
    return offsets, total


def _best_offset(taken: Iterable[tuple[int, int]], size: int) -> int:
    """Return the start of the smallest gap that fits between sorted spans, else their end."""
    end, best, smallest = 0, None, 0
    for start, stop in taken:
        gap = start - end
        if gap >= size and (best is None or gap < smallest):
            best, smallest = end, gap
        if stop > end:
            end = stop
    return end if best is None else best
