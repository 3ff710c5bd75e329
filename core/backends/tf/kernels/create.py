"""Kernels that make values from shapes and numbers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from core.backends.tf.raw_ops import array, integer, integers, number, raw
from core.engine.dtypes import DTYPES, to_numpy
from core.engine.registry import kernel
from core.ops.create import fill_dtype, range_steps

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


@kernel("fill", "tf")
def fill(shape: Sequence[int], value: Any, dtype: str | None) -> "TfTensor":
    """Return one value everywhere."""
    made = array(to_numpy(value, fill_dtype(value, dtype)))  # not cached: -0.0 equals 0.0
    return raw.Fill(dims=integers(*shape), value=made)


@kernel("range", "tf")
def number_range(start: float, stop: float, step: float, dtype: str) -> "TfTensor":
    """Return start + i * step for each i, as the cpu kernel computes it."""
    count, step = range_steps(start, stop, step)
    return array((np.arange(count) * step + start).astype(DTYPES[dtype]))


@kernel("linspace", "tf")
def linspace(start: float, stop: float, num: int) -> "TfTensor":
    """Return evenly spaced numbers, computed in float64 and rounded once."""
    return array(np.linspace(start, stop, num).astype(np.float32))


@kernel("diag", "tf")
def diag(x: "TfTensor") -> "TfTensor":
    """Return a square matrix with all values on its diagonal."""
    square = raw.MatrixDiag(diagonal=raw.Reshape(tensor=x, shape=integers(-1)))
    return raw.Reshape(tensor=square, shape=integers(*x.shape, *x.shape))


@kernel("one_hot", "tf")
def one_hot(
    indices: "TfTensor", depth: int, on_value: float, off_value: float, dtype: str
) -> "TfTensor":
    """Return one-hot vectors; indices outside of the range set no value."""
    return raw.OneHot(
        indices=indices,
        depth=integer(depth),
        on_value=number(on_value, dtype),
        off_value=number(off_value, dtype),
        axis=-1,
    )
