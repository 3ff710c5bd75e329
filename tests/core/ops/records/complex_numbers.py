"""Complex numbers, against NumPy."""

import numpy as np

from tests.core.ops.records.case import Case, complexes, floats


def _complex_cases() -> list[Case]:
    cases = []
    for shape in [(3, 4), (), (0, 2)]:
        x, parts, label = complexes(*shape), (floats(*shape), floats(*shape)), str(shape)
        cases += [
            Case("complex", parts, lambda real, imag: real + 1j * imag, {}, label),
            Case("real", (x,), np.real, {}, label),
            Case("imag", (x,), np.imag, {}, label),
            Case("complex_abs", (x,), np.abs, {}, label),
        ]
    return cases


CASES = _complex_cases()
