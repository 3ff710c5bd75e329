"""Values that calls need as contiguous arrays, and copies of small pieces."""

from functools import partial
from typing import NamedTuple

import numpy as np

from core.backends.cpu.moves import MOVES
from core.backends.cpu.numpy_steps.chain import with_epilogue
from core.backends.cpu.numpy_steps.lowering_rules import (
    Lowered,
    NumpyCall,
    Scratch,
    Views,
    Work,
    numpy_dtype,
)

#: Bytes of the longest rows that are copied as one item each.
_ITEM = 1024


class Compact(NamedTuple):
    """A value that a call reads or writes as a contiguous array: the value itself, or a copy.

    Attributes:
        reference: reference to the value.
        scratch: memory for the copy, if the value's buffer has a margin.
    """

    reference: str
    scratch: tuple[Scratch, ...]

    @classmethod
    def of(cls, call: NumpyCall, reference: str) -> "Compact":
        """Return the contiguous form of a value of a call."""
        spec = call.spec(reference)
        if not call.has_margin(reference):
            return cls(reference, ())
        return cls(reference, (Scratch(spec.shape, numpy_dtype(spec).name),))

    def read(self, views: Views, first: int = 0) -> tuple[np.ndarray, list[Work]]:
        """Return the array and the calls that fill it; ``first`` is the index of its scratch."""
        if not self.scratch:
            return views[self.reference], []
        copy = views.scratch[first]
        return copy, [copied(copy, views[self.reference])]

    def write(self, views: Views, first: int = 0) -> tuple[np.ndarray, list[Work]]:
        """Return the array and the calls that copy its values to their destination."""
        if not self.scratch:
            return views[self.reference], []
        copy = views.scratch[first]
        return copy, [copied(views[self.reference], copy)]


def copied(target: np.ndarray, source: np.ndarray) -> Work:
    """Return a copy between arrays of one shape; short rows of numbers are copied as one item.

    NumPy starts a loop for each row that does not follow the previous one, such as the pixels of a
    window: copies of rows of a few numbers then take half as long again.
    """
    if _has_short_rows(target) and _has_short_rows(source) and target.dtype == source.dtype:
        # By name: of a pair NumPy asks a function of Python, and drops what a signal raises there.
        item = np.dtype(f"V{target.shape[-1] * target.itemsize}")
        target, source = (a.view(item)[..., 0] for a in (target, source))
    return partial(np.copyto, target, source)


def _has_short_rows(a: np.ndarray) -> bool:
    if a.ndim < 2 or a.dtype.hasobject:
        return False
    return 1 < a.shape[-1] <= _ITEM // a.itemsize and a.strides[-1] == a.itemsize


def lower_moves(call: NumpyCall) -> Lowered | None:
    """Return the copies of an op that only moves values."""
    step, dtype = call.step, call.result.dtype
    changes = {"complex64": "conjugate", "string": "constant_value"}
    if step.attributes.get(changes.get(dtype, ""), False) is not False:
        return None  # values are conjugated, or borders are of text

    def bind(views: Views) -> list[Work]:
        results, inputs = ([views[r] for r in names] for names in (step.outputs, step.inputs))
        pairs = MOVES[step.op.name](results, inputs, step.attributes)
        return [copied(to, at) for to, at in pairs if to.size]

    return with_epilogue(call, "copy", bind)
