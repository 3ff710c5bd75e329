"""Activations along an axis, and gradients of activations."""

from typing import TYPE_CHECKING

from core.backends.tf.raw_ops import dtypes, integer, integers, number, raw
from core.engine.registry import kernel

if TYPE_CHECKING:
    from collections.abc import Callable

    from core.backends.tf.raw_ops import TfTensor


#: Longest axis whose sum is computed in float32, as TensorFlow's own kernels do; these take a third
#: of the time, and the last bits that their sums lose grow in number with the length.
_LONGEST = 4096


def _along(function: "Callable[[TfTensor], TfTensor]", logits: "TfTensor", axis: int) -> "TfTensor":
    """Apply a function that works along the last axis to another one."""
    last = logits.shape.rank - 1
    if axis in (-1, last):
        return function(logits)
    order = [*range(last + 1)]
    order[axis], order[last] = last, order[axis]
    swapped = integers(*order)  # the inverse of itself
    return raw.Transpose(x=function(raw.Transpose(x=logits, perm=swapped)), perm=swapped)


@kernel("softmax", "tf")
def softmax(logits: "TfTensor", axis: int) -> "TfTensor":
    """Return e**logits, divided by their sum along the axis."""
    if logits.shape[axis] <= _LONGEST:
        return _along(lambda x: raw.Softmax(logits=x), logits, axis)
    powers = raw.Exp(x=_below_largest(logits, axis))
    return raw.RealDiv(x=powers, y=_narrow(_wide_sum(powers, axis)))


@kernel("log_softmax", "tf")
def log_softmax(logits: "TfTensor", axis: int) -> "TfTensor":
    """Return the logarithm of softmax."""
    if logits.shape[axis] <= _LONGEST:
        return _along(lambda x: raw.LogSoftmax(logits=x), logits, axis)
    shifted = _below_largest(logits, axis)
    return raw.Sub(x=shifted, y=_narrow(raw.Log(x=_wide_sum(raw.Exp(x=shifted), axis))))


def _below_largest(logits: "TfTensor", axis: int) -> "TfTensor":
    """Return the logits less their maximum, so that no exponential overflows."""
    return raw.Sub(x=logits, y=raw.Max(input=logits, axis=integer(axis), keep_dims=True))


def _wide_sum(x: "TfTensor", axis: int) -> "TfTensor":
    """Return float64 sums along an axis, which stays."""
    wide = raw.Cast(x=x, DstT=dtypes.float64)
    return raw.Sum(input=wide, axis=integer(axis), keep_dims=True)


def _narrow(x: "TfTensor") -> "TfTensor":
    return raw.Cast(x=x, DstT=dtypes.float32)


@kernel("elu_grad", "tf")
def elu_grad(dy: "TfTensor", y: "TfTensor") -> "TfTensor":
    """Return the gradient of elu; NaN where y is, unlike ``EluGrad``."""
    is_above = raw.GreaterEqual(x=y, y=number(0.0))
    flow = raw.Mul(x=dy, y=raw.AddV2(x=y, y=number(1.0)))
    return raw.SelectV2(condition=is_above, t=dy, e=flow)


@kernel("log_softmax_grad", "tf")
def log_softmax_grad(dy: "TfTensor", y: "TfTensor", axis: int) -> "TfTensor":
    """Return the gradient of log_softmax."""
    sums = _narrow(_wide_sum(dy, axis))
    return raw.Sub(x=dy, y=raw.Mul(x=raw.Exp(x=y), y=sums))


@kernel("relu_grad", "tf")
def relu_grad(dy: "TfTensor", y: "TfTensor") -> "TfTensor":
    """Return the gradient of relu; NaN where y is, unlike ``ReluGrad``."""
    return raw.Mul(x=dy, y=raw.Relu(features=raw.Sign(x=y)))
