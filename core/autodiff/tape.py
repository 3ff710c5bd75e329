"""The tape: records the ops that depend on watched tensors, and is walked backwards.

A tape records only the ops that depend on watched tensors, keeps only the tensors that their
gradient rules name, and frees them during the walk. Rules are made of ops themselves, so an outer
tape sees the inner walk, and gradients of gradients work.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from core import ops
from core.engine.dispatch import tensor
from core.engine.dtypes import DIFFERENTIABLE, DType
from core.engine.nan_check import NotFiniteError, users_line
from core.engine.observers import Observer
from core.engine.op_places import active_place, walking_back
from core.engine.settings import flags
from core.engine.specs import Shape, Spec, broadcasts_to
from core.engine.tensors import Tensor, tensors_in
from core.errors import CoreError

if TYPE_CHECKING:
    from core.engine.operation import Gradient, Op

#: Id and spec of an input or output.
Slot = tuple[int, Spec]
Flow = tuple[Slot, Tensor]


#: Rules of the reached inputs: name, slot, gradient rule, and the rule's arguments.
Rules = list[tuple[str, Any, Callable[..., Any] | None, dict[str, Any]]]


class Node:
    """One op that ran, with the gradient rules of the inputs that are reached."""

    __slots__ = ("layer", "line", "name", "outputs", "rules", "several")

    def __init__(self, name: str, rules: Rules, outputs: Any):
        self.name, self.rules = name, rules
        self.several = type(outputs) is list
        self.outputs = _slots(outputs) if self.several else [(outputs.id, outputs.spec)]
        self.layer = active_place().layer
        self.line = users_line() if flags.debug else ""

    def held(self) -> Iterator[Tensor]:
        """The tensors that are kept for the gradients."""
        return tensors_in([rule[-1] for rule in self.rules])

    def flows(self, dys: list[Tensor]) -> list[Flow]:
        """The gradients of the reached inputs, from the gradients of the outputs."""
        found: list[Flow] = []
        for name, slot, rule, values in self.rules:
            if rule is None:
                raise CoreError(f"op {self.name!r} has no gradient for its input {name!r}")
            flow = rule(dys if self.several else dys[0], **values)
            if type(slot) is list:
                found += zip(slot, self._each_fitted(name, slot, flow), strict=True)
            elif type(flow) is Tensor and flow.spec == slot[1]:  # the usual cases, checked quickly
                found.append((slot, flow))
            elif dys[0] is flow and broadcasts_to(slot[1].shape, flow.spec.shape):
                found.append((slot, _unbroadcast(flow, slot[1].shape)))
            else:
                fitted = self._fitted(name, slot[1], flow, _is_built_in(rule))
                found.append((slot, fitted))
        return found

    def _each_fitted(self, name: str, slots: list[Slot], flows: Any) -> list[Tensor]:
        """The gradients of several tensors, with their shapes."""
        if not isinstance(flows, (list, tuple)) or len(flows) != len(slots):
            raise CoreError(
                f"the gradient of op {self.name!r} for its input {name!r} must be a list of "
                f"{len(slots)} tensors, one for each of shapes {[s.shape for _, s in slots]}, "
                f"got {_shown(flows)}"
            )
        pairs = zip(slots, flows, strict=True)
        return [f if _fits(f, spec) else self._fitted(name, spec, f) for (_, spec), f in pairs]

    def _fitted(self, name: str, spec: Spec, flow: Any, is_built_in: bool = False) -> Tensor:
        """A gradient with its input's shape, if a rule gave it with that of a result.

        Rules leave it to the tape to undo broadcasting.
        """
        flow = tensor(flow) if isinstance(flow, Tensor) else flow  # a variable is read
        if _fits(flow, spec):
            return flow
        shapes = [spec.shape for _, spec in self.outputs]
        usable = isinstance(flow, Tensor) and flow.dtype in DIFFERENTIABLE
        if not usable or not (
            any(_is_repeated(spec.shape, flow.shape, shape) for shape in shapes)
            # Built-in rules rely on broadcasting elsewhere, too: one value for all indices.
            or (is_built_in and broadcasts_to(spec.shape, flow.shape))
        ):
            raise CoreError(
                f"the gradient of op {self.name!r} for its input {name!r} must be a "
                f"{gradient_dtype(spec)} tensor of the input's shape {spec.shape}, or of the "
                f"result's shape {' or '.join(map(str, shapes))} if the op broadcasts "
                f"the input to it; got {_shown(flow)}"
            )
        return _unbroadcast(flow, spec.shape)


class CustomNode:
    """A call of a function with a user-defined gradient; see `core.custom_grad`."""

    __slots__ = ("function", "inputs", "layer", "line", "name", "outputs")

    def __init__(
        self,
        name: str,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        function: Callable[..., Any],
    ):
        self.name, self.function = name, function
        self.inputs, self.outputs = _slots(inputs), _slots(outputs)
        self.layer = active_place().layer
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
        for i, (slot, flow) in enumerate(zip(self.inputs, several, strict=True)):
            if flow is None:
                continue
            shape = slot[1].shape
            if not isinstance(flow, Tensor) or flow.shape != shape:
                shown = f"shape {flow.shape}" if isinstance(flow, Tensor) else f"{flow!r:.80}"
                raise CoreError(
                    f"the gradient of {self.name} must be a tensor of shape {shape} for input {i}, "
                    f"got {shown}"
                )
            yield slot, ops.cast(flow, dtype=gradient_dtype(slot[1]))


class Tape(Observer):
    """Records the ops that depend on some watched tensors."""

    __slots__ = ("nodes", "reached")

    def __init__(self, watched: Iterable[Tensor] = ()):
        self.reached = {t.id for t in watched}
        self.nodes: list[Node | CustomNode] = []

    def record(
        self, op: "Op", inputs: Sequence, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        """Record an op, if a gradient flows through it into a watched tensor."""
        reached, gradients = self.reached, op.gradients
        rules: Rules = []
        for name, value in zip(op.inputs, inputs, strict=True):
            if not (value.id in reached if type(value) is Tensor else _holds(value, reached)):
                continue
            gradient = gradients.get(name)
            if gradient is not None:
                values = _values(gradient, inputs, attributes, outputs)
                rules.append((name, _slots(value), gradient.function, values))
            elif _is_differentiable(value) and _is_differentiable(outputs):
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
        """Record the call of a function with a user-defined gradient."""
        if _holds(inputs, self.reached):
            self._add(CustomNode(name, inputs, outputs, function))

    def _add(self, node: Node | CustomNode) -> None:
        for number, _ in node.outputs:
            self.reached.add(number)
        self.nodes.append(node)

    def walk(self, y: Tensor, g: Tensor) -> dict[int, Tensor]:
        """The gradient of ``sum(y * g)`` for each watched tensor reached from ``y``, by id.

        The tape is empty afterwards: each node is freed with the gradients of its outputs as
        soon as the node's gradients are known.
        """
        return self.walk_from([(y, g)])

    def walk_from(self, pairs: Iterable[tuple[Tensor, Tensor]]) -> dict[int, Tensor]:
        """The sum of the gradients that `walk` gives for several values ``y`` with their ``g``."""
        found: dict[int, Tensor] = {}
        for y, g in pairs:
            found[y.id] = g if y.id not in found else ops.add(found[y.id], g)
        reached, nodes = self.reached, self.nodes
        with walking_back() as enter:
            while nodes:
                node = nodes.pop()
                dys = _taken(found, node.outputs)
                if dys is None:
                    continue  # it does not lead to y
                if enter is not None:
                    enter(node.layer)
                try:
                    for (number, _), flow in node.flows(dys):
                        if number in reached:
                            known = found.get(number)
                            found[number] = flow if known is None else ops.add(known, flow)
                except NotFiniteError as error:
                    raise error.in_gradient_of(node.name, node.line) from error
        return found


def _taken(found: dict[int, Tensor], outputs: list[Slot]) -> list[Tensor] | None:
    """The gradients of a node's outputs, zeros for unreached ones; None if all are unreached."""
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
    """The arguments of a gradient rule, by name."""
    values = {}
    for parameter, kind, position in gradient.sources:
        if kind == "input":
            values[parameter] = inputs[position]
        elif kind == "attribute":
            values[parameter] = attributes[parameter]
        else:
            values[parameter] = outputs if kind == "y" else _specs(inputs[position])
    return values


