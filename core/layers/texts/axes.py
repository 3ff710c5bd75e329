"""Names of axes in the documentation of layers that are there for one to three axes of space."""

#: The axes of space by their number.
SPACE = {1: "steps", 2: "rows, columns", 3: "depth, rows, columns"}

#: Inputs of channels-last layers, by the number of spatial axes.
DATA = {1: "sequences", 2: "images", 3: "volumes"}


def before(rank: int, channels: str = "channels") -> str:
    """Return the shape of an input with some axes of space.

    >>> before(2)
    '`[batch, rows, columns, channels]`'
    """
    return f"`[batch, {SPACE[rank]}, {channels}]`"


def after(rank: int, channels: str = "channels") -> str:
    """Return the shape of a result whose axes of space have new lengths.

    >>> after(1, "filters")
    '`[batch, new steps, filters]`'
    """
    new = ", ".join(f"new {axis}" for axis in SPACE[rank].split(", "))
    return f"`[batch, {new}, {channels}]`"


def cube(rank: int, length: int, channels: int) -> tuple[int, ...]:
    """Return the shape of one sample with equal lengths of all axes of space.

    >>> cube(2, 5, 3)
    (1, 5, 5, 3)
    """
    return (1, *[length] * rank, channels)
