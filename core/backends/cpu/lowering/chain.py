"""Element-wise steps one after the other, over blocks that stay in the cache.

They are fused into any step, which applies them block by block to its result, or stand alone.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from core.backends.cpu.lowering.elementwise import ANY_SLOPES, INT32_OPS, element_works, temps_of
from core.backends.cpu.lowering.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    lowers,
    numpy_dtype,
)
from core.backends.cpu.lowering.row_blocks import (
    ALL,
    BLOCK,
    Index,
    cut_into_blocks,
    expanded_shape,
    spread_to,
)
from core.backends.cpu.lowering.thread_pool import cuts, parallel, task_count
from core.plan.program import HERE, Step
from core.specs import Shape

#: Functions of NumPy that are slow where an operand is one number.
_NEEDS_ROWS = frozenset({"maximum", "minimum"})

#: Values in blocks of steps that need no temporaries beside them.
_LONE_BLOCK = 1 << 17

#: What a pass over values takes one thread for each, roughly.
_NANOSECONDS = 0.4

#: Steps that take as long as several passes.
_PASSES = {"quantise_round": 4, "prelu": 4, **dict.fromkeys(("sigmoid", "tanh", "exp", "elu"), 9)}


class Chain(NamedTuple):
    """Steps over the result of a call, and the memory that they need.

    Operands that repeat along rows of pixels, such as a number for each channel, are repeated in
    memory until rows are long: constants once, values at each run.

    Attributes:
        steps: element-wise; `HERE` is what the one before gave.
        constants: operands that are known, as they are read.
        repeated: operands that are repeated in scratch, and that.
        temps: how many blocks of scratch, in each lane.
        block: values in each.
        lanes: how many parts of the result are computed side by side.
    """

    steps: tuple[Step, ...]
    constants: Mapping[str, np.ndarray]
    repeated: Mapping[str, Scratch]
    temps: int
    block: int
    lanes: int = 1

    def in_lanes(self, lanes: int) -> "Chain":
        """The same for parts that are computed side by side."""
        return self._replace(lanes=lanes)

    @property
    def nanoseconds(self) -> float:
        """What the steps take one thread for a value, roughly."""
        return _NANOSECONDS * sum(_PASSES.get(step.op.name, 1) for step in self.steps)

    @property
    def scratch(self) -> tuple[Scratch, ...]:
        """What the steps need; it has to be the last of its lowering's."""
        temps = [Scratch((self.block,))] * (self.temps * self.lanes)
        return (*self.repeated.values(), *temps)

    def bound(self, views: Views, result: np.ndarray) -> "BoundChain":
        """The steps in one workspace."""
        return BoundChain(self, views, result)

    def over_all(self, views: Views, result: np.ndarray) -> list[Work]:
        """The calls for the whole result, in place; `HERE` in the first step is what is there."""
        bound = self.bound(views, result)
        work = []
        for lane, index in enumerate(lane_indices(result.shape, self.lanes)):
            part = result[index]
            work.append(bound.works(index, part, part, lane))
        return [*bound.first, *parallel(work)]


def lane_indices(shape: Shape, lanes: int) -> list[Index]:
    """A result in parts of almost the same size.

    They are cut along the first axis that allows it, so that the rows of each can still be joined
    to long ones.

    >>> lane_indices((9, 40, 3), 2)
    [(slice(None, None, None), slice(0, 20, None)), (slice(None, None, None), slice(20, 40, None))]
    >>> lane_indices((18, 40, 3), 2)
    [(slice(0, 9, None),), (slice(9, 18, None),)]
    """
    if lanes == 1:
        return [ALL]
    outer = range(len(shape) - 1)
    longest = max(outer, key=shape.__getitem__)
    even = (a for a in outer if shape[a] % lanes == 0 or shape[a] >= 8 * lanes)
    axis = next(even, longest)
    return [(*[slice(None)] * axis, part) for part in cuts(shape[axis], lanes)]


