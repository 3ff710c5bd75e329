"""Parts of matrices, against NumPy."""

import numpy as np

from tests.core.ops.records.case import Case, bools, complexes, floats, ints


def _number(value):
    return lambda rng: np.array(value, np.int32)


def _band(x, num_lower, num_upper):
    rows, columns = x.shape[-2:]
    lower = rows if num_lower < 0 else num_lower
    upper = columns if num_upper < 0 else num_upper
    return np.triu(np.tril(x, upper), -int(lower))


def _case(draw, lower, upper, label="") -> Case:
    inputs = draw, _number(lower), _number(upper)
    return Case("band_part", inputs, _band, {}, f"{lower} {upper} {label}")


CASES = [
    *(_case(floats(4, 5), lower, upper) for lower in (-1, 0, 2, 4) for upper in (-2, 0, 1, 5)),
    _case(floats(2, 3, 4, 2), 1, 0, "batch"),
    _case(floats(0, 3), 0, 0, "empty"),
    _case(ints(3, 3), 0, -1, "int32"),
    _case(bools(3, 4), 0, 1, "bool"),
    _case(complexes(3, 3), 1, 0, "complex64"),
]
