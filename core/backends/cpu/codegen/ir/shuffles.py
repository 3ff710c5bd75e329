"""Vectors whose values come from several positions: shuffles, and values at a distance."""

from collections.abc import Sequence

from core.backends.cpu.codegen.ir.kernel_text import FLOAT, KernelText, Name


def shuffled(k: KernelText, a: Name, b: Name, lanes: Sequence[int]) -> Name:
    """Return values of two vectors by their positions, of which those of ``b`` come last."""
    v, indices = k.vector, ", ".join(f"i32 {lane}" for lane in lanes)
    return k.let(f"shufflevector {v} {a}, {v} {b}, <{len(lanes)} x i32> <{indices}>")


def transposed(k: KernelText, rows: Sequence[Name]) -> list[Name]:
    """Return the columns of a square of values, as vectors: halves of pairs of rows are swapped.

    Args:
        k: the kernel's text.
        rows: as many vectors as a vector has values.
    """
    lanes, made, distance = k.isa.lanes, list(rows), 1
    while distance < lanes:
        low = [c if not c & distance else lanes + c - distance for c in range(lanes)]
        high = [c + distance if not c & distance else lanes + c for c in range(lanes)]
        for i in range(lanes):
            if not i & distance:
                pair = made[i], made[i + distance]
                made[i], made[i + distance] = shuffled(k, *pair, low), shuffled(k, *pair, high)
        distance *= 2
    return made


def merged(k: KernelText, vectors: Sequence[Name], positions: Sequence[int]) -> Name:
    """Return values by their positions in several vectors, which follow one another."""
    lanes = k.isa.lanes
    value, chosen = vectors[0], [position % lanes for position in positions]
    if len(vectors) == 1:
        return shuffled(k, value, value, chosen)
    for i, vector in enumerate(vectors[1:], 1):
        # What earlier vectors gave stays where it is, from the second of these shuffles on.
        before = chosen if i == 1 else list(range(lanes))
        order = [
            lanes + new if position // lanes == i else old
            for position, old, new in zip(positions, before, chosen, strict=True)
        ]
        value = shuffled(k, value, vector, order)
    return value


def interleaved(k: KernelText, vectors: Sequence[Name]) -> list[Name]:
    """Return the first values of vectors side by side, then the second ones, and so on."""
    lanes, several = k.isa.lanes, len(vectors)
    if several == 1:
        return list(vectors)
    numbers = [[i * lanes + lane for lane in range(lanes)] for i in range(several)]
    order = [[n % several * lanes + n // several for n in part] for part in numbers]
    return [merged(k, vectors, positions) for positions in order]


def gathered(k: KernelText, pointer: Name, offsets: Sequence[int]) -> Name:
    """Return a vector of values at offsets, counted in values; lanes without one are undefined."""
    value = "poison"
    for lane, offset in enumerate(offsets):
        scalar = k.let(f"load float, ptr {k.at(pointer, FLOAT * offset)}, align 4")
        value = k.let(f"insertelement {k.vector} {value}, float {scalar}, i64 {lane}")
    return value


def strided(k: KernelText, pointer: Name, step: int, count: int | None) -> Name:
    """Return values that lie some values apart: 1 for adjacent ones, 0 for one, repeated."""
    if step == 1:
        return k.load(pointer, count=count)
    if step == 0:
        return k.repeat(pointer)
    return gathered(k, pointer, [i * step for i in range(count or k.isa.lanes)])


#: Vectors that `picked` reads at most instead of single values.
_MOST_VECTORS = 4


def picked(k: KernelText, pointer: Name, offsets: Sequence[int], length: int) -> Name:
    """Return a vector of values of a line at known offsets; near ones come from a few vectors.

    Args:
        k: the kernel's text.
        pointer: to the line.
        offsets: at most as many as a vector has values; lanes without one are undefined.
        length: values in the line, beyond which nothing is read.
    """
    lanes, low = k.isa.lanes, min(offsets)
    vectors = (max(offsets) - low) // lanes + 1
    if vectors > _MOST_VECTORS or vectors * lanes > length:
        return gathered(k, pointer, offsets)
    start = min(low, length - vectors * lanes)
    positions = [offset - start for offset in offsets] + [0] * (lanes - len(offsets))
    return merged(k, [k.load(pointer, start + i * lanes) for i in range(vectors)], positions)
