"""How many things a detector may find where a closer look decides which of them count."""

#: For each thing wanted, and at least.
_FOR_EACH, _AT_LEAST = 4, 16


def candidates_for(wanted: int) -> int:
    """How many to look at: a detector's order is not the one of what is seen closer.

    >>> candidates_for(1), candidates_for(5)
    (16, 20)
    """
    return max(_FOR_EACH * wanted, _AT_LEAST)
