"""Ops that take parts or join them, against NumPy."""

import numpy as np

from tests.core.ops.records.case import Case, bools, complexes, floats, ints, strings

X = floats(4, 5, 6)


def _block_cases() -> list[Case]:
    return [
        Case(
            "slice",
            (X,),
            lambda x, begin, size: x[1:, :2, 1:3],
            {"begin": (1, 0, 1), "size": (-1, 2, 2)},
        ),
        Case("slice", (X,), lambda x, begin: x[2:], {"begin": 2}, "begin only"),
        Case(
            "slice", (X,), lambda x, begin, size: x[1:3, 2:], {"begin": (1, 2), "size": 2}, "short"
        ),
        Case(
            "slice",
            (strings(3),),
            lambda x, begin, size: x[:1],
            {"begin": 0, "size": 1},
            "strings",
        ),
        Case("slice", (floats(0, 2),), lambda x, begin: x[:, 1:], {"begin": (0, 1)}, "empty"),
    ]


def _strided(index, label, first, stop, strides=None, draw=X, **masks) -> Case:
    """A strided slice that means ``x[index]``; masks are called begin, end, ellipsis and so on."""
    attributes = {f"{name}_mask": bits for name, bits in masks.items()}
    attributes |= {"begin": first, "end": stop} | ({"strides": strides} if strides else {})
    return Case("strided_slice", (draw,), lambda x, **_: x[index], attributes, label)


def _strided_cases() -> list[Case]:
    at = np.s_
    three = (0, 0, 0)
    return [
        _strided(at[1:3, ::2], "", (1, 0), (3, 5), (1, 2)),
        _strided(at[1:3, 0:5], "no strides", (1, 0), (3, 5)),
        _strided(at[::-1, 4:0:-2], "back", (9, 4), (9, 0), (-1, -2), begin=1, end=1),
        _strided(at[-3:-1, -9:9], "from the end", (-3, -9), (-1, 9), (1, 1)),
        _strided(at[::3, ..., ::4], "ellipsis", three, (4, 0, 6), (3, 1, 4), ellipsis=2),
        _strided(at[..., None, 1:2], "new axis", (0, 0, 1), (0, 0, 2), ellipsis=1, new_axis=2),
        _strided(at[-1, :, 2], "shrink", (-1, 9, 2), three, begin=2, end=2, shrink_axis=5),
        _strided(at[1, 2, 3], "one value", (1, 2, 3), (2, 3, 4), shrink_axis=7),
        _strided(at[3:1, 1::3], "nothing", (3, 1), (1, 5), (1, 3)),
        _strided(at[..., 5::-3], "spaced", (0, 5), (0, 0), (1, -3), ellipsis=1, end=2),
        _strided(at[1::2], "strings", (1,), (4,), (2,), strings(4)),
        _strided(at[1, ...], "one string", (1,), (2,), None, strings(4), shrink_axis=1),
        _strided(at[0:2], "complex", (0,), (2,), None, complexes(3)),
        _strided(at[0:0], "empty", (0,), (0,), None, ints(0, 3)),
        _strided((), "scalar", (), (), None, floats()),
    ]


def _join_cases() -> list[Case]:
    def concat(x, axis=0):
        return np.concatenate(x, axis)

    def stack(x, axis=0):
        return np.stack(x, axis)

    parts = [floats(2, 3), floats(2, 1), floats(2, 0), floats(2, 2)]
    return [
        Case("concat", (parts,), concat, {"axis": -1}),
        Case("concat", ([floats(2, 3)],), concat, {}, "one"),
        Case("concat", ([ints(2), floats(1), bools(2)],), concat, {}, "mixed dtypes"),
        Case("concat", ([strings(2), strings(1)],), concat, {}, "strings"),
        Case("concat", ([complexes(2), complexes(1)],), concat, {}, "complex"),
        Case("stack", ([X, X],), stack, {"axis": 1}),
        Case("stack", ([floats(2), floats(2), floats(2)],), stack, {"axis": -1}, "last"),
        Case("stack", ([strings(), strings()],), stack, {}, "strings"),
        Case("stack", ([floats(0), floats(0)],), stack, {}, "empty"),
        Case("stack", ([complexes(2)],), stack, {"axis": 1}, "one"),
    ]


def _cut_cases() -> list[Case]:
    def split(parts, axis=0):
        return lambda x, **_: np.split(x, parts, axis)

    def unstack(x, axis=0):
        return list(np.moveaxis(x, axis, 0))

    return [
        Case("split", (floats(2, 6),), split(3, 1), {"num_or_size_splits": 3, "axis": 1}),
        Case("split", (floats(5, 2),), split([1, 3]), {"num_or_size_splits": [1, -1, 2]}, "sizes"),
        Case("split", (floats(3),), split([0, 3]), {"num_or_size_splits": [0, -1, 0]}, "nothing"),
        Case("split", (floats(0, 4),), split(2, 1), {"num_or_size_splits": 2, "axis": 1}, "empty"),
        Case("split", (strings(2),), split(2), {"num_or_size_splits": 2}, "strings"),
        Case("unstack", (X,), unstack, {"axis": 1}),
        Case("unstack", (floats(3),), unstack, {}, "scalars"),
        Case("unstack", (strings(2),), unstack, {}, "strings"),
        Case("unstack", (complexes(2, 3),), unstack, {"axis": -1}, "complex"),
        # Without a result there is nothing to differentiate.
        Case("unstack", (floats(0, 3),), unstack, {}, "empty", False),
    ]


CASES = [*_block_cases(), *_strided_cases(), *_join_cases(), *_cut_cases()]
