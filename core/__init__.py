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

from importlib import import_module
from typing import TYPE_CHECKING, Any

import core.ops  # noqa: F401 - declares every op
from core.async_run import run_async
from core.bounds import LimitError, Limits, limits
from core.dispatch import tensor
from core.errors import CoreError, KernelNotFound
from core.gradients import (
    custom_grad,
    grad,
    grads,
    stop_gradient,
    value_and_grad,
    value_and_grads,
    variable_grads,
)
from core.guards import RunCancelledError
from core.kernel_calls import run_kernel
from core.memory_count import memory
from core.methods import install_methods
from core.nan_check import NotFiniteError, debug_mode
from core.registry import FUNCTIONS, OPS, kernel, op
from core.scopes import dispose, keep, tidy
from core.settings import backend, flags, get_backend, set_backend
from core.specs import Spec
from core.tensors import Tensor
from core.variables import Variable, variable

if TYPE_CHECKING:
    from core import optimizers as optimizers
    from core.backends.shader.plans.plan_tuning import tune_shader
    from core.backends.shader.runtime.starting import start_shader, stop_shader
    from core.optimizers import train as train
    from core.profiler import profile, time

#: Where names are that are imported when first used, as most programs do without them.
_LATE = {
    "optimizers": "core.optimizers",
    "profile": "core.profiler",
    "start_shader": "core.backends.shader.runtime.starting",
    "stop_shader": "core.backends.shader.runtime.starting",
    "time": "core.profiler",
    "train": "core.optimizers",
    "tune_shader": "core.backends.shader.plans.plan_tuning",
}

__all__ = [
    "CoreError",
    "KernelNotFound",
    "LimitError",
    "Limits",
    "NotFiniteError",
    "RunCancelledError",
    "Spec",
    "Tensor",
    "Variable",
    "backend",
    "custom_grad",
    "debug_mode",
    "dispose",
    "flags",
    "get_backend",
    "grad",
    "grads",
    "keep",
    "kernel",
    "limits",
    "memory",
    "op",
    "profile",
    "run_async",
    "run_kernel",
    "set_backend",
    "start_shader",
    "stop_gradient",
    "stop_shader",
    "tensor",
    "tidy",
    "time",
    "tune_shader",
    "value_and_grad",
    "value_and_grads",
    "variable",
    "variable_grads",
]
__all__ += sorted({**OPS, **FUNCTIONS})
globals().update(OPS, **FUNCTIONS)
install_methods()


def __getattr__(name: str) -> Any:
    """Find what is imported late, or was declared after the import: a user's own."""
    if name in _LATE:
        module = import_module(_LATE[name])
        found = module if module.__name__ == f"core.{name}" else getattr(module, name)
        globals()[name] = found  # the next time it is found at once
        return found
    found = OPS.get(name) or FUNCTIONS.get(name)
    if found is None:
        raise AttributeError(f"module 'core' has no attribute {name!r}")
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATE, *OPS, *FUNCTIONS})
