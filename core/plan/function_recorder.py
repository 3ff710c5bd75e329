"""Recorder of functions, such as the body and the condition of a loop."""

from collections.abc import Sequence
from typing import Any

from core.graph.executor import Executor, existing
from core.plan.loop_lists import TRACED_NODES, TracedList
from core.plan.node_recorder import NodeRecorder
from core.plan.tracing import DataDependentError, Tracer


class FunctionRecorder(NodeRecorder):
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
