"""Gradients: a tape of the ops that lead from the inputs on, walked backwards.

A tape records just the ops that depend on what it watches, and keeps just the tensors that their
gradient rules name. Rules are made of ops themselves, so an outer tape sees the inner walk and
gradients of gradients work.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, NamedTuple

from core.errors import CoreError
from core.kernels import ops
from core.specs import Shape, Spec
from core.tensors import Tensor

if TYPE_CHECKING:
    from core.declare import Op


class Place(NamedTuple):
    """What the tape needs to know of an input or output beyond its values."""

    id: int
    spec: Spec


class Node(NamedTuple):
    """One op that ran: where its values came from, and what its gradients need."""

    op: "Op"
    inputs: dict[str, Place | list[Place]]
    outputs: list[Place]
    several: bool
    attributes: dict[str, Any]
    saved: dict[str, Any]


class Tape:
    """Records the ops that depend on some watched tensors."""

    def __init__(self, watched: Sequence[Tensor]):
        self.reached = {t.id for t in watched}
        self.nodes: list[Node] = []

    def record(self, op: "Op", inputs: Sequence, attributes: dict[str, Any], outputs: Any) -> None:
        """Note an op, if a gradient flows through it into something watched."""
        named = dict(zip(op.inputs, inputs, strict=True))
        reached = [name for name in op.inputs if self._reaches(named[name])]
        wanted = [name for name in reached if name in op.gradients]
        if not reached or (not wanted and not _is_smooth(outputs)):
            return
        values = {"y": outputs, **named}
        saved = {
            name: values[name]
            for input_name in wanted
            for name in op.gradients[input_name].parameters
            if name in values
        }
        places = {name: _place(v) for name, v in named.items() if v is not None}
        several = isinstance(outputs, list)
        made = [Place(t.id, t.spec) for t in (outputs if several else [outputs])]
        self.reached.update(place.id for place in made)
        self.nodes.append(Node(op, places, made, several, attributes, saved))

    def _reaches(self, value: Any) -> bool:
        """Whether a tensor or place, or one of a list, depends on what is watched."""
        if isinstance(value, list):
            return any(t.id in self.reached for t in value)
        return value is not None and value.id in self.reached

    def gradients(self, y: Tensor, g: Tensor, xs: Sequence[Tensor]) -> list[Tensor]:
        """The gradient of ``sum(y * g)`` for each of ``xs``."""
        found = {y.id: g}
        for node in reversed(self.nodes):
            if any(place.id in found for place in node.outputs):
                self._walk(node, found)
        return [_found_gradient(found, x, i) for i, x in enumerate(xs)]

    def _walk(self, node: Node, found: dict[int, Tensor]) -> None:
        """Pass the gradient of a node's outputs on to its inputs."""
        g = [_gradient_or_zeros(found, place) for place in node.outputs]
        for name, place in node.inputs.items():
            if not self._reaches(place):
                continue
            gradient = node.op.gradients.get(name)
            if gradient is None:
                if not _is_smooth(place):
                    continue  # nothing flows into indices and the like
                raise CoreError(f"op {node.op.name!r} has no gradient for its input {name!r}")
            values = {p: _argument(node, p) for p in gradient.parameters}
            flows = gradient.function(g if node.several else g[0], **values)
            for into, flow in zip(*_pairs(place, flows), strict=True):
                if into.id in self.reached:
                    _add_flow(found, into, flow)


def _is_smooth(value: Any) -> bool:
    """Whether a tensor or place, or one of a list, holds numbers that have slopes."""
    several = value if isinstance(value, list) else [value]
    return any(t.spec.dtype in ("float32", "complex64") for t in several)


def _place(value: Any) -> Any:
    return [_place(v) for v in value] if isinstance(value, list) else Place(value.id, value.spec)


def _pairs(place: Any, flows: Any) -> tuple[list[Place], list[Tensor]]:
    return (place, flows) if isinstance(place, list) else ([place], [flows])


def _argument(node: Node, parameter: str) -> Any:
    """What a gradient rule gets for one of the names in its signature."""
    if parameter in node.saved:
        return node.saved[parameter]
    if parameter in node.attributes:
        return node.attributes[parameter]
    if parameter.endswith("_spec"):
        place = node.inputs.get(parameter.removesuffix("_spec"))
        return [p.spec for p in place] if isinstance(place, list) else place and place.spec
    return None  # an optional input that was absent


