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

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import core.ops  # noqa: F401 - declares every op
from core.async_run import run_async
from core.backend_contract import Backend
from core.bounds import LimitError, Limits, limits
from core.dispatch import run_kernel, tensor
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
from core.guards import RunCancelledError, memory
from core.methods import install_methods
from core.namespaces import NAMESPACES, add_namespaces
from core.nan_check import NotFiniteError, debug_mode
from core.operation import Op
from core.registry import FUNCTIONS, OPS, kernel, op, register_backend
from core.scopes import dispose, keep, tidy
from core.settings import backend, epsilon, flags, get_backend, set_backend
from core.specs import Spec
from core.tensors import Tensor
from core.variables import Variable, variable
from weights_cache.similar_names import no_attribute

if TYPE_CHECKING:
    from inspect import Signature

#: The modules of names that are imported at first use, as most programs do without them.
_LATE = {
    "Endpoint": "core.graph.nodes",
    "Graph": "core.graph.nodes",
    "GraphModel": "core.model.graph_model",
    "Node": "core.graph.nodes",
    "PartialSpec": "core.graph.nodes",
    "compile": "core.compiled.compiled_function",
    "converter": "core.converter",
    "get_threads": "core.backends.cpu.threads",
    "get_tier": "core.backends.cpu.tiers",
    "load_model": "core.converter.formats",
    "optimizers": "core.optimizers",
    "profile": "core.profiler",
    "set_threads": "core.backends.cpu.threads",
    "set_tier": "core.backends.cpu.tiers",
    "start_shader": "core.backends.shader.runtime.starting",
    "stop_shader": "core.backends.shader.runtime.starting",
    "time": "core.profiler",
    "train": "core.optimizers",
    "tune_shader": "core.backends.shader.plans.plan_tuning",
}

__all__ = [
    "Backend",
    "CoreError",
    "Endpoint",
    "Graph",
    "GraphModel",
    "KernelNotFound",
    "LimitError",
    "Limits",
    "Node",
    "NotFiniteError",
    "PartialSpec",
    "RunCancelledError",
    "Spec",
    "Tensor",
    "Variable",
    "backend",
    "compile",
    "custom_grad",
    "debug_mode",
    "dispose",
    "epsilon",
    "flags",
    "get_backend",
    "get_threads",
    "get_tier",
    "grad",
    "grads",
    "keep",
    "kernel",
    "limits",
    "load_model",
    "memory",
    "op",
    "profile",
    "register_backend",
    "run_async",
    "run_kernel",
    "set_backend",
    "set_threads",
    "set_tier",
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
add_namespaces(sys.modules[__name__])


def _signature(of: Op) -> "Signature":
    from core.stub_signatures import signature_of

    return signature_of(of)


Op.__signature__ = property(_signature)  # type: ignore[method-assign, assignment]


def __getattr__(name: str) -> Any:
    """Find a name that is imported late, or a user-defined one declared after the import."""
    if name in _LATE:
        module = import_module(_LATE[name])
        found = module if module.__name__ == f"core.{name}" else getattr(module, name)
        globals()[name] = found  # the next time it is found at once
        return found
    found = OPS.get(name) or FUNCTIONS.get(name)
    if found is None:
        raise no_attribute(__name__, name, __dir__())
    return found


def __dir__() -> list[str]:
    return sorted({*__all__, *_LATE, *NAMESPACES, *OPS, *FUNCTIONS})
