"""Branches and loops, and nodes that pass values on or report their shapes.

Loops and branches are those of TensorFlow 1, and those that call functions of the graph.
Placeholder and Const are given, not run.
"""

from collections.abc import Sequence
from itertools import count
from typing import Any

from core import ops
from core.autodiff.gradients import stop_gradient
from core.engine.dispatch import tensor
from core.engine.run_guard import active_guard
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.control_flow import ABSENT
from core.graph.node_types.rows import NodeType


class EndlessCallsError(CoreError):
    """Functions call each other deeper than Python can."""


def _same(value: Any) -> Any:
    return value


def _switch(value: Any, condition: Tensor) -> list[Any]:
    """The value on the side that is taken: the second one if the condition is true."""
    return [ABSENT, value] if is_true(condition) else [value, ABSENT]


def _merge(_: Any, value: Any, position: int) -> list[Any]:
    """The first input that is there, and which one it is."""
    return [value, tensor(position, "int32")]


def is_true(condition: Tensor) -> bool:
    """Whether the first value of a tensor is true."""
    if condition.size == 1:
        return bool(condition.item())
    return bool(condition.size) and bool(condition.flatten().tolist()[0])


def _if(call: Any, condition: Tensor, *values: Any) -> list[Any]:
    guard = active_guard()
    if guard is not None:
        guard.count_call()
    return _called(call, "then_branch" if is_true(condition) else "else_branch", values)


def _while(call: Any, *values: Any) -> Sequence[Any]:
    guard, loops = active_guard(), call.loops
    for steps in count():
        if not is_true(_called(call, "cond", values)[0]):
            break
        last = None if loops is None else loops.finished(call, values, steps)
        if last is not None:
            return last
        if guard is not None:
            guard.count_loop_step()
        values = tuple(_called(call, "body", values))
    return values


def _called(call: Any, function: str, values: Sequence[Any]) -> list[Any]:
    try:
        results: list[Any] = call.function(function).call(values)
    except RecursionError:
        raise EndlessCallsError(
            f"functions of the graph call each other without end, through {call.node.name!r}"
        ) from None
    return results


_IF = NodeType(_if, in_run=True, outputs=("output",))
_WHILE = NodeType(_while, in_run=True, outputs=("output",))


def _shape(x: Tensor) -> Tensor:
    return tensor(x.shape, "int32")


def _rank(x: Tensor) -> Tensor:
    return tensor(x.ndim, "int32")


def _size(x: Tensor) -> Tensor:
    return tensor(x.size, "int32")


def _shapes(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [_shape(x) for x in tensors]


def _identity(x: Any) -> Any:
    """Lists and hash tables pass, too."""
    return ops.identity(x) if isinstance(x, Tensor) else x


def _identities(values: Sequence[Any]) -> list[Any]:
    return [_identity(x) for x in values]


def _nothing() -> tuple[()]:
    return ()


#: Marks that users or debuggers look for stay.
_SAME = NodeType("identity", (0,), folds=False)

NODE_TYPES = {
    **dict.fromkeys(("Enter", "Exit", "LoopCond", "NextIteration"), NodeType(_same, (0,))),
    "If": _IF,
    "Merge": NodeType(_merge, in_run=True, outputs=("output", "value_index")),
    "StatelessIf": _IF,
    "StatelessWhile": _WHILE,
    "Switch": NodeType(_switch, (0, 1), outputs=("output_false", "output_true")),
    "While": _WHILE,
    "Identity": NodeType(_identity, (0,), folds=True),
    "IdentityN": NodeType(_identities, (slice(None),), outputs=("output",)),
    "NoOp": NodeType(_nothing, ()),
    "PlaceholderWithDefault": _SAME,
    "Print": _SAME,
    "Rank": NodeType(_rank, (0,), folds=True),
    "Shape": NodeType(_shape, (0,), folds=True),
    "ShapeN": NodeType(_shapes, (slice(None),), outputs=("output",), folds=True),
    "Size": NodeType(_size, (0,), folds=True),
    "Snapshot": _SAME,
    "StopGradient": NodeType(stop_gradient, (0,), folds=False),
    # As in TensorFlow.js the values stay as they are.
    "FakeQuantWithMinMaxVars": _SAME,
    # TensorFlow.js does not have these.
    "CheckNumerics": _SAME,
    "PreventGradient": _SAME,
}
