"""Loops as one plan: body and condition of a While node, compiled for the shapes of its variables.

Calls of the functions remain the definition of what a loop does, and run where there is no plan: if
shapes change from one iteration to the next, if nodes in the loop depend on data otherwise, or if
something fails, so that the error names its node.
"""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from core.engine.limits import LimitError
from core.engine.run_guard import RunCancelledError, active_guard, check_active
from core.engine.settings import active_backend
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.errors import MISUSE, CoreError
from core.graph.executor import Call, Executor
from core.graph.node_types.lists import TensorList
from core.plan.cache import MOST_IDLE_BYTES, LruCache
from core.plan.function_recorder import FunctionRecorder
from core.plan.loop_lists import ListForm, ListVariable, TracedList
from core.plan.passes import ProgramPass
from core.plan.plan import Plan, make_plan
from core.plan.tracing import DataDependentError, Tracer

#: Iterations after which a plan is made: it takes as long as some dozens of them.
FIRST_ITERATIONS = 8

#: The number of plans of all loops of a graph; the least recently used one goes.
MOST_LOOPS = 64

Form = Spec | ListForm


class LoopPlans:
    """The plans of a graph's loops. Threads may share it.

    Args:
        passes: passes for programs.
    """

    def __init__(self, passes: Sequence[ProgramPass]):
        self._passes = passes
        self._plans: LruCache[Hashable, LoopPlan | None] = LruCache(MOST_LOOPS)

    def finished(self, call: Call, values: Sequence[Any], steps: int) -> Sequence[Any] | None:
        """Return the variables after the last iteration, as `core.graph.executor.LoopRunner` says.

        A new plan is made after some iterations only.
        """
        if steps not in (0, FIRST_ITERATIONS) or not active_backend().has_loops:
            return None
        forms = [_form(value) for value in values]
        if None in forms:
            return None
        key = call.executor.name, call.node.name, tuple(forms)
        make = partial(_planned, call, values, self._passes)
        is_due = steps == FIRST_ITERATIONS
        plan = self._plans.get(key, make) if is_due else self._plans.find(key)
        return None if plan is None else plan.run(values)


def _form(value: Any) -> Form | None:
    """Return what decides the plan about a variable; None for what no plan can have."""
    if isinstance(value, Tensor):
        return value.spec
    return ListForm.of(value) if isinstance(value, TensorList) else None


