"""The tape: notes the ops that lead from what it watches on, and is walked backwards.

It records just the ops that depend on what it watches, keeps just the tensors that their gradient
rules name, and lets go of them while it is walked. Rules are made of ops themselves, so an outer
tape sees the inner walk, and gradients of gradients work.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core.dispatch import tensor
from core.dtypes import SMOOTH
from core.errors import CoreError
from core.nan_check import NotFiniteError, users_line
from core.observers import Observer
from core.registry import ops
from core.settings import flags
from core.specs import Shape, Spec, broadcast_shapes
from core.tensors import Tensor, tensors_in

if TYPE_CHECKING:
    from core.operation import Gradient, Op

#: What the tape needs to know of an input or output beyond its values: its id and spec.
Place = tuple[int, Spec]
Flow = tuple[Place, Tensor]


#: For an input that is reached: name, place, gradient rule, and what that takes.
Rules = list[tuple[str, Any, Callable[..., Any] | None, dict[str, Any]]]


class Node:
    """One op that ran, with the gradient rules of the inputs that are reached."""

    __slots__ = ("line", "name", "outputs", "rules", "several")

    def __init__(self, name: str, rules: Rules, outputs: Any):
        self.name, self.rules = name, rules
        self.several = type(outputs) is list
        self.outputs = _place(outputs) if self.several else [(outputs.id, outputs.spec)]
        self.line = users_line() if flags.debug else ""

    def held(self) -> Iterator[Tensor]:
        """The tensors that are kept for the gradients."""
        return tensors_in([rule[-1] for rule in self.rules])

    def flows(self, dys: list[Tensor]) -> list[Flow]:
        """The gradients of the inputs that are reached, from those of the outputs."""
        found: list[Flow] = []
        for name, place, rule, values in self.rules:
            if rule is None:
                raise CoreError(f"op {self.name!r} has no gradient for its input {name!r}")
            flow = rule(dys if self.several else dys[0], **values)
            if type(place) is list:
                found += zip(place, self._each_fitted(name, place, flow), strict=True)
            elif type(flow) is Tensor and flow.spec == place[1]:  # the usual cases, told quickly
                found.append((place, flow))
            elif dys[0] is flow and _broadcasts(place[1].shape, flow.spec.shape):
                found.append((place, _unbroadcast(flow, place[1].shape)))
            else:
                fitted = self._fitted(name, place[1], flow, _is_ours(rule))
                found.append((place, fitted))
        return found

    def _each_fitted(self, name: str, places: list[Place], flows: Any) -> list[Tensor]:
        """The gradients of several tensors, with their shapes."""
        if not isinstance(flows, (list, tuple)) or len(flows) != len(places):
            raise CoreError(
                f"the gradient of op {self.name!r} for its input {name!r} must be a list of "
                f"{len(places)} tensors, one for each of shapes {[s.shape for _, s in places]}, "
                f"got {_shown(flows)}"
            )
        pairs = zip(places, flows, strict=True)
        return [f if _fits(f, spec) else self._fitted(name, spec, f) for (_, spec), f in pairs]

    def _fitted(self, name: str, spec: Spec, flow: Any, is_ours: bool = False) -> Tensor:
        """A gradient with its input's shape, if a rule gave it with that of a result.

        Rules leave it to the tape to undo broadcasting.
        """
        flow = tensor(flow) if isinstance(flow, Tensor) else flow  # a variable is read
        if _fits(flow, spec):
            return flow
        shapes = [spec.shape for _, spec in self.outputs]
        usable = isinstance(flow, Tensor) and flow.dtype in SMOOTH
        if not usable or not (
            any(_is_repeated(spec.shape, flow.shape, shape) for shape in shapes)
            # Rules of ours rely on it in other places, too, such as one value for all indices.
            or (is_ours and _broadcasts(spec.shape, flow.shape))
        ):
            raise CoreError(
                f"the gradient of op {self.name!r} for its input {name!r} must be a "
                f"{slope_dtype(spec)} tensor of the input's shape {spec.shape}, or of the result's "
                f"shape {' or '.join(map(str, shapes))} if the op broadcasts the input to it; got "
                f"{_shown(flow)}"
            )
        return _unbroadcast(flow, spec.shape)


class CustomNode:
    """A call of a function that brings its own gradient; see `core.custom_grad`."""

    __slots__ = ("function", "inputs", "line", "name", "outputs")

    def __init__(
        self,
        name: str,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        function: Callable[..., Any],
    ):
        self.name, self.function = name, function
        self.inputs, self.outputs = _place(inputs), _place(outputs)
        self.line = users_line() if flags.debug else ""

    def flows(self, dys: list[Tensor]) -> Iterator[Flow]:
        """The gradients of the inputs, as the user's function gives them."""
        given = self.function(*dys)
        several = list(given) if isinstance(given, (list, tuple)) else [given]
        if len(several) != len(self.inputs):
            raise CoreError(
                f"the gradient of {self.name} must give one tensor for each of its "
                f"{len(self.inputs)} inputs, got {len(several)}"
            )
        for i, (place, flow) in enumerate(zip(self.inputs, several, strict=True)):
            if flow is None:
                continue
            shape = place[1].shape
            if not isinstance(flow, Tensor) or flow.shape != shape:
                shown = f"shape {flow.shape}" if isinstance(flow, Tensor) else f"{flow!r:.80}"
                raise CoreError(
                    f"the gradient of {self.name} must be a tensor of shape {shape} for input {i}, "
                    f"got {shown}"
                )
            yield place, ops.cast(flow, dtype=slope_dtype(place[1]))


