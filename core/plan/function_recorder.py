"""Recorder of functions: branches that are taken, iterations of short loops, bodies of others.

Shapes and constants often decide which branch a model takes, and how often a loop runs, such as one
over the images of a batch. Then the steps of the branch or of all iterations are part of the plan
around it, as if there were no call.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from core.engine.dispatch import tensor
from core.engine.run_guard import active_guard, check_active
from core.errors import MISUSE, CoreError
from core.graph.bound_nodes import BoundNode
from core.graph.executor import Call, Executor, existing, named_outputs
from core.graph.nodes import Node
from core.plan.loop_lists import TRACED_NODES, TracedList
from core.plan.node_recorder import NodeRecorder
from core.plan.tracing import DataDependentError, Tracer

#: The largest number of iterations of a loop that are written out.
MOST_ITERATIONS = 8

#: The largest number of calls of functions in a plan: in loops there may be others.
MOST_CALLS = 1000

#: Node types that call functions, and do nothing else that a plan cannot have.
_CALLING = frozenset(
    (
        *("If", "StatelessIf", "While", "StatelessWhile"),
        *("ONNX:Loop", "ONNX:Scan", "ONNX:SequenceMap"),
    )
)


def is_branch(node: Node) -> bool:
    """Return whether the first input of a node decides which of two functions it calls."""
    return node.type in ("If", "StatelessIf") and bool(node.inputs)


class CallRecorder(NodeRecorder):
    """Records nodes, and the functions that they call.

    Attributes:
        decided: values of conditions, by reference, that hold for this recording.
    """

    decided: Mapping[str, bool] = {}

    def records(self, name: str) -> bool:
        """Record a node, and return whether that was possible.

        Of a call nothing is recorded if data decides it, if it has too many iterations, or if
        something fails: then a call op by op says what.
        """
        if super().records(name):
            return True
        step = self._executor.step(name)
        is_known = step.node.type in _CALLING and step.node.type not in self._executor.kernels
        if not (is_known and all(map(self.knows, step.needs))):
            return False
        result = self._called(step)
        self._values.update(named_outputs(name, result or ()))
        return result is not None

    def _called(self, step: BoundNode) -> Sequence[Any] | None:
        values = [existing(self._values, reference) for reference in step.inputs]
        if is_branch(step.node) and step.inputs[0] in self.decided:
            values[0] = tensor(self.decided[step.inputs[0]])
        call = _RecordedCall(Call(self._executor, step.node), self.tracer)
        guard = active_guard()
        counts = None if guard is None else (guard.calls, guard.loop_steps)
        try:
            with self.tracer.recording(step.node.name):
                found: Sequence[Any] = step.run(call, *values)
                return found
        except (CoreError, DataDependentError, *MISUSE):
            return None
        finally:
            if guard is not None and counts is not None:
                guard.calls, guard.loop_steps = counts  # a run of the plan calls nothing


class FunctionRecorder(CallRecorder):
    """Records all nodes of a function, with lists.

    Args:
        executor: executor of the function.
        tracer: records the ops.
        arguments: its arguments.
    """

    def __init__(self, executor: Executor, tracer: Tracer, arguments: Sequence[Any]):
        values = dict(zip(executor.arguments, arguments, strict=True))
        super().__init__(executor, tracer, values, executor.arguments)

    def results(self) -> list[Any]:
        """Return the results of the function.

        Raises:
            DataDependentError: a node cannot be recorded.
        """
        executor = self._executor
        order = executor.execution_order(executor.arguments, executor.results)
        unknown = executor.unknown(order)
        if unknown:
            raise DataDependentError(f"node {unknown[0].name!r} has no kernel: a call says so")
        for name in order:
            if not self._records_list(name) and not self.records(name):
                raise DataDependentError(f"node {name!r} depends on data")
        return [self._value(reference) for reference in executor.results]

    def _records_list(self, name: str) -> bool:
        node = self._executor.node(name)
        run = None if node.type in self._executor.kernels else TRACED_NODES.get(node.type)
        if run is None:
            return False
        references = [self._executor.normalised(r) for r in node.inputs if not r.startswith("^")]
        values = [self._value(reference) for reference in references]
        if not isinstance(values[0], TracedList):
            return False
        with self.tracer.recording(name):
            self._values[name] = run(values)
        return True

    def _value(self, reference: str) -> Any:
        if not self.knows(reference):
            raise DataDependentError(f"nothing gives {reference!r}")
        return existing(self._values, reference)


class _RecordedCall:
    """Stands for a `Call` whose functions are recorded, not run."""

    loops = None

    def __init__(self, call: Call, tracer: Tracer):
        self.node = call.node
        self._call, self._tracer = call, tracer
        self._counts: Counter[str] = Counter()

    def function(self, name: str) -> "_RecordedFunction":
        """Return the body that an attribute of the node names."""
        return _RecordedFunction(self, name)

    def body(self, name: str) -> Executor:
        """Return the executor of a body."""
        return self._call.function(name)

    def record(self, name: str, arguments: Sequence[Any]) -> list[Any]:
        """Return the results of a body whose steps are recorded.

        Raises:
            DataDependentError: there are too many calls, or data decides what it does.
        """
        check_active()
        self._counts[name] += 1
        self._tracer.calls += 1
        # The last condition ends the loop.
        most = {"body": MOST_ITERATIONS, "cond": MOST_ITERATIONS + 1}.get(name, 1)
        if self._counts[name] > most or self._tracer.calls > MOST_CALLS:
            raise DataDependentError(f"the loop {self.node.name!r} has many iterations")
        return FunctionRecorder(self.body(name), self._tracer, arguments).results()


class _RecordedFunction:
    """Stands for the executor of a function whose calls are recorded."""

    def __init__(self, call: _RecordedCall, name: str):
        self._call, self._name = call, name

    @property
    def results(self) -> tuple[str, ...]:
        """Return the references to what the function gives."""
        return self._call.body(self._name).results

    def call(self, arguments: Sequence[Any]) -> list[Any]:
        """Return the results for arguments."""
        return self._call.record(self._name, arguments)
