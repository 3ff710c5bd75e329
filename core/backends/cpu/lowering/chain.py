"""Element-wise nodes one after the other, over blocks that stay in the cache."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from core.backends.cpu.lowering.elementwise import element_works, temps_of
from core.backends.cpu.lowering.rows import BLOCK, expanded_shape, parts
from core.backends.cpu.lowering.table import Call, Lowered, Scratch, Views, Work, lowers
from core.graph.nodes import Node
from core.plan.elementwise import ELEMENTWISE_OPS
from core.plan.program import HERE, epilogue_of
from core.specs import Shape

#: Functions of NumPy that are slow where an operand is one number.
_NEEDS_ROWS = frozenset({"maximum", "minimum"})

#: Ops of int32 that are the same function of NumPy as of float32.
_WHOLE = frozenset({"add", "sub", "mul", "maximum", "minimum"})


class Chain(NamedTuple):
    """Steps over the result of a call, and the memory that they need.

    Operands that repeat along rows of pixels, such as a number for each channel, are repeated in
    memory until rows are long: constants once, values at each run.

    Attributes:
        steps: element-wise nodes; `HERE` is what the one before gave.
        constants: operands that are known, as they are read.
        repeated: operands that are repeated in scratch, and their shapes there.
        temps: how many blocks of scratch.
        block: values in each.
    """

    steps: tuple[Node, ...]
    constants: Mapping[str, np.ndarray]
    repeated: Mapping[str, Shape]
    temps: int
    block: int

    @property
    def scratch(self) -> tuple[Scratch, ...]:
        """What the steps need; it has to be the last of its lowering's."""
        rows = (Scratch(shape) for shape in self.repeated.values())
        return (*rows, *[Scratch((self.block,))] * self.temps)

    def works(self, views: Views, out: np.ndarray) -> list[Work]:
        """The calls; `HERE` in the first step is ``out``, where the result goes, too."""
        count = len(self.repeated) + self.temps
        scratch = views.scratch[len(views.scratch) - count :]
        repeated = dict(zip(self.repeated, scratch, strict=False))
        works: list[Work] = [partial(np.copyto, repeated[r], views[r]) for r in repeated]
        known = {**self.constants, **repeated}
        references = dict.fromkeys(i for s in self.steps for i in s.inputs if i != HERE)
        operands = [known[r] if r in known else views[r] for r in references]
        arrays = [out, *(np.broadcast_to(a, out.shape) for a in operands)]
        for part, *others in parts(arrays) if self.steps else ():
            named = dict(zip(references, others, strict=True))
            temps = [t[: part.size].reshape(part.shape) for t in scratch[len(repeated) :]]
            works += self._block(part, named, temps)
        return works

    def _block(
        self, out: np.ndarray, operands: Mapping[str, np.ndarray], temps: Sequence[np.ndarray]
    ) -> list[Work]:
        """What is between steps has its own place: the buffer of ``out`` may be a later operand's.

        It is the last of the temporaries.
        """
        works, here = [], out
        for step in self.steps:
            to = out if step is self.steps[-1] else temps[-1]
            given = [here if i == HERE else operands[i] for i in step.inputs]
            works += element_works(step, given, to, temps[: temps_of(step)])
            here = to
        return works


def chain(call: Call, steps: Sequence[Node]) -> Chain | None:
    """Steps over the result of a call; None if one does not work on what it is given."""
    read = {i: step.type in _NEEDS_ROWS for step in steps for i in step.inputs if i != HERE}
    dtypes = {call.spec(r).dtype for r in (call.node.name, *read)}
    known = {"float32": ELEMENTWISE_OPS, "int32": _WHOLE}.get(call.result.dtype, frozenset())
    if steps and (len(dtypes) > 1 or not known.issuperset(step.type for step in steps)):
        return None
    result = call.result.shape
    constants, repeated = {}, {}
    for reference, numbers in read.items():
        own, array = call.spec(reference).shape, call.constant(reference)
        shape = expanded_shape(own, result, numbers)
        if array is not None:
            constants[reference] = array if shape == own else call.packed(_spread(array, shape))
        elif prod(shape) > call.spec(reference).size and 2 * prod(shape) <= call.result.size:
            repeated[reference] = shape
    temps = max(map(temps_of, steps), default=0) + (len(steps) > 1)
    return Chain(tuple(steps), constants, repeated, temps, min(BLOCK, call.result.size))


def _spread(array: np.ndarray, shape: Shape) -> np.ndarray:
    """The values repeated in memory."""
    return np.array(np.broadcast_to(array, shape), order="C")


def epilogue(call: Call) -> Chain | None:
    """The epilogue of a node, over its result."""
    return chain(call, epilogue_of(call.node))


@lowers(*ELEMENTWISE_OPS)
def lower_elementwise(call: Call) -> Lowered | None:
    """The node and its epilogue, block by block."""
    steps = chain(call, (call.node, *epilogue_of(call.node)))
    if steps is None:
        return None
    return Lowered("elementwise", lambda v: steps.works(v, v[call.node.name]), steps.scratch)


def with_epilogue(
    call: Call, kernel: str, bind: Callable[[Views], list[Work]], scratch: Sequence[Scratch] = ()
) -> Lowered | None:
    """A lowering of calls, and then the epilogue over the whole result; None if it is empty."""
    steps = epilogue(call)
    if steps is None or not call.result.size:
        return None
    return Lowered(
        kernel,
        lambda views: [*bind(views), *steps.works(views, views[call.node.name])],
        (*scratch, *steps.scratch),
    )
