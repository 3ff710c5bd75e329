"""How far a plan can come from what is given, and what is left to run op by op.

Shapes decide most nodes of a graph. Loops, tables, and ops whose result has a shape that depends on
data do not become part of a plan, nor does what needs them: they run by the executor, and where
heavy work follows, the next plan starts from what they gave.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from core.errors import CoreError
from core.graph.executor import Executor, existing, named_outputs
from core.graph.frames import LOOP_TYPES
from core.graph.node_types import find_node_type
from core.graph.nodes import Node, node_of
from core.plan.passes import ProgramPass
from core.plan.plan import Plan, make_plan
from core.plan.program import HEAVY_OPS
from core.plan.recording import NeedsDataError, Recorder
from core.settings import active_backend
from core.specs import Spec
from core.tensors import Tensor

Specs = Mapping[str, Spec | None]


class Stage(NamedTuple):
    """From what is given to what is wanted, or a part of the way.

    Attributes:
        plan: computes what shapes decide; None if that is nothing of weight.
        eager: what is to be computed op by op after that: the rest of what is wanted, or what the
            next stage begins with.
        left: names of the nodes that are in no plan so far.
        is_last: whether everything wanted is there then.
    """

    plan: Plan | None
    eager: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    is_last: bool = True


def largest_plan(stages: Iterable[Stage]) -> Plan:
    """Of several plans the one with the most arithmetic.

    Raises:
        CoreError: there is none.
    """
    plans = [stage.plan for stage in stages if stage.plan is not None]
    if not plans:
        raise CoreError("there is nothing to plan in this graph: all of it depends on data")
    return max(plans, key=lambda plan: sum(step.multiply_adds for step in plan.steps))


def find_stage(
    executor: Executor, given: Specs, wanted: Sequence[str], passes: Sequence[ProgramPass]
) -> Stage:
    """The next stage from given values to wanted references.

    Args:
        executor: of the graph.
        given: shape and dtype of each value that is there; None if it is no tensor.
        wanted: normalised references.
        passes: for the program.

    Raises:
        CoreError: as `Executor.run` does, for what can be told without data.
    """
    executor.schedule(given, wanted)  # tells what is wrong, and is kept for what runs op by op
    walk = _Walk(executor, given)
    for name in executor.way(given, wanted):
        walk.add(name)
    is_heavy = any(node.type in HEAVY_OPS for node in walk.recorder.nodes)
    plan = walk.plan(wanted, passes) if is_heavy or not walk.left else None
    known = {*given, *(plan.outputs if plan else ())}
    first = walk.before_heavy(known)
    eager = first or tuple(r for r in wanted if r not in known)
    return Stage(plan, eager, tuple(walk.left), is_last=not first)


class _Walk:
    """Goes through the nodes in running order; records what it can, and lists what is left.

    Attributes:
        left: names of the nodes that are not recorded.
    """

    def __init__(self, executor: Executor, given: Specs):
        self._executor, self._given = executor, given
        self.recorder = Recorder(active_backend())
        self._values: dict[str, Any] = {}
        self._inner: set[str] = set()  # nodes in loops and branches
        self.left: list[str] = []
        for reference, spec in given.items():
            if spec is not None and spec.dtype != "string":
                self._values[reference] = self.recorder.input(reference, spec)

    def add(self, name: str) -> None:
        """Record a node, or list it."""
        if self._is_inner(name) or not self._recorded(name):
            self.left.append(name)

    def _is_inner(self, name: str) -> bool:
        """Whether a node lies in a loop or on a branch: no run gives its value."""
        node = self._executor.node(name)
        begins = node.type in LOOP_TYPES and node.type != "Exit"
        goes_on = node.type != "Exit" and any(node_of(i) in self._inner for i in node.inputs)
        if begins or goes_on:
            self._inner.add(name)
        return begins or goes_on or node.type in LOOP_TYPES

    def _recorded(self, name: str) -> bool:
        executor = self._executor
        if name in executor.constants:
            self._values[name] = self.recorder.constant(name, executor.constants[name])
            return True
        step = executor.step(name)
        if step.in_run or step.node.type in executor.kernels:
            return False  # who knows what a user's function does beside its ops
        if not all(map(self._knows, step.needs)):
            return False
        try:
            with self.recorder.recording(name):
                result = executor.run_step(step, [existing(self._values, i) for i in step.inputs])
        except NeedsDataError:
            return False
        several = named_outputs(name, result) if isinstance(result, (list, tuple)) else ()
        self._values.update(several or ((name, result),))
        return True

    def _knows(self, reference: str) -> bool:
        constants = self._executor.constants
        is_new = reference not in self._values and reference not in self._given
        if is_new and reference in constants:
            self._values[reference] = self.recorder.constant(reference, constants[reference])
        return reference in self._values or self._is_known_node(reference)

    def _is_known_node(self, reference: str) -> bool:
        """Whether a node was recorded, and just lacks the output that is asked for."""
        return node_of(reference) in self._values and node_of(reference) not in self._given

    def plan(self, wanted: Sequence[str], passes: Sequence[ProgramPass]) -> Plan:
        """The plan for what was recorded: it gives what is wanted, and what is left needs."""
        needed = dict.fromkeys([*wanted, *self._needs_of_left()])
        found = [
            reference
            for reference in needed
            if isinstance(self._values.get(reference), Tensor)
            and reference not in self._given
            and reference not in self._executor.constants
        ]
        program = self.recorder.program([self._values[reference] for reference in found])
        inputs = [r for r, spec in self._given.items() if r in self._values]
        return make_plan(program, inputs, found, passes)

    def _needs_of_left(self) -> list[str]:
        needs = []
        for name in self.left:
            node = self._executor.node(name)
            needs += [self._executor.normalised(i.lstrip("^")) for i in node.inputs]
        return needs

    def before_heavy(self, known: Container[str]) -> tuple[str, ...]:
        """What the first heavy node that is left needs, beside what loops give on the way to it.

        With that a plan can go on. Nothing, if nothing heavy is left, or all it needs is there.
        """
        loops: list[str] = []
        for name in self.left:
            node = self._executor.node(name)
            if node.type == "Exit":
                loops.append(name)
            if name in self._inner or not self._is_heavy(node):
                continue
            needs = [self._executor.normalised(i.lstrip("^")) for i in node.inputs]
            unknown = [r for r in needs if r not in known and r not in self._executor.constants]
            if unknown:
                return tuple(dict.fromkeys([*unknown, *(n for n in loops if n not in known)]))
        return ()

    def _is_heavy(self, node: Node) -> bool:
        kind = None if node.type in self._executor.kernels else find_node_type(node.type)
        return kind is not None and kind.run in HEAVY_OPS
