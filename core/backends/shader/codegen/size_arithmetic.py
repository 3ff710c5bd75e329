"""Arithmetic of sizes."""


def ceil_div(a: int, b: int) -> int:
    """Return a divided by b, rounded up.

    >>> ceil_div(8, 4), ceil_div(9, 4)
    (2, 3)
    """
    return -(-a // b)


def whole(count: int, of: int) -> int:
    """Return the next multiple.

    >>> whole(8, 4), whole(9, 4)
    (8, 12)
    """
    return ceil_div(count, of) * of
