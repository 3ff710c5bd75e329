"""Functions that make tensors of one number of axes, as TensorFlow.js names them."""

from collections.abc import Callable, Sequence

from core.engine.argument_types import TensorLike
from core.engine.dispatch import tensor
from core.engine.dtypes import DType
from core.engine.registry import composite
from core.engine.tensors import Tensor
from core.errors import CoreError

_DOCUMENT = """Make a tensor of {rank} axes; `core.tensor` makes one of any.

Args:
    values: nested lists, an array, or a flat list with a shape.
    shape: length of each of the {rank} axes, for a flat list.
    dtype: by default that of the values.

Raises:
    CoreError: values or shape have another number of axes.

>>> import core
>>> core.tensor{rank}d([1, 2], {shape}).shape
{shape}
"""


def _of_rank(rank: int) -> Callable[..., Tensor]:
    def made(
        values: TensorLike, shape: Sequence[int] | None = None, dtype: DType | None = None
    ) -> Tensor:
        found = tensor(values, shape, dtype)
        if len(found.shape) != rank:
            raise CoreError(f"tensor{rank}d needs {rank} axes, got the shape {found.shape}")
        return found

    made.__name__ = f"tensor{rank}d"
    shape = (2,) if rank == 1 else (*(1,) * (rank - 1), 2)
    made.__doc__ = _DOCUMENT.format(rank=rank, shape=shape)
    found: Callable[..., Tensor] = composite(made)
    return found


for _rank in range(1, 7):
    _of_rank(_rank)
