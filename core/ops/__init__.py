"""Every op, in files by family. Importing this package declares them all.

It also gives tensors the operators and methods that are ops.
"""

from importlib import import_module
from pkgutil import iter_modules

from core.engine.methods import install_methods
from core.engine.registry import FUNCTIONS, OPS

for _file in iter_modules(__path__):
    import_module(f"{__name__}.{_file.name}")

#: Every op of the engine, and every function made of ops, by name.
DECLARED = {**OPS, **FUNCTIONS}

install_methods()
