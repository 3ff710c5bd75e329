"""Ops that move values, against NumPy."""

import numpy as np

from tests.core.ops.records.case import Case, bools, complexes, floats, ints, strings

X = floats(2, 3, 4)


def _transposed(x, perm=None, conjugate=False):
    moved = np.transpose(x, perm)
    return np.conj(moved) if conjugate else moved


def _flipped(x, axis=None):
    return np.flip(x, axis)


def _cast_cases() -> list[Case]:
    def real(x, dtype):
        return np.real(x)

    def exact(x, dtype):
        return x.astype({"int32": np.int32, "float32": float, "complex64": complex}[dtype])

    return [
        Case("cast", (ints(2, 3),), exact, {"dtype": "float32"}),
        Case("cast", (X,), exact, {"dtype": "float32"}, "same"),
        # Its result has no slope, its gradient passes all: that is what a cast is taken for.
        Case("cast", (X,), exact, {"dtype": "int32"}, "cut off", False),
        Case("cast", (ints(4),), lambda x, dtype: x != 0, {"dtype": "bool"}, "to bool"),
        Case("cast", (bools(4),), exact, {"dtype": "int32"}, "of bool"),
        Case("cast", (X,), exact, {"dtype": "complex64"}, "to complex"),
        Case("cast", (complexes(3),), real, {"dtype": "float32"}, "of complex"),
        Case("cast", (strings(3),), lambda x, dtype: x, {"dtype": "string"}, "strings"),
        Case("cast", (floats(0, 2),), exact, {"dtype": "int32"}, "empty"),
        Case("cast", (ints(),), exact, {"dtype": "float32"}, "scalar"),
    ]


def _order_cases() -> list[Case]:
    return [
        Case("transpose", (X,), _transposed),
        Case("transpose", (X,), _transposed, {"perm": (1, 2, 0)}, "perm"),
        Case("transpose", (X,), _transposed, {"perm": (-1, 0, 1)}, "negative"),
        Case("transpose", (complexes(2, 3),), _transposed, {"conjugate": True}, "conjugate"),
        Case("transpose", (complexes(2, 3),), _transposed, {"perm": (1, 0)}, "complex"),
        Case("transpose", (X,), _transposed, {"conjugate": True}, "conjugate of reals"),
        Case("transpose", (floats(),), _transposed, {}, "scalar"),
        Case("transpose", (strings(2, 3),), _transposed, {}, "strings"),
        Case("transpose", (floats(0, 2, 3),), _transposed, {"perm": (2, 0, 1)}, "empty"),
        Case("reverse", (X,), _flipped, {"axis": (0, -1)}),
        Case("reverse", (X,), _flipped, {"axis": 1}, "number"),
        Case("reverse", (X,), _flipped, {}, "all"),
        Case("reverse", (floats(),), _flipped, {}, "scalar"),
        Case("reverse", (strings(3),), _flipped, {}, "strings"),
        Case("reverse", (floats(0, 2),), _flipped, {}, "empty"),
    ]


def _repeat_cases() -> list[Case]:
    def broadcast(x, shape, input_shape=None):
        return np.broadcast_to(x, shape)

    def tile(x, reps):
        return np.tile(x, reps)

    def args(s0, s1):
        return np.array(np.broadcast_shapes(tuple(s0), tuple(s1)))

    return [
        Case("broadcast_to", (floats(3, 1),), broadcast, {"shape": (2, 3, 4)}),
        Case(
            "broadcast_to", (floats(1),), broadcast, {"shape": (3,), "input_shape": (1,)}, "checked"
        ),
        Case("broadcast_to", (floats(),), broadcast, {"shape": (2, 2)}, "scalar"),
        Case("broadcast_to", (ints(1, 2),), broadcast, {"shape": (0, 2)}, "to nothing"),
        Case("broadcast_to", (floats(0, 1),), broadcast, {"shape": (2, 0, 3)}, "empty"),
        Case("broadcast_to", (strings(2, 1),), broadcast, {"shape": (2, 2)}, "strings"),
        Case("broadcast_args", (ints(3, low=4, high=5), ints(1, low=4, high=5)), args),
        Case("broadcast_args", (ints(2, low=1, high=2), ints(4, low=3, high=4)), args, {}, "ones"),
        Case("broadcast_args", (ints(0), ints(2, low=1, high=5)), args, {}, "scalar's shape"),
        Case("tile", (X,), tile, {"reps": (2, 1, 3)}),
        Case("tile", (bools(3),), tile, {"reps": 2}, "number"),
        Case("tile", (strings(2, 2),), tile, {"reps": (1, 2)}, "strings"),
        Case("tile", (complexes(2),), tile, {"reps": (3,)}, "complex"),
        Case("tile", (floats(2, 3),), tile, {"reps": (0, 2)}, "no times"),
        Case("tile", (floats(),), tile, {"reps": ()}, "scalar"),
        Case("tile", (floats(0, 2),), tile, {"reps": (3, 2)}, "empty"),
    ]


def _alias_cases() -> list[Case]:
    def expanded(input, axis=0):
        return np.expand_dims(input, axis)

    return [
        Case("identity", (X,), lambda x: x),
        Case("identity", (strings(3),), lambda x: x, {}, "strings"),
        Case("identity", (floats(),), lambda x: x, {}, "scalar"),
        Case("identity", (ints(0, 2),), lambda x: x, {}, "empty"),
        Case("reshape", (X,), np.reshape, {"shape": (4, -1)}),
        Case("reshape", (floats(1),), np.reshape, {"shape": ()}, "to a scalar"),
        Case("reshape", (floats(),), np.reshape, {"shape": (1, -1)}, "scalar"),
        Case("reshape", (bools(0, 2),), np.reshape, {"shape": (3, 0)}, "empty"),
        Case("expand_dims", (X,), expanded, {"axis": 1}),
        Case("expand_dims", (X,), expanded, {"axis": -1}, "last"),
        Case("expand_dims", (complexes(),), expanded, {}, "scalar"),
        Case("expand_dims", (ints(0, 2),), expanded, {"axis": 2}, "empty"),
    ]


CASES = [
    *_alias_cases(),
    *_cast_cases(),
    *_order_cases(),
    *_repeat_cases(),
]
