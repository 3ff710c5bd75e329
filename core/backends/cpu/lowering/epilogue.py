"""The element-wise steps after a node, block by block while its result is at hand."""

from functools import partial

import numpy as np

from core.backends.cpu.lowering.chain import Chain
from core.backends.cpu.lowering.elementwise import element_works, temps_of
from core.backends.cpu.lowering.rows import BLOCK, parts
from core.backends.cpu.lowering.table import Views, Work
from core.plan.program import HERE

#: Values that steps go over one after the other, where they need no temporaries beside them.
_PART = 1 << 17


class Epilogue:
    """The steps of a node, bound to the arrays of one workspace.

    Args:
        steps: of the node; its scratch is the last of the lowering's.
        views: of the node.
        result: the array of its result.

    Attributes:
        first: calls that must run before those of any block.
    """

    def __init__(self, steps: Chain, views: Views, result: np.ndarray):
        self._steps, self._shape = steps.steps, result.shape
        scratch = list(views.scratch[len(views.scratch) - len(steps.scratch) :])
        repeated = dict(zip(steps.repeated, scratch, strict=False))
        self.first: list[Work] = [partial(np.copyto, a, views[r]) for r, a in repeated.items()]
        self._temps = scratch[len(repeated) :][: max(map(temps_of, self._steps), default=0)]
        known = {**steps.constants, **repeated}
        names = dict.fromkeys(i for s in self._steps for i in s.inputs if i != HERE)
        self._operands = {r: known[r] if r in known else views[r] for r in names}

    def works(self, index: tuple[slice, ...], values: np.ndarray, target: np.ndarray) -> list[Work]:
        """The calls for a block.

        Args:
            index: of the block in the result.
            values: what the node gave there; the steps change it.
            target: where the last step writes, which may be the same array.
        """
        if not self._steps:
            return [] if values is target else [partial(np.copyto, target, values)]
        operands = [np.broadcast_to(o, self._shape)[index] for o in self._operands.values()]
        most = BLOCK if self._temps else _PART
        works = []
        for part in parts([values, target, *operands], most):
            works += self._of_part(*part)
        return works

    def _of_part(self, values: np.ndarray, target: np.ndarray, *others: np.ndarray) -> list[Work]:
        named = {**dict(zip(self._operands, others, strict=True)), HERE: values}
        temps = [t[: values.size].reshape(values.shape) for t in self._temps]
        works = []
        for step in self._steps:
            out = target if step is self._steps[-1] else values
            operands = [named[i] for i in step.inputs]
            works += element_works(step, operands, out, temps[: temps_of(step)])
        return works
