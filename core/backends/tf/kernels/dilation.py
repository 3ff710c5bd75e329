"""Morphological dilation by TensorFlow's, and its gradients."""

from math import inf
from typing import TYPE_CHECKING, Any

from core.backends.tf.raw_ops import dtypes, number, raw
from core.backends.tf.window_arguments import bordered, padding_of, within_border, without_border
from core.engine.registry import kernel
from core.engine.windows import Window, window
from core.ops.dilation import LOWEST

if TYPE_CHECKING:
    from core.backends.tf.raw_ops import TfTensor

#: A border below all sums of int32 values.
_BELOW_INTEGERS = -(2**34)


def _arguments(w: Window) -> dict[str, Any]:
    rates = (d if k > 1 else 1 for k, d in zip(w.size, w.dilations, strict=True))
    return {"strides": [1, *w.strides, 1], "rates": [1, *rates, 1], "padding": padding_of(w)}


def _padded(x: "TfTensor", w: Window, border: float = -inf) -> "tuple[TfTensor, Window]":
    """Return an input and windows whose padding TensorFlow takes."""
    if padding_of(w) != "EXPLICIT":
        return x, w
    return bordered(x, w.padding, border), within_border(w)


@kernel("dilation2d", "tf")
def dilation2d(x: "TfTensor", filter: "TfTensor", data_format: str, **how: Any) -> "TfTensor":
    """Return the largest sum of input and filter; TensorFlow ignores NaN, too."""
    w = window(tuple(x.shape), tuple(filter.shape)[:2], data_format=data_format, **how)
    if x.dtype is dtypes.int32:
        return _of_integers(x, filter, w)
    x, w = _padded(x, w)
    y = raw.Dilation2D(input=x, filter=filter, **_arguments(w))
    return raw.Maximum(x=y, y=number(LOWEST))


def _of_integers(x: "TfTensor", filter: "TfTensor", w: Window) -> "TfTensor":
    if padding_of(w) != "EXPLICIT":
        return raw.Dilation2D(input=x, filter=filter, **_arguments(w))
    x, filter = (raw.Cast(x=v, DstT=dtypes.int64) for v in (x, filter))
    x, w = _padded(x, w, _BELOW_INTEGERS)
    y = raw.Dilation2D(input=x, filter=filter, **_arguments(w))
    y = raw.Maximum(x=y, y=number(-(2**31), "int64"))
    return raw.Cast(x=y, DstT=dtypes.int32)


def _sums(
    x: "TfTensor", dy: "TfTensor", filter: "TfTensor", how: dict[str, Any]
) -> "tuple[dict[str, TfTensor], Window]":
    """Return what TensorFlow's gradients take: in float64, as sums are not rounded then.

    A window without a number has no gradient.
    """
    w = window(tuple(x.shape), tuple(filter.shape)[:2], data_format="NHWC", **how)
    x, dy, filter = (raw.Cast(x=v, DstT=dtypes.float64) for v in (x, dy, filter))
    x, inner = _padded(x, w)
    arguments = {"input": x, "filter": filter, **_arguments(inner)}
    found = raw.Greater(x=raw.Dilation2D(**arguments), y=number(LOWEST, "float64"))
    flow = raw.SelectV2(condition=found, t=dy, e=number(0.0, "float64"))
    return {**arguments, "out_backprop": flow}, w


@kernel("dilation2d_backprop_input", "tf")
def dilation2d_backprop_input(
    x: "TfTensor", dy: "TfTensor", filter: "TfTensor", **how: Any
) -> "TfTensor":
    """Give each gradient to the pixel in the first largest sum."""
    arguments, w = _sums(x, dy, filter, how)
    dx = without_border(raw.Dilation2DBackpropInput(**arguments), w)
    return raw.Cast(x=dx, DstT=dtypes.float32)


@kernel("dilation2d_backprop_filter", "tf")
def dilation2d_backprop_filter(
    x: "TfTensor", dy: "TfTensor", filter: "TfTensor", **how: Any
) -> "TfTensor":
    """Give each gradient to the filter's value in the first largest sum."""
    arguments, _ = _sums(x, dy, filter, how)
    return raw.Cast(x=raw.Dilation2DBackpropFilter(**arguments), DstT=dtypes.float32)
