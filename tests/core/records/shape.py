"""Ops that move values, against NumPy."""

import numpy as np

from tests.core.records.case import Case, bools, floats, ints


def _shape_cases() -> list[Case]:
    x = floats(2, 3, 4)
    return [
        Case("identity", (x,), lambda x: x),
        Case("reshape", (x,), lambda x, shape: np.reshape(x, shape), {"shape": (4, -1)}),
        Case("expand_dims", (x,), lambda x, axis: np.expand_dims(x, axis), {"axis": 1}),
        Case("expand_dims", (x,), lambda x, axis: np.expand_dims(x, axis), {"axis": -1}, "last"),
        Case("cast", (ints(2, 3),), lambda x, dtype: x.astype(float), {"dtype": "float32"}),
        Case("cast", (x,), lambda x, dtype: x, {"dtype": "float32"}, "same"),
        Case("transpose", (x,), lambda x: x.T),
        Case("transpose", (x,), lambda x, perm: np.transpose(x, perm), {"perm": (1, 2, 0)}, "perm"),
        Case(
            "broadcast_to",
            (floats(3, 1),),
            lambda x, shape: np.broadcast_to(x, shape),
            {"shape": (2, 3, 4)},
        ),
        Case("tile", (x,), lambda x, reps: np.tile(x, reps), {"reps": (2, 1, 3)}),
        Case(
            "concat",
            ([floats(2, 3), floats(2, 1), floats(2, 2)],),
            lambda x, axis: np.concatenate(x, axis),
            {"axis": -1},
        ),
        Case(
            "split",
            (floats(2, 6),),
            lambda x, num_or_size_splits, axis: np.split(x, 3, axis),
            {"num_or_size_splits": 3, "axis": 1},
        ),
        Case(
            "split",
            (floats(5, 2),),
            lambda x, num_or_size_splits: np.split(x, [1, 3]),
            {"num_or_size_splits": [1, -1, 2]},
            "sizes",
        ),
        Case(
            "pad",
            (floats(2, 3),),
            lambda x, paddings, constant_value: np.pad(x, paddings, constant_values=constant_value),
            {"paddings": [(1, 0), (2, 3)], "constant_value": 0.5},
        ),
        Case(
            "slice",
            (x,),
            lambda x, begin, size: x[1:, :2, 1:3],
            {"begin": (1, 0, 1), "size": (-1, 2, 2)},
        ),
        Case("reverse", (x,), lambda x, axis: np.flip(x, axis), {"axis": (0, -1)}),
        Case(
            "fill",
            (),
            lambda shape, value, dtype: np.full(shape, value),
            {"shape": (2, 3), "value": 4, "dtype": "int32"},
        ),
        Case("select", (bools(3, 1), floats(3, 4), floats(4)), np.where),
        Case("select", (bools(3), ints(3), floats(3)), np.where, {}, "mixed dtypes"),
    ]


CASES = _shape_cases()
