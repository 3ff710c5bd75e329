"""Loops whose iterations shapes and constants decide, such as one for each image of a batch.

If they are few, their steps are part of the plan that the loop lies in, as if there were no loop.
"""

from collections.abc import Sequence
from typing import Any

from core.engine.run_guard import active_guard, check_active
from core.errors import MISUSE, CoreError
from core.graph.executor import Call, Executor
from core.graph.node_types.control import is_true
from core.graph.nodes import FunctionName, Node
from core.plan.function_recorder import FunctionRecorder
from core.plan.tracing import DataDependentError, Tracer

#: The largest number of iterations that are written out.
MOST_ITERATIONS = 8


def is_loop(node: Node) -> bool:
    """Return whether a node calls functions as long as one of them gives true."""
    return all(isinstance(node.attributes.get(name), FunctionName) for name in ("cond", "body"))


def record_loop(
    executor: Executor, tracer: Tracer, node: Node, values: Sequence[Any]
) -> Sequence[Any] | None:
    """Record all iterations of a loop; return the values of its variables after the last one.

    Args:
        executor: executor of the body with the node.
        tracer: records the ops.
        node: of the loop, as `is_loop` says.
        values: the variables before the first iteration, as the tracer's tensors and lists of them.

    Returns:
        The values; None, and nothing is recorded, if data decides how often the loop runs or which
        nodes run in it, if it runs too often, or if something fails: calls say what.
    """
    before = len(tracer.steps)
    try:
        return _iterated(Call(executor, node), tracer, values)
    except (CoreError, DataDependentError, *MISUSE):
        del tracer.steps[before:]
        return None


def _iterated(call: Call, tracer: Tracer, values: Sequence[Any]) -> Sequence[Any]:
    condition, body = call.function("cond"), call.function("body")
    for _ in range(_most_iterations() + 1):
        check_active()
        if not is_true(FunctionRecorder(condition, tracer, values).results()[0]):
            return values
        values = FunctionRecorder(body, tracer, values).results()
    raise DataDependentError(f"the loop {call.node.name!r} has many iterations")


def _most_iterations() -> int:
    """Return how many iterations are written out: no more than the run may have."""
    guard = active_guard()
    most = None if guard is None else guard.limits.loop_steps
    return MOST_ITERATIONS if most is None else min(MOST_ITERATIONS, int(most))
