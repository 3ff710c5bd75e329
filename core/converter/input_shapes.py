"""Shapes of inputs that a caller gives in place of those that a file declares."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import CoreError
from core.graph.nodes import Endpoint, Graph, PartialSpec

#: Shape by the name of an input; a length of None may be any.
InputShapes = Mapping[str, Sequence[int | None]]


def with_input_shapes(graph: Graph, shapes: InputShapes | None) -> Graph:
    """Return a graph whose inputs have other shapes; the lengths of its outputs are open then.

    Raises:
        CoreError: an input does not exist, has another number of axes, or a length is invalid.

    >>> x, y = (Endpoint(name, PartialSpec((10, 3))) for name in ("x", "y"))
    >>> found = with_input_shapes(Graph([], {}, {"x": x}, {"y": y}), {"x": (1, None)})
    >>> found.inputs["x"].spec.shape, found.outputs["y"].spec.shape
    ((1, None), (None, None))
    """
    if not shapes:
        return graph
    inputs = dict(graph.inputs)
    for name, shape in _checked(shapes).items():
        if name not in inputs:
            raise CoreError(f"inputs= names {name!r:.80}, but the model takes {[*inputs][:20]}")
        declared = inputs[name].spec.shape
        if declared is not None and len(declared) != len(shape):
            raise CoreError(
                f"inputs= gives {name!r:.80} the shape {shape}, but the file declares "
                f"{len(declared)} axes: {declared}"
            )
        inputs[name] = _with_shape(inputs[name], shape)
    outputs = {name: _with_open_lengths(end) for name, end in graph.outputs.items()}
    return graph._replace(inputs=inputs, outputs=outputs)


def _checked(shapes: Any) -> dict[str, tuple[int | None, ...]]:
    """Return the shapes as tuples; raise for anything that is not a dict of shapes."""
    if not isinstance(shapes, Mapping):
        raise CoreError(
            f"inputs= is a dict of shapes by the names of inputs, such as "
            f"{{'input': (1, 3, 480, 640)}}, got {shapes!r:.80}"
        )
    return {name: _lengths(name, shape) for name, shape in shapes.items()}


def _lengths(name: object, shape: Any) -> tuple[int | None, ...]:
    is_list = isinstance(shape, Sequence) and not isinstance(shape, (str, bytes))
    if not is_list or not all(n is None or (type(n) is int and n >= 0) for n in shape):
        raise CoreError(
            f"inputs= gives {name!r:.80} the shape {shape!r:.80}: a shape has an integer for each "
            "axis, or None for any length"
        )
    return tuple(shape)


def _with_shape(end: Endpoint, shape: tuple[int | None, ...]) -> Endpoint:
    return end._replace(spec=PartialSpec(shape, end.spec.dtype))


def _with_open_lengths(end: Endpoint) -> Endpoint:
    shape = end.spec.shape
    return end if shape is None else _with_shape(end, (None,) * len(shape))
