"""Ops on pixels."""

from tests.core.ops.records.case import Case, bools, floats, ints


def _mirrored(image):
    return image[:, :, ::-1]


CASES = [
    Case("flip_left_right", (floats(2, 3, 4, 2),), _mirrored),
    Case("flip_left_right", (ints(1, 1, 5, 1),), _mirrored, {}, "int32"),
    Case("flip_left_right", (bools(1, 2, 3, 1),), _mirrored, {}, "bool"),
    Case("flip_left_right", (floats(0, 3, 4, 2),), _mirrored, {}, "empty"),
]