def _gradient_or_zeros(found: dict[int, Tensor], place: Place) -> Tensor:
    known = found.get(place.id)
    return _filled(place.spec, 0.0) if known is None else known


def _slope_dtype(spec: Spec) -> str:
    return "complex64" if spec.dtype == "complex64" else "float32"


def _filled(spec: Spec, value: float) -> Tensor:
    return ops.fill(shape=spec.shape, value=value, dtype=_slope_dtype(spec))


def _add_flow(found: dict[int, Tensor], into: Place, flow: Tensor) -> None:
    flow = _unbroadcast(flow, into.spec.shape)
    known = found.get(into.id)
    found[into.id] = flow if known is None else ops.add(known, flow)


def _unbroadcast(g: Tensor, shape: Shape) -> Tensor:
    """Sum a gradient over the axes along which its input was repeated."""
    if g.shape == shape:
        return g
    lead = len(g.shape) - len(shape)
    stretched = [lead + i for i, n in enumerate(shape) if n == 1 and g.shape[lead + i] != 1]
    return ops.reshape(ops.sum(g, axis=(*range(lead), *stretched)), shape=shape)


def _found_gradient(found: dict[int, Tensor], x: Tensor, index: int) -> Tensor:
    if x.id not in found:
        raise CoreError(
            f"no gradient reaches input {index}: the result must be computed from it by ops that "
            f"have a gradient, inside of the function given"
        )
    return found[x.id]


_tapes: ContextVar[tuple[Tape, ...]] = ContextVar("tapes", default=())
active_tapes = _tapes.get


def value_and_grads(function: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, list[Tensor]]]:
    """A function that returns ``function``'s value and its gradient for each input.

    Args:
        function: takes tensors and returns a tensor.

    Returns:
        A function of the same inputs, and of ``dy``: the gradient to start from, of the value's
        shape (ones by default, which gives the gradient of the value's sum). Each gradient has
        the shape of its input. They can be differentiated again.

    Raises:
        CoreError: the value does not depend on an input through ops that have a gradient.

    >>> import core
    >>> value, (da, db) = core.value_and_grads(lambda a, b: a * b)(2.0, 3.0)
    >>> value.item(), da.item(), db.item()
    (6.0, 3.0, 2.0)
    """

    def with_gradients(*inputs: Any, dy: Any = None) -> tuple[Tensor, list[Tensor]]:
        # Fresh aliases: the tape then watches these, and not other uses of the same tensors.
        xs = [ops.identity(x) for x in inputs]
        if any(x.dtype == "string" for x in xs):
            raise CoreError("strings have no gradient: close over them instead of giving them")
        tape = Tape(xs)
        token = _tapes.set((*_tapes.get(), tape))
        try:
            y = function(*xs)
        finally:
            _tapes.reset(token)
        if not isinstance(y, Tensor):
            raise CoreError(f"the function must return one tensor, not {type(y).__name__}")
        g = _filled(y.spec, 1.0) if dy is None else ops.cast(dy, dtype=_slope_dtype(y.spec))
        if g.shape != y.shape:
            raise CoreError(f"dy has shape {g.shape}, the value has {y.shape}")
        return y, tape.gradients(y, g, xs)

    return with_gradients


def grads(function: Callable[..., Tensor]) -> Callable[..., list[Tensor]]:
    """A function that returns the gradient for each input; see `value_and_grads`.

    >>> import core
    >>> [g.item() for g in core.grads(lambda a, b: a * b)(2.0, 3.0)]
    [3.0, 2.0]
    """
    both = value_and_grads(function)
    return lambda *inputs, dy=None: both(*inputs, dy=dy)[1]


def value_and_grad(function: Callable[..., Tensor]) -> Callable[..., tuple[Tensor, Tensor]]:
    """A function that returns the value and the gradient for its only input.

    >>> import core
    >>> value, slope = core.value_and_grad(core.square)(3.0)
    >>> value.item(), slope.item()
    (9.0, 6.0)
    """
    both = value_and_grads(function)

    def with_gradient(x: Any, *, dy: Any = None) -> tuple[Tensor, Tensor]:
        value, (gradient,) = both(x, dy=dy)
        return value, gradient

    return with_gradient


def grad(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """A function that returns the gradient for its only input; applied twice, the second one.

    >>> import core
    >>> core.grad(core.grad(lambda x: x * x * x))(2.0).item()
    12.0
    """
    both = value_and_grad(function)
    return lambda x, *, dy=None: both(x, dy=dy)[1]
