"""Matrix products, against NumPy."""

import numpy as np

from tests.core.records.case import Case, floats, ints


def _matmul(a, b, transpose_a=False, transpose_b=False):
    return np.matmul(
        np.swapaxes(a, -1, -2) if transpose_a else a, np.swapaxes(b, -1, -2) if transpose_b else b
    )


def _linear_cases() -> list[Case]:
    cases = []
    for ta in (False, True):
        for tb in (False, True):
            a = floats(2, 4, 3) if ta else floats(2, 3, 4)
            b = floats(5, 4) if tb else floats(4, 5)
            how = {"transpose_a": ta, "transpose_b": tb}
            cases.append(Case("matmul", (a, b), _matmul, how, str(how)))
    cases.append(Case("matmul", (ints(2, 3), ints(3, 2)), _matmul, {}, "int32"))
    return cases


CASES = _linear_cases()
