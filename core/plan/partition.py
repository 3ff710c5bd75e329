"""Partition of a graph into plans, and nodes that run op by op.

Shapes decide most nodes of a graph. Loops with many iterations, tables, ops whose result shape
depends on data, and nodes that depend on these are not part of a plan: the executor runs them, and
if heavy work follows, the next plan starts from their results.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from core.engine.program import Program, Quantization
from core.engine.registry import OPS
from core.engine.run_guard import check_active
from core.engine.settings import active_backend
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.control_flow import LOOP_TYPES
from core.graph.executor import Executor
from core.graph.node_types import find_node_type
from core.graph.node_types.lists import TensorList
from core.graph.nodes import Node, node_of
from core.plan.function_recorder import CallRecorder, is_branch
from core.plan.passes import ProgramPass
from core.plan.plan import Plan, make_plan
from core.plan.tracing import Tracer

Specs = Mapping[str, Spec | None]

#: The largest number of conditions that data decide for which stages are made: each may be true or
#: false, and has plans of its own.
MOST_DECIDED = 2


class Stage(NamedTuple):
    """A stage of a run: from the feeds to the fetches, or a part of it.

    Attributes:
        plan: plan of the nodes that shapes decide; None if they contain no heavy work.
        eager: references to compute op by op after the plan: the remaining fetches, or the feeds
            of the next stage.
        left: names of the nodes that are in no plan so far.
        is_last: whether all fetches are computed after the stage.
    """

    plan: Plan | None
    eager: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    is_last: bool = True


def largest_plan(
    stages: Iterable[tuple[Stage, Mapping[str, Any]]],
) -> tuple[Plan, Mapping[str, Any]]:
    """Return the plan with the most arithmetic.

    Args:
        stages: stages of a run, each with its initial values.

    Returns:
        The plan and the initial values of its stage.

    Raises:
        CoreError: no stage has a plan.
    """
    plans = [(stage.plan, values) for stage, values in stages if stage.plan is not None]
    if not plans:
        raise CoreError("there is nothing to plan in this graph: all of it depends on data")
    return max(plans, key=lambda found: sum(step.multiply_adds for step in found[0].steps))


def find_stage(
    executor: Executor,
    given: Specs,
    wanted: Sequence[str],
    passes: Sequence[ProgramPass],
    quantised: Mapping[str, Quantization] = {},
    decided: Mapping[str, bool] = {},
) -> Stage:
    """Return the next stage from given values to the fetches.

    Args:
        executor: executor of the graph.
        given: shape and dtype of each available value; None for values other than tensors.
        wanted: normalised references of the fetches.
        passes: passes for programs.
        quantised: what those stand for that are given as integers.
        decided: values of conditions of branches, for which the stage is made.

    Raises:
        CoreError: as `Executor.run` raises, for errors that do not depend on data.
    """
    executor.schedule(given, wanted)  # raises early, and is kept for nodes that run op by op
    walk = _Partition(executor, given, decided)
    for name in executor.execution_order(given, wanted):
        walk.add(name)
    walk.leave_lists()
    is_heavy = any(step.op.traits.heavy for step in walk.tracer.steps)
    plan = walk.plan(wanted, passes, quantised) if is_heavy or not walk.left else None
    known = {*given, *(plan.outputs if plan else ())}
    first = walk.before_heavy(known, wanted)
    eager = first or tuple(r for r in wanted if r not in known)
    return Stage(plan, eager, tuple(walk.left), is_last=not first)


def record_program(
    executor: Executor,
    given: Mapping[str, Spec],
    wanted: Sequence[str],
    quantised: Mapping[str, Quantization] = {},
) -> tuple[Program, list[str]]:
    """Return the program from given values to the fetches, and the names of the nodes left out.

    Args:
        executor: executor of the graph.
        given: shape and dtype of each input.
        wanted: normalised references of the fetches; each is an output, whatever it is.
        quantised: as for `find_stage`.

    Raises:
        CoreError: as `Executor.run` raises, for errors that do not depend on data.
    """
    walk = _Partition(executor, given, {})
    for name in executor.execution_order(given, wanted):
        walk.add(name)
    return walk.program(wanted, quantised), walk.left


class _Partition(CallRecorder):
    """Visitor of the nodes in execution order, which records nodes or leaves them.

    Attributes:
        left: names of the nodes that are not recorded.
    """

    def __init__(self, executor: Executor, given: Specs, decided: Mapping[str, bool]):
        super().__init__(executor, Tracer(active_backend().epsilon), {}, given)
        self._given, self.decided = given, decided
        self._inner: set[str] = set()  # nodes in loops and branches
        self.left: list[str] = []
        for reference, spec in given.items():
            if spec is not None and spec.dtype != "string":
                self._values[reference] = self.tracer.input(reference, spec)

    def add(self, name: str) -> None:
        """Record a node, or add it to the nodes left."""
        check_active()
        if self._is_inner(name) or not self.records(name):
            self.left.append(name)

    def leave_lists(self) -> None:
        """Leave the lists that nodes left read, too: plans hand on tensors only."""
        left = {*self.left}
        for name in self.left:
            for reference in self._needs((name,)):
                source = node_of(reference)
                if source not in left and isinstance(self._values.get(reference), TensorList):
                    left.add(source)
                    self.left.append(source)  # whose own lists follow

    def _is_inner(self, name: str) -> bool:
        """Return whether a node is in a loop or on a branch, where no run returns its value."""
        node = self._executor.node(name)
        begins = node.type in LOOP_TYPES and node.type != "Exit"
        goes_on = node.type != "Exit" and any(node_of(i) in self._inner for i in node.inputs)
        if begins or goes_on:
            self._inner.add(name)
        return begins or goes_on or node.type in LOOP_TYPES

    def program(self, wanted: Sequence[str], quantised: Mapping[str, Quantization]) -> Program:
        """Return the recorded program, whose outputs are those fetches that have a value."""
        found = [self._values[reference] for reference in wanted if self.knows(reference)]
        program, known = self.tracer.program(found), self._executor.integers
        integers = {r: known[r] for r in program.constants if r in known}
        return program._replace(integers=integers, quantised=quantised)

    def plan(
        self,
        wanted: Sequence[str],
        passes: Sequence[ProgramPass],
        quantised: Mapping[str, Quantization],
    ) -> Plan:
        """Return the plan of the recorded nodes, whose outputs are fetches or inputs of others."""
        needed = dict.fromkeys([*wanted, *self._needs(self.left)])
        found = [
            reference
            for reference in needed
            if isinstance(self._values.get(reference), Tensor)
            and reference not in self._given
            and reference not in self._executor.constants
        ]
        program = self.program(found, quantised)
        inputs = [r for r, spec in self._given.items() if r in self._values]
        return make_plan(program, inputs, found, passes)

    def _needs(self, names: Iterable[str]) -> list[str]:
        """Return the references that nodes read; control inputs may have no value."""
        inputs = [i for name in names for i in self._executor.node(name).inputs]
        return [self._executor.normalised(i) for i in inputs if not i.startswith("^")]

    def before_heavy(self, known: Collection[str], wanted: Sequence[str]) -> tuple[str, ...]:
        """Return the inputs of the first heavy node left, and other values found on the way.

        With these values another plan can begin; or with the condition of a branch, which may be
        heavy. The result is empty if no heavy node is left, or if all its inputs are computed.
        """
        for name in self.left:
            node = self._executor.node(name)
            condition = self._open_condition(node)
            if name in self._inner or not (condition or self._is_heavy(node)):
                continue
            needs = self._needs((name,))
            unknown = [r for r in needs if r not in known and r not in self._executor.constants]
            if unknown:
                way = self._way_with_loops(unknown, known, name)
                later = [*self._needs(n for n in self.left if n not in way), *wanted]
                more = [r for r in later if node_of(r) in way - self._inner and r not in known]
                return tuple(dict.fromkeys([*unknown, *more]))
            if condition:
                return condition
        return ()

    def _open_condition(self, node: Node) -> tuple[str, ...]:
        """Return the condition of a branch whose value the next stage may know, if it is one."""
        if not is_branch(node) or node.type in self._executor.kernels:
            return ()
        condition = self._executor.normalised(node.inputs[0])
        is_known = condition in self._given or condition in self._executor.constants
        return () if is_known or len(self.decided) >= MOST_DECIDED else (condition,)

    def _way_with_loops(
        self, references: Sequence[str], known: Collection[str], target: str
    ) -> set[str]:
        """Return the values to compute before references, so that nothing of it runs twice.

        Of loops these are all results, unless the target is in the loop.
        """
        way = {*self._executor.execution_order(known, references)}
        for name in self.left:
            if self._executor.node(name).type == "Exit" and name not in way:
                more = {*self._executor.execution_order(known, (name,))}
                if target not in more and not way.isdisjoint(more & self._inner):
                    way |= more
        return way

    def _is_heavy(self, node: Node) -> bool:
        kind = None if node.type in self._executor.kernels else find_node_type(node.type)
        return kind is not None and kind.run in OPS and OPS[kind.run].traits.heavy
