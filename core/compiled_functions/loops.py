"""Loops in compiled functions: a function of each row of some tensors becomes one step.

The function is traced once. Its steps are the body of a loop over the rows, which is a plan of its
own, so that neither tracing nor compiling takes longer for more rows. The gradient is a loop over
the rows in the other order: from the states before each row, which the first loop keeps, its body
computes the steps of the function again, and then their gradients.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from core import ops
from core.autodiff.tape import Tape, filled
from core.engine.backend import Backend
from core.engine.dispatch import handle_on, wrap
from core.engine.dtypes import dtype_of
from core.engine.observers import active_observers, observing, unobserved
from core.engine.program import ABSENT, Step
from core.engine.settings import active_backend, running_on
from core.engine.specs import Spec
from core.engine.tensors import Tensor, tensors_in
from core.engine.trace_hook import LoopResults, RowFunction
from core.plan.loop_op import LOOP
from core.plan.passes import PROGRAM_PASSES, merge_equal
from core.plan.plan import Plan, make_plan
from core.plan.tracing import DataDependentError, Symbol, Tracer

if TYPE_CHECKING:
    from core.engine.operation import Op
    from core.engine.variables import Variable


class _Body(NamedTuple):
    """One iteration of a loop: steps, and references in the program that they were recorded for.

    Attributes:
        steps: in execution order.
        constants: arrays that the steps read.
        states: inputs that change from one iteration to the next.
        rows: inputs that are a row of a tensor.
        shared: inputs that are equal in all iterations.
        news: the states of the next iteration.
        results: outputs of each iteration.
    """

    steps: Sequence[Step]
    constants: Mapping[str, np.ndarray]
    states: Sequence[str]
    rows: Sequence[str]
    shared: Sequence[str]
    news: Sequence[str]
    results: Sequence[str]

    @property
    def read_states(self) -> list[int]:
        """The numbers of the states that a step reads."""
        read = {reference for step in self.steps for reference in step.reads()}
        return [i for i, reference in enumerate(self.states) if reference in read]

    def parts(self, inputs: Sequence[Tensor]) -> tuple[Sequence[Tensor], ...]:
        """Return states, rows and shared inputs, which follow one another in a list."""
        first, last = len(self.states), len(self.states) + len(self.rows)
        return inputs[:first], inputs[first:last], inputs[last:]

    def run(self, inputs: Iterable[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        """Run the steps as ops on states, rows and shared inputs; return news and results."""
        backend = active_backend()
        values = dict(zip((*self.states, *self.rows, *self.shared), inputs, strict=True))
        for reference, array in self.constants.items():
            spec = Spec(array.shape, dtype_of(array))
            values[reference] = wrap(backend, Symbol(reference, array), spec)
        for step in self.steps:
            given = [None if r == ABSENT else values[r] for r in step.inputs]
            made = step.op(*step.arguments(given), **step.attributes)
            several = made if isinstance(made, (list, tuple)) else [made]
            values.update(zip(step.outputs, several, strict=True))
        return [values[r] for r in self.news], [values[r] for r in self.results]


class LoopMaker(NamedTuple):
    """Adds loops to a program.

    Attributes:
        tracer: records the program.
        backend: what the program is for; it has loops.
    """

    tracer: Tracer
    backend: Backend

    def loop(
        self,
        function: RowFunction,
        states: Sequence[Tensor],
        rows: Sequence[Tensor],
        *,
        backwards: bool,
    ) -> LoopResults:
        """Add a loop, as `core.engine.trace_hook.FunctionTrace.loop` says."""
        traced = self._traced(function, states, rows)
        if traced is None:
            return None
        body, shared = traced
        inputs, count = [*states, *rows, *shared], len(states) + len(body.results)
        tapes = [each for each in active_observers() if isinstance(each, Tape)]
        if tapes:
            kept = [body.states[i] for i in body.read_states]
            body = body._replace(results=(*body.results, *kept))
        outputs = self._run(body, inputs, rows[0].shape[0], backwards=backwards)
        reached = {each.id for each in inputs if any(each.id in tape.reached for tape in tapes)}
        gradient = _Gradient(self, body, inputs, outputs[count:], reached, not backwards)
        for tape in tapes:
            # Outer tapes see the gradient, which reads what is kept.
            known = outputs[:count] if tape is tapes[-1] else outputs
            tape.record_custom("loop", inputs, known, gradient.flows)
        return outputs[: len(states)], outputs[len(states) : count]

    def _traced(
        self, function: RowFunction, states: Sequence[Tensor], rows: Sequence[Tensor]
    ) -> tuple[_Body, list[Tensor]] | None:
        """Return the body and what it shares; None if it cannot be run again with its gradient."""
        tracer = self.tracer
        olds = [tracer.placeholder("state", each.spec) for each in states]
        items = [tracer.placeholder("row", Spec(r.shape[1:], r.dtype)) for r in rows]
        with unobserved(Tape) as tapes, tracer.apart() as steps:
            seen = _Seen(tapes)
            with observing(seen):
                news, results = function(olds, items)
        made = {reference for step in steps for reference in step.outputs}
        if [each.spec for each in news] != [each.spec for each in states]:
            return None
        if tapes and not seen.has_all(made):
            return None
        old, item, new, result = (
            tuple(tracer.reference(handle_on(tracer, each)) for each in values)
            for values in (olds, items, news, results)
        )
        read = dict.fromkeys((*(r for step in steps for r in step.reads()), *new, *result))
        outer = [r for r in read if r not in made and r not in {*old, *item}]
        constants = {r: tracer.constants[r] for r in outer if r in tracer.constants}
        shared = [r for r in outer if r not in constants]
        body = _Body(tuple(steps), constants, old, item, tuple(shared), new, result)
        return body, [seen.values[r] if r in seen.values else tracer.value(r) for r in shared]

    def _run(
        self, body: _Body, inputs: Sequence[Tensor], count: int, *, backwards: bool
    ) -> list[Tensor]:
        """Add the step that runs a body; return the last states, and the rows of the results."""
        plan = self._planned(body, [each.spec for each in inputs], count, backwards=backwards)
        specs = [*plan.outputs.values()][: len(body.news) + len(body.results)]
        symbols = [handle_on(self.tracer, each) for each in inputs]
        made = self.tracer.add_step(LOOP, symbols, {"plan": plan}, specs)
        return [wrap(self.tracer, *pair) for pair in zip(made, specs, strict=True)]

    def _planned(self, body: _Body, specs: Sequence[Spec], count: int, *, backwards: bool) -> Plan:
        """Return the plan of a loop.

        Args:
            body: what runs in each iteration.
            specs: of states, rows and shared inputs.
            count: the number of rows.
            backwards: whether the last row is the first.
        """
        tracer = Tracer(self.backend.epsilon)
        given = [tracer.input("given", spec) for spec in specs]
        states, rows, shared = body.parts(given)
        index = tracer.input("index", Spec((), "int32"))
        with tracer.recording(""):
            at = ops.sub(count - 1, index) if backwards else index
            items = [ops.gather(each, at, axis=0) for each in rows]
            news, results = body.run([*states, *items, *shared])
            stacks = [tracer.input("rows", Spec((count, *r.shape), r.dtype)) for r in results]
            place = ops.reshape(at, shape=(1, 1))
            stacked = [
                ops.tensor_scatter_update(stack, place, ops.reshape(r, shape=(1, *r.shape)))
                for stack, r in zip(stacks, results, strict=True)
            ]
            following = ops.add(index, 1)
            goes_on = ops.less(following, count)
        changed = [*news, *stacked, following]
        program = tracer.program([*changed, goes_on])
        numbers = {reference: number for number, reference in enumerate(program.inputs)}
        olds = [each.handle.reference for each in (*states, *stacks, index)]
        program = program._replace(
            updates=tuple((numbers[r], i) for i, r in enumerate(olds)), repeats=len(changed)
        )
        names = [f"output {i}" for i in range(len(program.outputs))]
        with running_on(self.backend):
            return make_plan(program, program.inputs, names, (merge_equal, *PROGRAM_PASSES))


class _Gradient(NamedTuple):
    """The gradient of a loop.

    Attributes:
        maker: adds the loop over the rows in the other order.
        body: what runs in each iteration; its last results are the states that it reads.
        inputs: states, rows and shared inputs.
        kept: the rows of these last results.
        reached: the ids of the inputs that gradients flow into.
        backwards: whether the gradient begins with the last row.
    """

    maker: LoopMaker
    body: _Body
    inputs: Sequence[Tensor]
    kept: Sequence[Tensor]
    reached: Set[int]
    backwards: bool

    def flows(self, *dys: Tensor) -> list[Tensor | None]:
        """Return the gradient of each input.

        Args:
            *dys: gradients of the last states and of the rows of the results, of which those that
                are kept may be missing.
        """
        states, rows, shared = self.body.parts(self.inputs)
        first = len(states)
        sums = [filled(each.spec, 0.0) for each in shared if self._is_reached(each)]
        made = self.maker.loop(
            self._of_one_row,
            [*dys[:first], *sums],
            [*dys[first:], *self.kept, *rows],
            backwards=self.backwards,
        )
        if made is None:
            raise DataDependentError("takes a gradient of a loop's gradient")
        found, of_rows = made
        left = iter([*of_rows, *found[first:]])
        others = [next(left) if self._is_reached(each) else None for each in (*rows, *shared)]
        return [*found[:first], *others]

    def _is_reached(self, value: Tensor) -> bool:
        return value.id in self.reached and value.dtype == "float32"

    def _of_one_row(
        self, states: Sequence[Tensor], items: Sequence[Tensor]
    ) -> tuple[list[Tensor], list[Tensor]]:
        """Return the gradients of states and the sums for shared inputs, then those of the row.

        Args:
            states: gradients of the next states, and the sums so far.
            items: rows of the gradients of results, of what is kept, and of the inputs.
        """
        body, read = self.body, self.body.read_states
        olds, rows, shared = body.parts(self.inputs)
        first = len(olds)
        dys = items[: len(items) - len(self.kept) - len(rows)]
        kept = iter(items[len(dys) : len(dys) + len(self.kept)])
        here = items[len(dys) + len(self.kept) :]
        before = [
            next(kept) if i in read else filled(each.spec, 0.0) for i, each in enumerate(olds)
        ]
        wanted_rows = [h for h, each in zip(here, rows, strict=True) if self._is_reached(each)]
        wanted = [each for each in shared if self._is_reached(each)]
        tape = Tape([*before, *wanted_rows, *wanted])
        with observing(tape):
            news, results = body.run([*before, *here, *shared])
        pairs = zip((*news, *results), (*states[:first], *dys), strict=False)
        found = tape.walk_from(pairs)
        of_states, of_rows = (
            [found[x.id] if x.id in found else filled(x.spec, 0.0) for x in xs]
            for xs in (before, wanted_rows)
        )
        sums = [
            ops.add(total, found[x.id]) if x.id in found else total
            for total, x in zip(states[first:], wanted, strict=True)
        ]
        return [*of_states, *sums], of_rows


class _Seen(Tape):
    """Sees what ops of a body read, and hands readings of variables to the tapes around the loop.

    Attributes:
        values: the first tensor for each reference.
    """

    __slots__ = ("_has_gradient", "_made", "_tapes", "values")

    def __init__(self, tapes: Sequence[Tape]):
        super().__init__()
        self._tapes, self._has_gradient = tapes, False
        self._made: set[str] = set()
        self.values: dict[str, Tensor] = {}

    def record(
        self, op: "Op", inputs: Sequence, attributes: dict[str, Any], outputs: Any, seconds: float
    ) -> None:
        """Note the tensors."""
        for value in tensors_in([inputs, outputs]):
            if isinstance(value.handle, Symbol):
                self.values.setdefault(value.handle.reference, value)
        self._made.update(value.handle.reference for value in tensors_in(outputs))

    def record_custom(self, *_: Any) -> None:
        """Note that a function has a gradient of its own."""
        self._has_gradient = True

    def read(self, variable: "Variable", value: Tensor) -> None:
        """Let the tapes watch the variable."""
        for tape in self._tapes:
            tape.read(variable, value)

    def has_all(self, made: Set[str]) -> bool:
        """Return whether all values have the gradients of the ops that made them."""
        return not self._has_gradient and made <= self._made
