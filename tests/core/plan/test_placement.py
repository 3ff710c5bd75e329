"""Placement of buffers: never one on another, and hardly more than what lives at once."""

from itertools import combinations

import numpy as np
import pytest

from core.engine.executable import Placed
from core.errors import CoreError
from core.plan.arena import Request, _live_bytes, place


def least_bytes(requests):
    """The most that is needed at the same time: no arena can be smaller."""
    return max(_live_bytes(requests, [request.bytes for request in requests]).values(), default=0)


def check(requests, alignment=64):
    """Place, and check what must hold of any arena; gives its size by the least possible."""
    placed, total = place(requests, alignment)
    assert [(p.name, p.bytes, p.first, p.last) for p in placed] == [*map(tuple, requests)]
    assert all(p.offset % alignment == 0 and p.offset + p.bytes <= total for p in placed)
    for a, b in combinations([p for p in placed if p.bytes], 2):
        apart_in_time = a.last < b.first or b.last < a.first
        assert apart_in_time or a.offset + a.bytes <= b.offset or b.offset + b.bytes <= a.offset
    rounded = [r._replace(bytes=-(-r.bytes // alignment) * alignment) for r in requests]
    assert least_bytes(requests) <= least_bytes(rounded) <= total
    return total / max(1, least_bytes(rounded))


def sizes(rng, count):
    return [int(size) for size in 2 ** rng.uniform(10, 20, count)]


def chain(rng, count):
    """Each step needs what the one before gave."""
    return [Request(f"c{i}", size, i, i + 1) for i, size in enumerate(sizes(rng, count))]


def residual(rng, count):
    """Each third value is needed three steps later, too, and each step has scratch memory."""
    values = [r._replace(last=i + 3) if i % 3 == 0 else r for i, r in enumerate(chain(rng, count))]
    scratch = [Request(f"s{i}", size, i, i) for i, size in enumerate(sizes(rng, count))]
    return [*values, *scratch]


def skips(rng, count):
    """The first half gets smaller, the second larger, and needs each fourth value of the first."""
    for i in range(count):
        from_end = count - 1 - i
        last = from_end if i % 4 == 0 and i < from_end else i + 1
        yield Request(f"u{i}", 2 ** (20 - min(i, from_end) // 4), i, last)


def any_schedule(rng, count):
    for i, size in enumerate(rng.integers(0, 10**6, count)):
        first = int(rng.integers(count))
        yield Request(f"r{i}", int(size), first, first + int(rng.exponential(5)))


@pytest.mark.parametrize(
    "make, mean_most, most",
    [(chain, 1.001, 1.01), (residual, 1.02, 1.1), (skips, 1.0, 1.0), (any_schedule, 1.06, 1.25)],
)
def test_arena_size_is_near_the_live_maximum(rng, make, mean_most, most):
    shares = [check([*make(rng, count)]) for count in (3, 10, 30, 60, 100, 150)]
    assert np.mean(shares) <= mean_most
    assert max(shares) <= most


@pytest.mark.parametrize("alignment", [1, 16, 64, 4096])
def test_random_schedules_never_overlap(rng, alignment):
    for count in rng.integers(1, 40, 25):
        check([*any_schedule(rng, int(count))], alignment)


def test_a_freed_buffer_is_used_again_by_the_one_that_fits_best():
    requests = [
        Request("always", 1024, 0, 9),
        Request("wide", 960, 0, 1),
        Request("always too", 896, 0, 9),
        Request("narrow", 832, 0, 1),
        Request("and always", 768, 0, 9),
        Request("later", 704, 2, 9),
    ]
    placed, total = place(requests)
    where = {p.name: p.offset for p in placed}
    assert total == sum(r.bytes for r in requests[:5])
    assert where["later"] == where["narrow"]


def test_the_second_order_is_taken_where_it_is_better():
    """By size alone a would lie beneath c, where d has no room any more then."""
    requests = [
        Request("a", 320, 0, 2),
        Request("b", 512, 4, 6),
        Request("c", 384, 3, 5),
        Request("d", 320, 0, 3),
    ]
    assert check(requests) == 1.0


def test_odd_sizes_are_aligned():
    placed, total = place([Request("a", 100, 0, 0), Request("b", 1, 0, 0), Request("c", 65, 0, 0)])
    assert [(p.offset, p.bytes) for p in placed] == [(0, 100), (256, 1), (128, 65)]
    assert total == 320


def test_no_requests_need_no_memory():
    assert place([]) == ([], 0)
    assert place([Request("a", 0, 0, 5), Request("b", 0, 0, 5)]) == (
        [Placed("a", 0, 0, 0, 5), Placed("b", 0, 0, 0, 5)],
        0,
    )
    assert least_bytes([]) == 0


def test_empty_buffers_do_not_shift_others():
    requests = [Request("empty", 0, 0, 9), Request("a", 64, 0, 4), Request("b", 64, 5, 9)]
    assert place(requests)[1] == 64


def test_invalid_requests():
    with pytest.raises(CoreError, match=r"'a' of -1 bytes"):
        place([Request("a", -1, 0, 0)])
    with pytest.raises(CoreError, match=r"from step 3 to 2"):
        place([Request("a", 1, 3, 2)])
