"""Recorder of nodes: runs those that shapes decide on a tracer."""

from collections.abc import Container
from typing import Any

from core.errors import KernelNotFound
from core.graph.executor import Executor, existing, named_outputs
from core.graph.node_types import find_node_type
from core.graph.nodes import node_of
from core.plan.tracing import DataDependentError, Tracer


class NodeRecorder:
    """Records the nodes of a body one after the other.

    Args:
        executor: executor of the body.
        tracer: records the ops.
        values: values of the tracer by reference; those of recorded nodes are added.
        given: references of what the run gives, also without a value here.
    """

    def __init__(
        self,
        executor: Executor,
        tracer: Tracer,
        values: dict[str, Any],
        given: Container[str],
    ):
        self.tracer = tracer
        self._executor, self._values = executor, values
        self._is_given = given.__contains__

    def records(self, name: str) -> bool:
        """Record a node, and return whether that was possible."""
        executor = self._executor
        if name in executor.constants:
            self._values[name] = self.tracer.constant(name, executor.constants[name])
            return True
        step = executor.step(name)
        kind = find_node_type(step.node.type)
        # Each run must run a user's function, which may have side effects.
        acts_anew = step.node.type in executor.kernels or kind is None or kind.makes_resource
        if step.in_run or acts_anew or not all(map(self.knows, step.needs)):
            return False
        try:
            with self.tracer.recording(name):
                result = executor.run_step(step, [existing(self._values, i) for i in step.inputs])
        except (DataDependentError, KernelNotFound):
            return False
        several = named_outputs(name, result) if isinstance(result, (list, tuple)) else ()
        self._values.update(several or ((name, result),))
        return True

    def knows(self, reference: str) -> bool:
        """Return whether a reference has a value, or may lack the output of a recorded node."""
        constants = self._executor.constants
        is_new = reference not in self._values and not self._is_given(reference)
        if is_new and reference in constants:
            self._values[reference] = self.tracer.constant(reference, constants[reference])
        # A node may be recorded, but lack the requested output.
        name = node_of(reference)
        return reference in self._values or (name in self._values and not self._is_given(name))