def _slots(value: Any) -> Any:
    """Id and spec of a tensor, of each of several, or nothing."""
    if type(value) is Tensor:
        return value.id, value.spec
    return None if value is None else [(t.id, t.spec) for t in value]


def _holds(value: Any, reached: set[int]) -> bool:
    """Whether one of several tensors is reached; False for no tensor."""
    return value is not None and any(t.id in reached for t in value)


def _specs(value: Any) -> Any:
    """The spec of a tensor, of each of several, or nothing."""
    if type(value) is Tensor:
        return value.spec
    return None if value is None else [t.spec for t in value]


def _is_differentiable(value: Any) -> bool:
    """Whether a tensor, or one of several, holds values that have gradients."""
    return any(t.spec.dtype in DIFFERENTIABLE for t in tensors_in(value))


def gradient_dtype(spec: Spec) -> DType:
    """The dtype of gradients of such a tensor: float32 also for integers."""
    return "complex64" if spec.dtype == "complex64" else "float32"


def filled(spec: Spec, value: float) -> Tensor:
    """A gradient of the same value everywhere."""
    if not spec.shape and spec.dtype != "complex64":
        return tensor(value)  # in a fifth of the time
    return ops.fill(shape=spec.shape, value=value, dtype=gradient_dtype(spec))


def _fits(flow: Any, spec: Spec) -> bool:
    """Whether a rule gave a gradient of its input's shape."""
    return (
        type(flow) is Tensor and flow.spec.shape == spec.shape and flow.spec.dtype in DIFFERENTIABLE
    )


def _is_built_in(rule: Callable[..., Any]) -> bool:
    return getattr(rule, "__module__", "").startswith("core.")


def _is_repeated(shape: Shape, to: Shape, result: Shape) -> bool:
    """Whether a shape was broadcast just along axes that have the same length in a result."""
    padded = (0,) * (len(to) - len(shape)) + shape
    return len(padded) == len(to) == len(result) and all(
        n == m or (n == r and m <= 1) for m, n, r in zip(padded, to, result, strict=True)
    )


def _shown(value: Any) -> str:
    """Describe a rule's result for an error message."""
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
