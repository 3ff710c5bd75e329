"""Loops whose iterations shapes and constants decide, such as one for each image of a batch.

If they are few, their steps are part of the plan that the loop lies in, as if there were no loop.
So are those of the branch that a known condition takes.
"""

from collections.abc import Sequence
from typing import Any

from core.engine.run_guard import active_guard, check_active
from core.errors import MISUSE, CoreError
from core.graph.executor import Call, Executor, existing, named_outputs
from core.graph.node_types.control import is_true
from core.graph.nodes import FunctionName, Node
from core.plan.function_recorder import FunctionRecorder
from core.plan.node_recorder import NodeRecorder
from core.plan.tracing import DataDependentError, Tracer

#: The largest number of iterations that are written out.
MOST_ITERATIONS = 8


class CallRecorder(NodeRecorder):
    """Records also nodes that call functions, if shapes and constants decide which, and how often.

    Args: as those of `NodeRecorder`.
    """

    def records(self, name: str) -> bool:
        """Record a node, and return whether that was possible."""
        return super().records(name) or self._records_calls(name)

    def _records_calls(self, name: str) -> bool:
        step = self._executor.step(name)
        if not (step.in_run and _calls_functions(step.node) and all(map(self.knows, step.needs))):
            return False
        values = [existing(self._values, reference) for reference in step.inputs]
        before = len(self.tracer.steps)
        try:
            results = self._written_out(Call(self._executor, step.node), step.run, values)
        # Calls say what fails, or leave it to data.
        except (CoreError, DataDependentError, *MISUSE):
            del self.tracer.steps[before:]
            return False
        self._values.update(named_outputs(name, results))
        return True

    def _written_out(self, call: Call, run: Any, values: Sequence[Any]) -> Sequence[Any]:
        if _is_loop(call.node):
            return _iterated(call, self.tracer, values)
        with self.tracer.recording(call.node.name):
            found: Sequence[Any] = run(_RecordedCall(call, self.tracer), *values)
            return found


class _Body(CallRecorder, FunctionRecorder):
    """Records a function, and those that it calls."""


class _RecordedCall:
    """Stands for a `Call` while its node is run to record what its functions do.

    Args:
        call: the call.
        tracer: records the ops.
    """

    def __init__(self, call: Call, tracer: Tracer):
        self.executor, self.node = call.executor, call.node
        self._call, self._tracer, self._left = call, tracer, _most_iterations()

    def function(self, name: str) -> "_RecordedFunction":
        """Return a function that an attribute of the node names."""
        return _RecordedFunction(self._call.function(name), self)

    def results(self, body: Executor, values: Sequence[Any]) -> list[Any]:
        """Record a function, and return its results."""
        check_active()
        if not self._left:
            raise DataDependentError(f"{self.node.name!r} calls functions many times")
        self._left -= 1
        return _Body(body, self._tracer, values).results()


class _RecordedFunction:
    """A function that is recorded when it is called.

    Attributes:
        results: references to its results.
    """

    def __init__(self, body: Executor, call: _RecordedCall):
        self._body, self._of = body, call
        self.results = body.results

    def call(self, values: Sequence[Any]) -> list[Any]:
        """Record the function, and return its results."""
        return self._of.results(self._body, values)


def _calls_functions(node: Node) -> bool:
    return any(isinstance(value, FunctionName) for value in node.attributes.values())


def _is_loop(node: Node) -> bool:
    """Return whether a node calls functions as long as one of them gives true."""
    return all(isinstance(node.attributes.get(name), FunctionName) for name in ("cond", "body"))


def _iterated(call: Call, tracer: Tracer, values: Sequence[Any]) -> Sequence[Any]:
    condition, body = call.function("cond"), call.function("body")
    for _ in range(_most_iterations() + 1):
        check_active()
        if not is_true(_Body(condition, tracer, values).results()[0]):
            return values
        values = _Body(body, tracer, values).results()
    raise DataDependentError(f"the loop {call.node.name!r} has many iterations")


def _most_iterations() -> int:
    """Return how many iterations are written out: no more than the run may have."""
    guard = active_guard()
    most = None if guard is None else guard.limits.loop_steps
    return MOST_ITERATIONS if most is None else min(MOST_ITERATIONS, int(most))
