"""Cumulative sums and products along an axis, in float64: TensorFlow adds one after the other."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from core.backends.tf.raw_ops import dtypes, integer, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor


def _in_float64(function: Callable[..., Any]) -> Callable[..., "TfTensor"]:
    """Return a function that is rounded once; integers wrap around."""

    def running(x: "TfTensor", axis: int, exclusive: bool, reverse: bool) -> "TfTensor":
        how = {"axis": integer(axis), "exclusive": exclusive, "reverse": reverse}
        if x.dtype is dtypes.int32:
            return function(x=x, **how)
        wide = raw.Cast(x=x, DstT=dtypes.float64)
        return raw.Cast(x=function(x=wide, **how), DstT=dtypes.float32)

    return running


kernel("cumsum", "tf")(_in_float64(lambda **how: raw.Cumsum(**how)))
kernel("cumprod", "tf")(_in_float64(lambda **how: raw.Cumprod(**how)))
