"""Activations along an axis, and gradients of activations."""

from core import ops
from core.engine.argument_types import TensorLike
from core.engine.declaring import zero_gradient
from core.engine.operation import spec_of
from core.engine.registry import op
from core.engine.specs import Spec, broadcast_shapes, check_dy, normal_axis


@op(input_dtype="float32", js_names={"axis": "dim"}, method=True)
def softmax(logits: TensorLike, axis: int = -1) -> Spec:
    """e**logits divided by their sum along an axis: positive numbers with sum 1.

    Args:
        logits: real numbers, at least one axis; int32 and bool are converted to float32.
        axis: along which the sum is 1; the last by default.

    Returns:
        float32, of the same shape.

    >>> core.softmax([[1.0, 1.0, 1.0, 1.0]]).numpy()
    array([[0.25, 0.25, 0.25, 0.25]], dtype=float32)
    """
    logits = spec_of(logits)
    normal_axis(axis, len(logits.shape))
    return logits


@softmax.gradient("logits")
def _(g, y, axis):
    flow = g * y
    return flow - ops.sum(flow, axis=axis, keep_dims=True) * y


@op(input_dtype="float32", method=True)
def log_softmax(logits: TensorLike, axis: int = -1) -> Spec:
    """The logarithm of `softmax`, exact where that is near 0.

    Args:
        logits: real numbers, at least one axis; int32 and bool are converted to float32.
        axis: along which they are weighed against each other; the last by default.

    Returns:
        float32, of the same shape, 0 or less.

    >>> core.log_softmax([0.0, 1000.0]).numpy()
    array([-1000.,     0.], dtype=float32)
    """
    logits = spec_of(logits)
    normal_axis(axis, len(logits.shape))
    return logits


@log_softmax.gradient("logits")
def _(g, y, axis):
    return ops.log_softmax_grad(g, y, axis=axis)


@op(input_dtype="float32")
def log_softmax_grad(dy: TensorLike, y: TensorLike, axis: int = -1) -> Spec:
    """The gradient of `core.log_softmax`: dy - (the sum of dy along the axis) * e**y.

    Args:
        dy: the gradient of the result.
        y: the result; of the same shape.
        axis: as given to `core.log_softmax`.

    >>> core.log_softmax_grad([1.0, 0.0], [-0.69314718, -0.69314718]).numpy()
    array([ 0.5, -0.5], dtype=float32)
    """
    dy, y = spec_of(dy), spec_of(y)
    check_dy(y, dy)
    normal_axis(axis, len(y.shape))
    return y


@log_softmax_grad.gradient("dy")
def _(g, y, axis):
    return g - ops.sum(g * ops.exp(y), axis=axis, keep_dims=True)


@log_softmax_grad.gradient("y")
def _(g, dy, y, axis):
    return -(g * ops.sum(dy, axis=axis, keep_dims=True) * ops.exp(y))


@op(input_dtype="float32")
def relu_grad(dy: TensorLike, y: TensorLike) -> Spec:
    """The gradient of `core.relu`: dy where y is positive, else 0; NaN where y is.

    Args:
        dy: the gradient of the result.
        y: the result or the input; of the same shape.

    >>> core.relu_grad([3.0, 3.0], [2.0, 0.0]).numpy()
    array([3., 0.], dtype=float32)
    """
    dy, y = spec_of(dy), spec_of(y)
    check_dy(y, dy)
    return y


relu_grad.gradient("dy")(lambda g, y: ops.relu_grad(g, y))
zero_gradient(relu_grad, "y")


@op(input_dtype="float32")
def elu_grad(dy: TensorLike, y: TensorLike) -> Spec:
    """The gradient of `core.elu`: dy where y is positive, else dy * (y + 1).

    Args:
        dy: the gradient of the result.
        y: the result; of the same shape.

    >>> core.elu_grad([1.0, 1.0], [2.0, -0.75]).numpy()
    array([1.  , 0.25], dtype=float32)
    """
    dy, y = spec_of(dy), spec_of(y)
    return Spec(broadcast_shapes(dy.shape, y.shape))


elu_grad.gradient("dy")(lambda g, y: ops.elu_grad(g, y))
elu_grad.gradient("y")(lambda g, dy, y: ops.select(y < 0.0, g * dy, ops.zeros_like(g)))
