"""Ops on a batch of images or volumes that take a single one, too."""

from collections.abc import Callable
from typing import Any

from core.dispatch import tensor
from core.operation import Op, Rule
from core.registry import ops, register


class BatchOp(Op):
    """An op whose first input has a batch as its first axis.

    A single item, of one axis less, goes in as a batch of one and comes out as it went in, so that
    shape rules, gradients and kernels know batches alone.
    """

    rank = 4

    def __call__(self, *inputs: Any, **attributes: Any) -> Any:
        """Run the op on a batch or a single item."""
        first = self.inputs[0]
        if not inputs and first in attributes:
            inputs = (attributes.pop(first),)
        if not inputs:
            return super().__call__(**attributes)
        x = tensor(inputs[0])
        if len(x.spec.shape) != self.rank - 1:
            return super().__call__(x, *inputs[1:], **attributes)
        batch = ops.reshape(x, shape=(1, *x.spec.shape))
        result = super().__call__(batch, *inputs[1:], **attributes)
        return ops.reshape(result, shape=result.shape[1:])


class VolumeOp(BatchOp):
    """Volumes of a batch: [batch, depth, height, width, channels]."""

    rank = 5


def image_op(**options: Any) -> Callable[[Rule], Op]:
    """Declare the decorated rule as an op on [batch, height, width, channels] or one image."""
    return lambda rule: register(BatchOp(rule, **options))


def volume_op(**options: Any) -> Callable[[Rule], Op]:
    """Declare the decorated rule as an op on a batch of volumes or on one."""
    return lambda rule: register(VolumeOp(rule, **options))
