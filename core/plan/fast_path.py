"""The way of a call that is made again and again: from arrays by one plan to the outputs.

What a graph does with names, shapes and stages takes Python longer than a small network takes a
GPU. For inputs of the same names, shapes and dtypes as last time all of that comes out the same.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.bounds import Limits
from core.plan.plan import Plan
from core.tensors import Tensor


class InputGuard(NamedTuple):
    """An array that a call is given."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]

    def accepts(self, value: Any) -> bool:
        """Whether a value is such an array, in NumPy's plain order."""
        return (
            type(value) is np.ndarray
            and value.shape == self.shape
            and value.dtype == self.dtype
            and value.flags.c_contiguous
            and value.flags.aligned
        )


class CachedCall:
    """A call that needs nothing but its plan.

    Args:
        plan: gives all that is asked for.
        only: what a value is called that is given without a name; None: it needs one.
        taken: what the call is given, all of it.
        fed: which of these the plan takes, in its order.
        given: which of the plan's outputs the call gives, by the names that it gives them.
    """

    def __init__(
        self,
        plan: Plan,
        only: str | None,
        taken: Sequence[InputGuard],
        fed: Sequence[str],
        given: Mapping[str, str],
    ):
        self._plan, self._only, self._taken, self._fed = plan, only, taken, fed
        self._given = [*given.items()]

    def fits(self, limits: Limits) -> bool:
        """Whether the plan takes no more memory than limits with all values allow."""
        return self._plan.fits(limits)

    def run(self, inputs: Any) -> dict[str, Tensor] | None:
        """What the call gives; None if it is another one.

        Raises:
            CoreError: a step cannot work on what is given.
        """
        if type(inputs) is not dict:
            inputs = {self._only: inputs}
        if len(inputs) != len(self._taken):
            return None
        for one in self._taken:
            if not one.accepts(inputs.get(one.name)):
                return None
        found = self._plan.run_on([inputs[name] for name in self._fed])
        return {name: found[reference] for name, reference in self._given}
