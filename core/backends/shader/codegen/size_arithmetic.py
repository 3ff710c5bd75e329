"""Arithmetic of sizes."""


def ceil_div(a: int, b: int) -> int:
    """How many times b goes into a, rounded up.

    >>> ceil_div(8, 4), ceil_div(9, 4)
    (2, 3)
    """
    return -(-a // b)


def whole(count: int, of: int) -> int:
    """The next multiple.

    >>> whole(8, 4), whole(9, 4)
    (8, 12)
    """
    return ceil_div(count, of) * of