class TensorVariable(NamedTuple):
    """A variable that is a tensor, by references in the program; none: a constant, or kept."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def feeds(self, value: Tensor) -> dict[str, Any]:
        """Return the value of the input."""
        return dict.fromkeys(self.inputs, value)

    def after(self, value: Tensor, found: Mapping[str, Tensor]) -> Tensor:
        """Return the value after the loop."""
        return found[self.outputs[0]] if self.outputs else value


class LoopPlan(NamedTuple):
    """The plan of a loop, and its variables."""

    plan: Plan
    variables: Sequence[TensorVariable | ListVariable]

    def run(self, values: Sequence[Any]) -> Sequence[Any] | None:
        """Return the variables after the last iteration, of which there is one at least.

        Returns:
            The values; None if the plan cannot compute them: calls of the functions do, or say why.

        Raises:
            LimitError: the iterations are too many, or take too long.
        """
        guard = active_guard()
        if guard is not None and not self.plan.fits(guard.limits):
            return None
        steps = 0 if guard is None else guard.loop_steps
        pairs = [*zip(self.variables, values, strict=True)]
        feeds: dict[str, Any] = {}
        try:
            for variable, value in pairs:
                feeds.update(variable.feeds(value))
        except CoreError:  # a list as one array may exceed a limit that its elements keep
            return None
        try:
            found = self.plan.run(feeds)
        except (LimitError, RunCancelledError):
            raise
        except CoreError:
            if guard is not None:
                guard.loop_steps = steps  # they run once more
            return None
        if guard is not None:
            for value in found.values():
                guard.hold(value.container.id, value.spec.bytes)
        return [variable.after(value, found) for variable, value in pairs]


def _planned(call: Call, values: Sequence[Any], passes: Sequence[ProgramPass]) -> LoopPlan | None:
    """Return the plan of a loop whose variables have such values; None without one."""
    check_active()
    try:
        return _LoopTrace(call, values).planned(passes)
    except (CoreError, DataDependentError, *MISUSE):  # what is wrong, calls say
        return None


class _LoopTrace:
    """The program of a loop.

    Args:
        call: node of the loop.
        values: its variables.
    """

    def __init__(self, call: Call, values: Sequence[Any]):
        self._tracer = tracer = Tracer(active_backend().epsilon)
        body, condition = call.function("body"), call.function("cond")
        sources = [call.executor.normalised(r) for r in call.node.inputs if not r.startswith("^")]
        sizes = {len(values), len(sources), len(body.arguments), len(body.results)}
        if len(sizes) > 1 or len(condition.arguments) != len(values):
            raise DataDependentError("the functions do not take the variables")
        constants = call.executor.constants
        self._before: list[Any] = []
        results = map(partial(_source, body), body.results)
        for name, source, value, result in zip(
            body.arguments, sources, values, results, strict=True
        ):
            if isinstance(value, TensorList):
                self._before.append(TracedList(tracer, name, ListForm.of(value)))
            elif source in constants and result == name:
                self._before.append(tracer.constant(name, value))
            else:
                self._before.append(tracer.input(name, value.spec))
        self._after = FunctionRecorder(body, tracer, self._before).results()
        self._condition = FunctionRecorder(condition, tracer, self._after).results()[0]

    def planned(self, passes: Sequence[ProgramPass]) -> LoopPlan:
        """Return the plan."""
        outputs: list[Tensor] = []
        updates: list[tuple[str, int]] = []
        variables: list[TensorVariable | ListVariable] = []
        for before, after in zip(self._before, self._after, strict=True):
            kind = _list_parts if isinstance(before, TracedList) else _tensor_parts
            olds, news = kind(before, after)
            inputs = tuple(old.handle.reference for old in olds)
            names = tuple(str(len(outputs) + i) for i in range(len(news)))
            updates += [(r, len(outputs) + i) for i, r in enumerate(inputs[: len(news)])]
            outputs += news
            if isinstance(before, TracedList):
                specs = tuple(old.spec for old in olds)
                variables.append(ListVariable(before.form, specs, inputs, names))
            else:
                variables.append(TensorVariable(inputs, names))
        if self._condition.spec != Spec((), "bool") and self._condition.size != 1:
            raise DataDependentError("the condition is not one value")
        program = self._tracer.program([*outputs, self._condition])
        numbers = {reference: number for number, reference in enumerate(program.inputs)}
        program = program._replace(
            updates=tuple((numbers[r], number) for r, number in updates), repeats=len(outputs)
        )
        names_of_outputs = [str(i) for i in range(len(outputs) + 1)]
        plan = make_plan(program, program.inputs, names_of_outputs, passes)
        plan.keep_idle(int(plan.arena_bytes <= MOST_IDLE_BYTES // MOST_LOOPS))
        return LoopPlan(plan, variables)


def _source(body: Executor, reference: str) -> str:
    """Return what a reference to a chain of Identity nodes refers to."""
    while (node := body.nodes.get(reference)) is not None and node.type == "Identity":
        reference = body.normalised(node.inputs[0])
    return reference


def _tensor_parts(before: Tensor, after: Any) -> tuple[list[Tensor], list[Tensor]]:
    """Return the input of a variable, and the output; neither for constants."""
    if not isinstance(after, Tensor) or after.spec != before.spec:
        raise DataDependentError("a variable changes its shape")
    if before.handle.array is not None:
        return [], []
    return [before], [] if after is before else [after]


def _list_parts(before: TracedList, after: Any) -> tuple[list[Tensor], list[Tensor]]:
    """Return the inputs of a list, and the outputs; none if it is only read."""
    if not isinstance(after, TracedList) or after.first is not before:
        raise DataDependentError("a list becomes another one")
    olds = [part for part in (before.items, before.marks) if part is not None]
    news = [part for part in (after.items, after.marks) if part is not None]
    return olds, [] if after is before else news
