"""Random shapes and values for comparisons."""

import numpy as np

Shape = tuple[int, ...]

_LETTERS = np.array([b"", b"a", b"b", b"ab", b"B", b"zoo", "\u00e4".encode()], object)


def shape(rng: np.random.Generator, low: int = 0, high: int = 4, *, empty: bool = True) -> Shape:
    """A shape of ``low`` to ``high`` axes; about one in 12 has an axis of 0, one in 5 one of 1."""
    sizes = [int(n) for n in rng.integers(1, 6, rng.integers(low, high + 1))]
    if sizes and empty and rng.random() < 0.08:
        sizes[rng.integers(len(sizes))] = 0
    elif sizes and rng.random() < 0.2:
        sizes[rng.integers(len(sizes))] = 1
    return tuple(sizes)


def broadcastable(rng: np.random.Generator, count: int = 2, *, high: int = 4) -> list[Shape]:
    """Shapes that broadcast together: each leaves out leading axes or has some of size 1."""
    common = shape(rng, 0, high)
    shapes = []
    for _ in range(count):
        kept = common[rng.integers(len(common) + 1) :] if rng.random() < 0.4 else common
        shapes.append(tuple(1 if rng.random() < 0.2 else n for n in kept))
    return shapes


def values(
    rng: np.random.Generator, dtype: str, shape: Shape, low: float = -3, high: float = 3
) -> np.ndarray:
    """Values of a dtype; low and high bound numbers (ints: high is never drawn)."""
    if dtype == "bool":
        return np.asarray(rng.integers(0, 2, shape), bool)
    if dtype == "string":
        return np.asarray(_LETTERS[rng.integers(0, len(_LETTERS), shape)], object).reshape(shape)
    if dtype == "int32":
        return np.asarray(rng.integers(int(low), int(high), shape), np.int32)
    if dtype == "complex64":
        parts = rng.uniform(low, high, (*shape, 2)) @ np.array([1, 1j])
        return np.asarray(parts, np.complex64)
    return np.asarray(rng.uniform(low, high, shape), np.float32)


def distinct(rng: np.random.Generator, dtype: str, shape: Shape) -> np.ndarray:
    """Numbers no two of which are equal, and none is 0: no ties, no kinks."""
    count = int(np.prod(shape))
    numbers = rng.permutation(count) - count // 2
    numbers = np.where(numbers < 0, numbers, numbers + 1).reshape(shape)
    return np.asarray(numbers if dtype == "int32" else numbers * 0.37, dtype)


def one_axis(rng: np.random.Generator, rank: int) -> int:
    """An axis, counted from either end."""
    return int(rng.integers(-rank, rank))


def several_axes(rng: np.random.Generator, rank: int) -> list[int]:
    """One or more axes, each counted from either end, in any order."""
    chosen = rng.permutation(rank)[: rng.integers(1, rank + 1)]
    return [int(a) - (rank if rng.random() < 0.5 else 0) for a in chosen]


def flag(rng: np.random.Generator) -> bool:
    return bool(rng.integers(2))