class Tape(Observer):
    """Records the ops that depend on some watched tensors."""

    __slots__ = ("nodes", "reached")

    def __init__(self, watched: Iterable[Tensor] = ()):
        self.reached = {t.id for t in watched}
        self.nodes: list[Node | CustomNode] = []

    def record(
        self, op: "Op", inputs: Sequence, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        """Note an op, if a gradient flows through it into something watched."""
        reached, gradients = self.reached, op.gradients
        rules: Rules = []
        for name, value in zip(op.inputs, inputs, strict=True):
            if not (value.id in reached if type(value) is Tensor else _holds(value, reached)):
                continue
            gradient = gradients.get(name)
            if gradient is not None:
                values = _values(gradient, inputs, attributes, outputs)
                rules.append((name, _place(value), gradient.function, values))
            elif _is_smooth(value) and _is_smooth(outputs):
                rules.append((name, None, None, {}))  # an error, if a gradient comes by
        if rules:
            self._add(Node(op.name, rules, outputs))

    def record_custom(
        self,
        name: str,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        function: Callable[..., Any],
    ) -> None:
        """Note the call of a function that brings its own gradient."""
        if _holds(inputs, self.reached):
            self._add(CustomNode(name, inputs, outputs, function))

    def _add(self, node: Node | CustomNode) -> None:
        for number, _ in node.outputs:
            self.reached.add(number)
        self.nodes.append(node)

    def walk(self, y: Tensor, g: Tensor) -> dict[int, Tensor]:
        """The gradient of ``sum(y * g)`` for each watched tensor that it reaches, by its id.

        The tape is empty afterwards: each node goes as soon as its gradients are known, and the
        gradients of its outputs with it.
        """
        found, reached, nodes = {y.id: g}, self.reached, self.nodes
        while nodes:
            node = nodes.pop()
            dys = _taken(found, node.outputs)
            if dys is None:
                continue  # it does not lead to y
            try:
                for (number, _), flow in node.flows(dys):
                    if number in reached:
                        known = found.get(number)
                        found[number] = flow if known is None else ops.add(known, flow)
            except NotFiniteError as error:
                raise error.in_gradient_of(node.name, node.line) from error
        return found


def _taken(found: dict[int, Tensor], outputs: list[Place]) -> list[Tensor] | None:
    """The gradients of a node's outputs, zeros where none came by; None if that is all."""
    if len(outputs) == 1:
        dy = found.pop(outputs[0][0], None)
        return None if dy is None else [dy]
    dys = [found.pop(number, None) for number, _ in outputs]
    if not any(dy is not None for dy in dys):
        return None
    return [filled(o[1], 0.0) if dy is None else dy for dy, o in zip(dys, outputs, strict=True)]


def _values(
    gradient: "Gradient", inputs: Sequence, attributes: dict[str, Any], outputs: Any
) -> dict[str, Any]:
    """What a gradient rule gets, by name."""
    values = {}
    for parameter, kind, place in gradient.sources:
        if kind == "input":
            values[parameter] = inputs[place]
        elif kind == "attribute":
            values[parameter] = attributes[parameter]
        else:
            values[parameter] = outputs if kind == "y" else _specs(inputs[place])
    return values


def _place(value: Any) -> Any:
    """Id and spec of a tensor, of each of several, or nothing."""
    if type(value) is Tensor:
        return value.id, value.spec
    return None if value is None else [(t.id, t.spec) for t in value]


def _holds(value: Any, reached: set[int]) -> bool:
    """Whether one of several tensors is reached; no tensor is not."""
    return value is not None and any(t.id in reached for t in value)


def _specs(value: Any) -> Any:
    """The spec of a tensor, of each of several, or nothing."""
    if type(value) is Tensor:
        return value.spec
    return None if value is None else [t.spec for t in value]


def _is_smooth(value: Any) -> bool:
    """Whether a tensor, or one of several, holds numbers that have slopes."""
    return any(t.spec.dtype in SMOOTH for t in tensors_in(value))


def slope_dtype(spec: Spec) -> str:
    """The dtype of gradients of such a tensor: float32 also of whole numbers."""
    return "complex64" if spec.dtype == "complex64" else "float32"


def filled(spec: Spec, value: float) -> Tensor:
    """A gradient of the same value everywhere."""
    if not spec.shape and spec.dtype != "complex64":
        return tensor(value)  # in a fifth of the time
    return ops.fill(shape=spec.shape, value=value, dtype=slope_dtype(spec))


def _fits(flow: Any, spec: Spec) -> bool:
    """Whether a rule gave a gradient of its input's shape."""
    return type(flow) is Tensor and flow.spec.shape == spec.shape and flow.spec.dtype in SMOOTH


def _is_ours(rule: Callable[..., Any]) -> bool:
    return getattr(rule, "__module__", "").startswith("core.")


def _is_repeated(shape: Shape, to: Shape, result: Shape) -> bool:
    """Whether a shape was broadcast just along axes that have the same length in a result."""
    padded = (0,) * (len(to) - len(shape)) + shape
    return len(padded) == len(to) == len(result) and all(
        n == m or (n == r and m <= 1) for m, n, r in zip(padded, to, result, strict=True)
    )


def _broadcasts(shape: Shape, to: Shape) -> bool:
    try:
        return broadcast_shapes(shape, to) == to
    except CoreError:
        return False


def _shown(value: Any) -> str:
    """What a rule gave, for an error."""
    if isinstance(value, Tensor):
        return f"a {value.dtype} tensor of shape {value.shape}"
    if isinstance(value, (list, tuple)):
        return f"{len(value)} values"
    return f"{value!r:.80}"


def _unbroadcast(g: Tensor, shape: Shape) -> Tensor:
    """Sum a gradient over the axes along which its input was repeated."""
    lead = len(g.shape) - len(shape)
    if lead == 1 and g.shape[1:] == shape:
        return ops.sum(g, axis=0)  # the usual case: a bias
    stretched = [lead + i for i, n in enumerate(shape) if n == 1 and g.shape[lead + i] != 1]
    total = ops.sum(g, axis=(*range(lead), *stretched))
    return total if total.shape == shape else ops.reshape(total, shape=shape)
