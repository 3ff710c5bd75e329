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

import os
import sys
from importlib import import_module
from typing import Any

from core.public.namespaces import NAMESPACES, add_namespaces
from weights_cache.common.providers import provide
from weights_cache.common.similar_names import no_attribute

#: The module of each name. It is imported at the name's first use: a process that runs a stored
#: network needs few of them, and no op.
_HOMES = {
    "Backend": "core.engine.backend",
    "CoreError": "core.errors",
    "Endpoint": "core.graph.nodes",
    "Graph": "core.graph.nodes",
    "GraphModel": "core.graph_model.graph_model",
    "Input": "core.layers.input_layer",
    "KernelNotFound": "core.errors",
    "LimitError": "core.engine.limits",
    "Limits": "core.engine.limits",
    "Model": "core.models.model",
    "Node": "core.graph.nodes",
    "NotFiniteError": "core.engine.nan_check",
    "PartialSpec": "core.graph.nodes",
    "RunCancelledError": "core.engine.run_guard",
    "Sequential": "core.models.sequential",
    "Spec": "core.engine.specs",
    "Tensor": "core.engine.tensors",
    "Variable": "core.engine.variables",
    "backend": "core.engine.settings",
    "callbacks": "core.callbacks",
    "clone_model": "core.models.copies",
    "compile": "core.compiled_functions.compiled_function",
    "constraints": "core.constraints",
    "converter": "core.converter",
    "custom_grad": "core.autodiff.gradients",
    "data": "core.data",
    "debug_mode": "core.engine.nan_check",
    "dispose": "core.autodiff.scopes",
    "epsilon": "core.engine.settings",
    "flags": "core.engine.settings",
    "get_backend": "core.engine.settings",
    "get_threads": "core.backends.cpu.threads",
    "get_tier": "core.backends.cpu.tiers",
    "grad": "core.autodiff.gradients",
    "grads": "core.autodiff.gradients",
    "initializers": "core.initializers",
    "keep": "core.autodiff.scopes",
    "kernel": "core.engine.registry",
    "layers": "core.layers",
    "limits": "core.engine.limits",
    "load_layers_model": "core.models.model_files",
    "load_model": "core.converter.formats",
    "losses": "core.losses",
    "memory": "core.engine.run_guard",
    "metrics": "core.metrics",
    "model_from_json": "core.models.model_files",
    "op": "core.engine.registry",
    "optimizers": "core.optimizers",
    "plots": "core.plots",
    "profile": "core.profiling.profiler",
    "register_backend": "core.engine.backends",
    "regularizers": "core.regularizers",
    "run_async": "core.engine.async_run",
    "run_kernel": "core.engine.dispatch",
    "sequential": "core.models.sequential",
    "set_backend": "core.engine.settings",
    "set_threads": "core.backends.cpu.threads",
    "set_tier": "core.backends.cpu.tiers",
    "start_shader": "core.backends.shader.runtime.starting",
    "stop_gradient": "core.autodiff.gradients",
    "stop_shader": "core.backends.shader.runtime.starting",
    "tensor": "core.engine.dispatch",
    "tidy": "core.autodiff.scopes",
    "time": "core.profiling.profiler",
    "train": "core.train",
    "tune_shader": "core.backends.shader.plans.plan_tuning",
    "utils": "core.utils",
    "value_and_grad": "core.autodiff.gradients",
    "value_and_grads": "core.autodiff.gradients",
    "variable": "core.engine.variables",
    "variable_grads": "core.autodiff.gradients",
}

#: Names of `_HOMES` that ``from core import *`` leaves out.
_NOT_LISTED = tuple(name for name, home in _HOMES.items() if home == f"{__name__}.{name}")

#: Names of `_HOMES` that need no op: a program that runs stored networks does without them all.
_WITHOUT_OPS = {
    "Backend",
    "CoreError",
    "KernelNotFound",
    "LimitError",
    "Limits",
    "RunCancelledError",
    "Spec",
    "backend",
    "epsilon",
    "flags",
    "get_backend",
    "get_threads",
    "get_tier",
    "limits",
    "memory",
    "ops",
    "set_backend",
    "set_threads",
    "set_tier",
}

# What lower rooms use of higher ones.
provide(
    backends="core.backends",
    backend_of_ops="core.backends.automatic:backend_of_ops",
    save_graph="core.converter.web_writer:save_graph",
    save_onnx_graph="core.converter.onnx_writer.writing:save_graph",
)

add_namespaces(sys.modules[__name__])


def __getattr__(name: str) -> Any:
    """Find a name at its first use: one of `_HOMES`, an op, or a function made of ops."""
    if name not in _WITHOUT_OPS and not name.startswith("__"):
        _load_ops()
    if name in _HOMES:
        module = import_module(_HOMES[name])
        is_module = module.__name__ == f"{__name__}.{name}"
        found = globals()[name] = module if is_module else getattr(module, name)
        return found
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _is_module(name):  # of `from core import name`, too
        return import_module(f"{__name__}.{name}")
    if name == "__all__":
        _load_ops()
    found = globals().get(name) or _declared().get(name)
    if found is None:
        raise no_attribute(__name__, name, __dir__())
    return found


def __dir__() -> list[str]:
    """Return the public names: what ``core.`` completes to."""
    _load_ops()
    return sorted({*_HOMES, *_declared(), *NAMESPACES, *(n for n in globals() if n[:2] == "__")})


def _is_module(name: str) -> bool:
    path = os.path.join(__path__[0], name)
    return os.path.isfile(f"{path}.py") or os.path.isfile(os.path.join(path, "__init__.py"))


def _load_ops() -> None:
    """Make every op of the engine an attribute of this package, and list it."""
    if "__all__" not in globals():
        declared = import_module("core.ops").load_families()
        if declared:
            globals().update(declared)
            globals()["__all__"] = sorted({*_HOMES, *declared} - {*_NOT_LISTED})


def _declared() -> dict[str, Any]:
    """Return every op and function made of ops, those of users included."""
    from core.engine.registry import FUNCTIONS, OPS

    return {**OPS, **FUNCTIONS}
