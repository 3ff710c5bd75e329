"""YuNet's files, which say by the names of their outputs what they find: faces."""

from typing import NamedTuple

from core.graph.nodes import Graph

_KINDS = ("cls", "obj", "bbox", "kps")
_STRIDES = (8, 16, 32)


class YuNetFaces(NamedTuple):
    """The facts of a network that finds faces.

    Attributes:
        strides: pixels of the input from cell to cell of its grids, whose outputs they name.
    """

    strides: tuple[int, ...]


def yunet_faces(graph: Graph) -> YuNetFaces | None:
    """Return the facts of a network; None if it is another one.

    >>> yunet_faces(Graph([], {}, {}, {})) is None
    True
    """
    names = {f"{kind}_{stride}" for kind in _KINDS for stride in _STRIDES}
    is_yunet = len(graph.inputs) == 1 and graph.outputs.keys() == names
    return YuNetFaces(_STRIDES) if is_yunet else None
