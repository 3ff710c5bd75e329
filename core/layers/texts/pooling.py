"""Documentation of pooling."""

from core.layers.texts.axes import DATA, after, before, cube

_RESULTS = {"Max": "largest value", "Average": "mean"}


def _window(rank: int, kind: str) -> str:
    return f"""
Return the {_RESULTS[kind]} of each window of {DATA[rank]}, channel by channel.

Called on {before(rank)}, returns {after(rank)}.

>>> import core
>>> core.layers.{kind}Pooling{rank}D(2)(core.ones({cube(rank, 4, 3)})).shape
{cube(rank, 2, 3)}
"""


def _whole(rank: int, kind: str) -> str:
    return f"""
Return the {_RESULTS[kind]} of each channel of {DATA[rank]}.

Called on {before(rank)}, returns `[batch, channels]`, or lengths of 1 between them with keepdims.

>>> import core
>>> core.layers.Global{kind}Pooling{rank}D()(core.ones({cube(rank, 4, 3)})).shape
(1, 3)
"""


def _adaptive(rank: int, kind: str) -> str:
    return f"""
Return the {_RESULTS[kind]} of windows of {DATA[rank]}, as many as the result shall have.

Called on {before(rank)}, returns {after(rank)}, with the lengths of output_size. Windows may have
different lengths, and overlap.

>>> import core
>>> core.layers.Adaptive{kind}Pooling{rank}D(2)(core.ones({cube(rank, 5, 3)})).shape
{cube(rank, 2, 3)}
"""


ABOUT = {
    f"{start}{kind}Pooling{rank}D": text(rank, kind)
    for start, text in {"": _window, "Global": _whole, "Adaptive": _adaptive}.items()
    for kind in _RESULTS
    for rank in (1, 2, 3)
}
