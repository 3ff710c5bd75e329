"""Chains of element-wise steps over blocks that stay in the cache.

A chain is fused into a step, which applies it block by block to its result, or stands alone.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from core.backends.cpu.numpy_steps.elementwise import (
    ANY_FACTORS,
    INT32_OPS,
    element_works,
    temps_of,
)
from core.backends.cpu.numpy_steps.fixed_point import with_bias
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
    numpy_dtype,
)
from core.backends.cpu.numpy_steps.row_blocks import (
    ALL,
    BLOCK,
    Index,
    cut_into_blocks,
    expanded_shape,
    spread_to,
)
from core.backends.cpu.numpy_steps.thread_pool import cuts, parallel, task_count
from core.engine.program import HERE, Step
from core.engine.specs import Shape
from core.plan.integer_rounding import known_numbers

#: Functions of NumPy that are slow where an operand is one number.
_NEEDS_ROWS = frozenset({"maximum", "minimum"})

#: Values in blocks of steps that need no temporaries beside them.
_LONE_BLOCK = 1 << 17

#: Time of a pass for each value on one thread, roughly.
_NANOSECONDS = 0.4

#: Steps that take as long as several passes.
_PASSES = {
    **{"quantise_round": 4, "requantise": 5, "quanta_binary": 25, "prelu": 4},
    **dict.fromkeys(("sigmoid", "tanh", "exp", "elu"), 9),
}


class Chain(NamedTuple):
    """Element-wise steps over the result of a call, and the memory that they need.

    Operands that repeat along rows of pixels, such as a number for each channel, are repeated in
    memory until rows are long: constants once, other values at each run.

    Attributes:
        steps: element-wise steps; the input `HERE` is the result of the previous step.
        constants: known operands, in the form that the calls read.
        repeated: operands that are repeated in scratch, and the scratch.
        temps: number of temporary blocks for each task.
        block: values in each block.
        tasks: number of parts of the result that are computed in parallel.
    """

    steps: tuple[Step, ...]
    constants: Mapping[str, np.ndarray]
    repeated: Mapping[str, Scratch]
    temps: int
    block: int
    tasks: int = 1

    @property
    def nanoseconds(self) -> float:
        """Return the approximate time of the steps for a value in one thread."""
        return _NANOSECONDS * sum(_PASSES.get(step.op.name, 1) for step in self.steps)

    @property
    def scratch(self) -> tuple[Scratch, ...]:
        """Return the scratch of the steps, which must be the last of the lowering."""
        # A single value is computed as float64, too.
        temps = [Scratch((max(self.block, 2),))] * (self.temps * self.tasks)
        return (*self.repeated.values(), *temps)

    def bound(self, views: Views, result: np.ndarray) -> "BoundChain":
        """Bind the steps to one workspace."""
        return BoundChain(self, views, result)

    def over_all(self, views: Views, result: np.ndarray) -> list[Work]:
        """Return the calls for the whole result, in place: `HERE` of the first step."""
        bound = self.bound(views, result)
        work = []
        for task, index in enumerate(task_slices(result.shape, self.tasks)):
            part = result[index]
            work.append(bound.works(index, part, part, task))
        return [*bound.first, *parallel(work)]


def task_slices(shape: Shape, tasks: int) -> list[Index]:
    """Return the indices of parts of a result, of almost equal size.

    They are cut along the first axis that allows it, so that the rows of each can still be joined
    to long ones.

    >>> task_slices((9, 40, 3), 2)
    [(slice(None, None, None), slice(0, 20, None)), (slice(None, None, None), slice(20, 40, None))]
    >>> task_slices((18, 40, 3), 2)
    [(slice(0, 9, None),), (slice(9, 18, None),)]
    """
    if tasks == 1:
        return [ALL]
    outer = range(len(shape) - 1)
    longest = max(outer, key=shape.__getitem__)
    even = (a for a in outer if shape[a] % tasks == 0 or shape[a] >= 8 * tasks)
    axis = next(even, longest)
    return [(*[slice(None)] * axis, part) for part in cuts(shape[axis], tasks)]


class BoundChain:
    """Steps bound to the arrays of one workspace.

    Attributes:
        first: calls that must run before those of any block.
    """

    def __init__(self, chain: Chain, views: Views, result: np.ndarray):
        self._steps, self._shape, self._temps = chain.steps, result.shape, chain.temps
        scratch = list(views.scratch[len(views.scratch) - len(chain.scratch) :])
        repeated = dict(zip(chain.repeated, scratch, strict=False))
        self.first: list[Work] = [partial(np.copyto, a, views[r]) for r, a in repeated.items()]
        self._scratch = scratch[len(repeated) :]
        known = {**chain.constants, **repeated}
        names = dict.fromkeys(i for s in self._steps for i in s.inputs if i != HERE)
        self._operands = {r: known[r] if r in known else views[r] for r in names}

    def works(
        self, index: Index, values: np.ndarray, target: np.ndarray, task: int = 0
    ) -> list[Work]:
        """Return the calls for a block.

        Args:
            index: index of the block in the result; `ALL` for the whole result.
            values: values computed before, which the steps change.
            target: destination of the last step, which may be ``values``.
            task: task of the block; other tasks run at the same time.
        """
        if not self._steps:
            return [] if values is target else [partial(np.copyto, target, values)]
        operands = [spread_to(o, self._shape)[index] for o in self._operands.values()]
        scratch = self._scratch[task * self._temps :][: self._temps]
        most = BLOCK if scratch else _LONE_BLOCK
        works = []
        for part, out, *others in cut_into_blocks([values, target, *operands], most):
            works += self._of_block(scratch, part, out, others)
        return works

    def _of_block(
        self,
        scratch: list[np.ndarray],
        values: np.ndarray,
        target: np.ndarray,
        others: list[np.ndarray],
    ) -> list[Work]:
        named = {**dict(zip(self._operands, others, strict=True)), HERE: values}
        temps = [flat[: values.size].reshape(values.shape) for flat in scratch]
        works = []
        for step in self._steps:
            out = target if step is self._steps[-1] else values
            operands = [named[i] for i in step.inputs]
            works += element_works(step, operands, out, temps[: temps_of(step)])
        return works


def epilogue_chain(call: NumpyCall, *before: Step) -> Chain | None:
    """Return the chain of a call's epilogue over its result; None if a step cannot be chained.

    Args:
        call: the call.
        before: steps that precede the epilogue.
    """
    steps = (*before, *call.step.epilogue)
    if not all(_has_formula(call, step) for step in steps):
        return None
    steps, known = _with_numbers(call, tuple(_exact(call, step) for step in steps))
    read = {i: step.op.name in _NEEDS_ROWS for step in steps for i in step.inputs if i != HERE}
    result = call.result.shape
    constants, repeated = {}, {}
    for reference, numbers in read.items():
        array = known.get(reference, call.constant(reference))
        own = call.spec(reference).shape if array is None else array.shape
        shape = expanded_shape(own, result, numbers)
        if array is not None:
            constants[reference] = array if shape == own else call.packed(_spread(array, shape))
        elif prod(shape) > call.spec(reference).size and 2 * prod(shape) <= call.result.size:
            repeated[reference] = Scratch(shape, numpy_dtype(call.result).name)
    temps = max(map(temps_of, steps), default=0)
    return Chain(steps, constants, repeated, temps, min(BLOCK, call.result.size))


def _has_formula(call: NumpyCall, step: Step) -> bool:
    """Return whether a step can be computed in the dtype of the result."""
    dtype = call.result.dtype
    is_one = all(call.spec(i).dtype == dtype for i in step.inputs if i != HERE)
    if dtype == "int32":
        return is_one and step.op.name in INT32_OPS
    return is_one and dtype == "float32" and step.op.traits.elementwise


def _exact(call: NumpyCall, step: Step) -> Step:
    """Return the step, with the slower formula unless its factors are known to be finite."""
    if step.op.name != "prelu":
        return step
    factors = call.constant(step.inputs[1])
    is_finite = factors is not None and np.isfinite(factors).all()
    return step if is_finite else step._replace(attributes=ANY_FACTORS)


def _with_numbers(
    call: NumpyCall, steps: tuple[Step, ...]
) -> tuple[tuple[Step, ...], dict[str, np.ndarray]]:
    """Return the steps, and by reference what `requantise` reads; it may add a bias, too."""
    made: list[Step] = []
    known: dict[str, np.ndarray] = {}
    for step in steps:
        if step.op.name == "requantise":
            upper, lower = step.inputs[1:]
            constants = call.program.constants
            numbers = known_numbers(constants[upper], constants[lower], step.attributes)
            bias = _bias(call, made[-1]) if made else None
            joined = None if bias is None else with_bias(bias, *numbers, step.attributes)
            if joined is not None:
                del made[-1]
            parts = numbers[1] if joined is None else joined
            known |= {upper: call.packed(numbers[0]), lower: call.packed(parts)}
        made.append(step)
    return tuple(made), known


def _bias(call: NumpyCall, step: Step) -> np.ndarray | None:
    """Return the constant that a step adds to the result before it."""
    x, *others = step.inputs
    return call.constant(others[0]) if step.op.name == "add" and x == HERE else None


def _spread(array: np.ndarray, shape: Shape) -> np.ndarray:
    """Return the values repeated in memory."""
    return np.array(np.broadcast_to(array, shape), order="C")


@lowers("elementwise")
def lower_elementwise(call: NumpyCall) -> Lowered | None:
    """Lower an element-wise step of any op and its epilogue, block by block."""
    steps = epilogue_chain(call, call.step)
    if steps is None:
        return None
    steps = _in_tasks(steps, call.result.shape)
    return Lowered("elementwise", lambda v: steps.over_all(v, v[call.step.name]), steps.scratch)


def with_epilogue(
    call: NumpyCall,
    kernel: str,
    bind: Callable[[Views], list[Work]],
    scratch: Sequence[Scratch] = (),
) -> Lowered | None:
    """Return a lowering of calls followed by the epilogue over the whole result; None if empty."""
    steps = epilogue_chain(call)
    if steps is None or not call.result.size:
        return None
    steps = _in_tasks(steps, call.result.shape)
    return Lowered(
        kernel,
        lambda views: [*bind(views), *steps.over_all(views, views[call.step.name])],
        (*scratch, *steps.scratch),
    )


def _in_tasks(steps: Chain, result: Shape) -> Chain:
    time = steps.nanoseconds * prod(result)
    return steps._replace(tasks=task_count(time, max(result[:-1], default=1)))
