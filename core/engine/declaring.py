"""Ways to declare ops: on batches or single items; gradients of zeros."""

from collections.abc import Callable
from typing import Any

from core import ops
from core.engine.dispatch import tensor
from core.engine.operation import Op, Parameters, Result_co
from core.engine.registry import Declaration, register


def zero(g):
    """Return the gradient of an input of the result's shape, or of one that broadcasts to it."""
    return ops.zeros_like(g)


def zero_gradient(op: Op, *inputs: str) -> None:
    """Give some inputs of an op, of any shapes, gradients of zeros."""
    for name in inputs:
        op.set_gradient(name, _zeros, [f"{name}_spec"])


def _zeros(g, **spec):
    (input_spec,) = spec.values()
    return ops.fill(shape=input_spec.shape, value=0.0)


class BatchOp(Op[Parameters, Result_co]):
    """An op whose first input has a batch as its first axis.

    A single item, of one axis less, becomes a batch of one for the op, and the result a single
    item again: shape rules, gradients and kernels get batches only.
    """

    rank = 4

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        """Run the op on a batch or a single item."""
        run: Callable[..., Any] = super().__call__
        first = self.inputs[0]
        if not inputs and first in attributes:
            inputs = (attributes.pop(first),)
        if not inputs:
            return run(**attributes)
        x = tensor(inputs[0])
        if len(x.spec.shape) != self.rank - 1:
            return run(x, *inputs[1:], **attributes)
        batch = ops.reshape(x, shape=(1, *x.spec.shape))
        result = run(batch, *inputs[1:], **attributes)
        return ops.reshape(result, shape=result.shape[1:])


class VolumeOp(BatchOp[Parameters, Result_co]):
    """Volumes of a batch: [batch, depth, height, width, channels]."""

    rank = 5


def image_op(**options: Any) -> Declaration:
    """Declare the decorated rule as an op on [batch, height, width, channels] or one image."""
    return lambda rule: register(BatchOp(rule, **options))


def volume_op(**options: Any) -> Declaration:
    """Declare the decorated rule as an op on a batch of volumes or on one."""
    return lambda rule: register(VolumeOp(rule, **options))