class BoundChain:
    """Steps, bound to the arrays of one workspace.

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
        self, index: Index, values: np.ndarray, target: np.ndarray, lane: int = 0
    ) -> list[Work]:
        """The calls for a block.

        Args:
            index: of the block in the result; `ALL` of it.
            values: what was computed there before; the steps change it.
            target: where the last step writes, which may be the same array.
            lane: of the block; others run at the same time.
        """
        if not self._steps:
            return [] if values is target else [partial(np.copyto, target, values)]
        operands = [spread_to(o, self._shape)[index] for o in self._operands.values()]
        scratch = self._scratch[lane * self._temps :][: self._temps]
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


def chain_of(call: NumpyCall, steps: Sequence[Step]) -> Chain | None:
    """Steps over the result of a call; None if one does not work on what it is given."""
    if not all(_has_formula(call, step) for step in steps):
        return None
    steps = [_exact(call, step) for step in steps]
    read = {i: step.op.name in _NEEDS_ROWS for step in steps for i in step.inputs if i != HERE}
    result = call.result.shape
    constants, repeated = {}, {}
    for reference, numbers in read.items():
        own, array = call.spec(reference).shape, call.constant(reference)
        shape = expanded_shape(own, result, numbers)
        if array is not None:
            constants[reference] = array if shape == own else call.packed(_spread(array, shape))
        elif prod(shape) > call.spec(reference).size and 2 * prod(shape) <= call.result.size:
            repeated[reference] = Scratch(shape, numpy_dtype(call.result).name)
    temps = max(map(temps_of, steps), default=0)
    return Chain(tuple(steps), constants, repeated, temps, min(BLOCK, call.result.size))


def _has_formula(call: NumpyCall, step: Step) -> bool:
    """Whether a step can be computed in the dtype of the result."""
    dtype = call.result.dtype
    is_one = all(call.spec(i).dtype == dtype for i in step.inputs if i != HERE)
    if dtype == "int32":
        return is_one and step.op.name in INT32_OPS
    return is_one and dtype == "float32" and step.op.traits.elementwise


def _exact(call: NumpyCall, step: Step) -> Step:
    """The step, with the slower formula where slopes are not known to be finite."""
    if step.op.name != "prelu":
        return step
    slopes = call.constant(step.inputs[1])
    is_finite = slopes is not None and np.isfinite(slopes).all()
    return step if is_finite else step._replace(attributes=ANY_SLOPES)


def _spread(array: np.ndarray, shape: Shape) -> np.ndarray:
    """The values repeated in memory."""
    return np.array(np.broadcast_to(array, shape), order="C")


def epilogue_chain(call: NumpyCall) -> Chain | None:
    """The epilogue of a step, over its result."""
    return chain_of(call, call.step.epilogue)


@lowers("elementwise")
def lower_elementwise(call: NumpyCall) -> Lowered | None:
    """The step and its epilogue, block by block; the lowering of all element-wise ops."""
    steps = chain_of(call, (call.step, *call.step.epilogue))
    if steps is None:
        return None
    steps = _in_lanes(steps, call.result.shape)
    return Lowered("elementwise", lambda v: steps.over_all(v, v[call.step.name]), steps.scratch)


def with_epilogue(
    call: NumpyCall,
    kernel: str,
    bind: Callable[[Views], list[Work]],
    scratch: Sequence[Scratch] = (),
) -> Lowered | None:
    """A lowering of calls, and then the epilogue over the whole result; None if it is empty."""
    steps = epilogue_chain(call)
    if steps is None or not call.result.size:
        return None
    steps = _in_lanes(steps, call.result.shape)
    return Lowered(
        kernel,
        lambda views: [*bind(views), *steps.over_all(views, views[call.step.name])],
        (*scratch, *steps.scratch),
    )


def _in_lanes(steps: Chain, result: Shape) -> Chain:
    time = steps.nanoseconds * prod(result)
    return steps.in_lanes(task_count(time, max(result[:-1], default=1)))
