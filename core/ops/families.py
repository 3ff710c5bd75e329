"""Importing this file declares all ops, and gives tensors those that are methods."""

from importlib import import_module
from pkgutil import iter_modules

from core import ops
from core.engine.registry import FUNCTIONS, METHODS, OPS
from core.engine.tensors import Tensor

for _file in iter_modules(ops.__path__):
    import_module(f"{ops.__name__}.{_file.name}")

#: Every op of the engine, and every function made of ops, by name.
DECLARED = {**OPS, **FUNCTIONS}

for _name, _function in METHODS.items():
    setattr(Tensor, _name, _function)
del Tensor.__getattr__  # type: ignore[attr-defined]  # unknown names are errors from now on
vars(ops).pop("__getattr__", None)  # a module without it finds its names in half the time
