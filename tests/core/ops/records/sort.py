"""Order and look-up, against NumPy and loops."""

import numpy as np

from tests.core.ops.records.case import Case, bools, floats, ints, strings


def _topk(x, k=1, sorted=True):
    order = np.argsort(-x.astype(float), axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, order, -1), order


def _unique(x, axis=0):
    firsts, kinds = [], []
    entries = list(np.moveaxis(x, axis, 0))
    for entry in entries:
        same = [i for i, f in enumerate(firsts) if np.array_equal(entries[f], entry)]
        kinds.append(same[0] if same else len(firsts))
        firsts += [] if same else [len(kinds) - 1]
    return np.take(x, np.array(firsts, int), axis), np.array(kinds, int)


def _places(rows, values, side="left"):
    found = [
        [sum(a < v if side == "left" else a <= v for a in row) for v in wanted]
        for row, wanted in zip(_matrix(rows), _matrix(values), strict=True)
    ]
    return np.reshape(np.array(found, int), values.shape)


def _matrix(x):
    return x.reshape(int(np.prod(x.shape[:-1])), x.shape[-1])


def _ascending(draw):
    return lambda rng: np.sort(draw(rng), axis=-1)


def _search_cases() -> list[Case]:
    rows, values = _ascending(ints(2, 3, 7)), ints(2, 3, 4)
    cases = [
        Case("search_sorted", (rows, values), _places),
        Case("search_sorted", (rows, values), _places, {"side": "right"}, "right"),
        Case("search_sorted", (_ascending(floats(9)), floats(5)), _places, {}, "vector"),
        Case("search_sorted", (_ascending(ints(8)), floats(5)), _places, {}, "mixed dtypes"),
        Case("search_sorted", (floats(2, 0), floats(2, 3)), _places, {}, "in nothing"),
        Case("search_sorted", (floats(2, 3), floats(2, 0)), _places, {}, "nothing"),
    ]
    for name, side in (("lower_bound", "left"), ("upper_bound", "right")):

        def places(rows, values, side=side):
            return _places(rows, values, side)

        cases += [
            Case(name, (rows, values), places),
            Case(name, (_ascending(floats(9)), floats(5)), places, {}, "vector"),
            Case(name, (_ascending(ints(8)), floats(5)), places, {}, "mixed dtypes"),
            Case(name, (_ascending(bools(2, 6)), bools(2, 2)), places, {}, "bool"),
            Case(name, (floats(2, 0), floats(2, 3)), places, {}, "in nothing"),
            Case(name, (floats(2, 3), floats(2, 0)), places, {}, "nothing"),
        ]
    return cases


CASES = [
    Case("topk", (floats(3, 8),), _topk, {"k": 3}),
    Case("topk", (floats(2, 3, 5),), _topk, {}, "one"),
    Case("topk", (ints(4, 9, low=0, high=4),), _topk, {"k": 9, "sorted": False}, "ties"),
    Case("topk", (bools(6),), _topk, {"k": 4}, "bool"),
    Case("topk", (floats(2, 4),), _topk, {"k": 0}, "none"),
    Case("topk", (floats(0, 4),), _topk, {"k": 2}, "empty"),
    Case("unique", (ints(9, low=0, high=4),), _unique),
    Case("unique", (ints(2, 8, 2, low=0, high=2),), _unique, {"axis": 1}, "axis"),
    Case("unique", (bools(6, 2),), _unique, {"axis": -2}, "bool"),
    Case("unique", (strings(9),), _unique, {}, "strings"),
    Case("unique", (strings(6, 2, words=("a", "ab")),), _unique, {}, "pairs of strings"),
    Case("unique", (floats(3, 2),), _unique, {"axis": 1}, "all differ"),
    Case("unique", (floats(0),), _unique, {}, "empty"),
    Case("unique", (floats(3, 0),), _unique, {}, "empty entries"),
    *_search_cases(),
]
