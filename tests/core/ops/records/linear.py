"""Matrix products, against NumPy."""

import numpy as np

from tests.core.ops.records.case import Case, bools, floats, ints


def _matmul(a, b, transpose_a=False, transpose_b=False):
    a, b = (x.astype(np.int32) if x.dtype == bool else x for x in (a, b))
    return np.matmul(
        np.swapaxes(a, -1, -2) if transpose_a else a, np.swapaxes(b, -1, -2) if transpose_b else b
    )


def _cases() -> list[Case]:
    cases = []
    for ta in (False, True):
        for tb in (False, True):
            a = floats(2, 4, 3) if ta else floats(2, 3, 4)
            b = floats(5, 4) if tb else floats(4, 5)
            how = {"transpose_a": ta, "transpose_b": tb}
            cases.append(Case("matmul", (a, b), _matmul, how, str(how)))
    return [
        *cases,
        Case("matmul", (floats(2, 1, 3, 2), floats(3, 2, 4)), _matmul, {}, "both repeated"),
        Case("matmul", (ints(2, 3), ints(3, 2)), _matmul, {}, "int32"),
        Case("matmul", (ints(2, 3), floats(3, 2)), _matmul, {}, "mixed"),
        Case("matmul", (bools(2, 5), bools(5, 2)), _matmul, {}, "bool"),
        Case("matmul", (floats(2, 0), floats(0, 3)), _matmul, {}, "nothing between"),
        Case("matmul", (floats(0, 2, 3), floats(3, 1)), _matmul, {}, "no matrices"),
    ]


CASES = _cases()
