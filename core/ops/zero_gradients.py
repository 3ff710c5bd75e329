"""Gradients of zeros, for inputs by which a result is not differentiable."""

from core.operation import Gradient, Op
from core.registry import ops


def zero(g):
    """The gradient of an input of the result's shape, or of one that broadcasts to it."""
    return ops.zeros_like(g)


def zero_gradient(op: Op, *inputs: str) -> None:
    """Give some inputs of an op, of any shapes, gradients of zeros."""
    for name in inputs:
        op.set_gradient(name, Gradient(_zeros, (f"{name}_spec",)))


def _zeros(g, **spec):
    (input_spec,) = spec.values()
    return ops.fill(shape=input_spec.shape, value=0.0)
