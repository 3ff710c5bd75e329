"""The tensor engine: eager ops, gradients, backends. It knows no pretrained model.

>>> import core
>>> x = core.tensor([[1.0, 2.0], [3.0, 4.0]])
>>> core.mean(core.square(x), axis=1).numpy()
array([ 2.5, 12.5], dtype=float32)
>>> core.grad(lambda t: core.sum(t * t))(x).numpy()
array([[2., 4.],
       [6., 8.]], dtype=float32)

Every op of ``core.ops`` is an attribute of this package.
"""

from typing import Any

import core.ops  # noqa: F401 - declares every op
from core.declare import op
from core.engine import tensor
from core.errors import CoreError, KernelNotFound
from core.kernels import OPS, kernel
from core.memory_count import memory
from core.ops.create import ones, zeros
from core.ops.shape import squeeze
from core.settings import backend, get_backend, set_backend
from core.specs import Spec
from core.tape import grad, grads, value_and_grad, value_and_grads
from core.tensors import Tensor

__all__ = [
    "CoreError",
    "KernelNotFound",
    "Spec",
    "Tensor",
    "backend",
    "get_backend",
    "grad",
    "grads",
    "kernel",
    "memory",
    "ones",
    "op",
    "set_backend",
    "squeeze",
    "tensor",
    "value_and_grad",
    "value_and_grads",
    "zeros",
]
__all__ += sorted(OPS)


def __getattr__(name: str) -> Any:
    """Find an op by its name; a user's own ops are found as well."""
    try:
        return OPS[name]
    except KeyError:
        raise AttributeError(f"module 'core' has no attribute {name!r}") from None


def __dir__() -> list[str]:
    return sorted({*__all__, *OPS})
