"""The registry of backends: by folder name, or by the name that a user registered."""

import os
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.errors import CoreError
from core.process.locks import new_lock
from weights_cache.common.providers import home_of, provided

if TYPE_CHECKING:
    from core.engine.backend import Backend

BACKENDS: dict[str, "Backend"] = {}
_FACTORIES: dict[str, Callable[[], "Backend"]] = {}  # of user-defined backends
REPLACED: list[tuple[str, str]] = []  # (op, backend) of each kernel that a user replaced
_LOADING = new_lock()

#: Stands for the shader backend on a GPU, and for cpu where there is none.
AUTO = "auto"


#: Prefix of the names of modules of built-in backends and their kernels.
BUILT_IN = f"{home_of('backends')}."


def backends_folder() -> str:
    """Return the folder that has a folder for each built-in backend."""
    (folder,) = provided("backends").__path__
    return str(folder)


def backend_names() -> list[str]:
    """Every backend that has a folder in ``core/backends``, or that was registered."""
    folder = backends_folder()
    built_in = {n for n in os.listdir(folder) if os.path.exists(f"{folder}/{n}/__init__.py")}
    return sorted(built_in | _FACTORIES.keys())


#: Hint in errors where a backend is called like a GPU.
ON_GPUS = "'auto' takes a GPU where it is faster than the processor, 'shader' always runs on it"

#: Names that other engines give to backends on the GPU, on the processor, and by TensorFlow.
_GPU_NAMES = ("cuda", "gpu", "metal", "mps", "opengl", "rocm", "vulkan", "webgl", "webgpu")
_CPU_NAMES = ("numpy", "torch", "wasm")
_TF_NAMES = ("keras", "node", "tensorflow", "tfjs")


def unknown_backend(name: Any) -> CoreError:
    """Return the error about a name that no backend has."""
    hint = f"; {ON_GPUS}" if str(name).lower() in _GPU_NAMES else ""
    hint = "; 'cpu' runs on the processor" if str(name).lower() in _CPU_NAMES else hint
    hint = "; 'tf' runs by TensorFlow" if str(name).lower() in _TF_NAMES else hint
    return CoreError(f"unknown backend {name!r}: use one of {[*backend_names(), AUTO]}{hint}")


def register_backend(name: str, factory: "Callable[[], Backend]", *, replace: bool = False) -> None:
    """Make a user-defined backend known by a name, as `core.backend` and others take it.

    Args:
        name: that no built-in backend has.
        factory: returns the backend, a `core.Backend`; called when it is first used. Its kernels
            are registered with `core.kernel`.
        replace: replace a user-defined backend of that name.

    Raises:
        CoreError: there is such a backend already: a built-in one, or one of another module, and
            ``replace`` is not set.

    >>> import core
    >>> core.register_backend("mine", lambda: MyBackend())  # doctest: +SKIP
    """
    if name == AUTO or (name in backend_names() and name not in _FACTORIES):
        raise CoreError(f"there is a backend {name!r} already: choose another name")
    known = _FACTORIES.get(name)
    # The same module may do it again: a cell of a notebook, or an import after Ctrl-C.
    if known and not replace and _module_of(known) != _module_of(factory):
        raise CoreError(
            f"there is a backend {name!r} of the module {_module_of(known)} already: choose "
            f"another name, or pass replace=True"
        )
    with _LOADING:
        _FACTORIES[name] = factory
        BACKENDS.pop(name, None)


def _module_of(factory: "Callable[[], Backend]") -> str:
    return getattr(factory, "__module__", None) or type(factory).__module__


def load_backend(name: str) -> "Backend":
    """The backend of that name, made at first use; of ``"auto"`` the one that runs ops here."""
    found = BACKENDS.get(name) if isinstance(name, str) else None
    if found is not None:
        return found
    if name == AUTO:
        return load_backend(provided("backend_of_ops")())
    if name not in backend_names():
        raise unknown_backend(name)
    with _LOADING:
        if name not in BACKENDS:
            module = f"{BUILT_IN}{name}"
            make = _FACTORIES.get(name) or import_module(module).make_backend
            BACKENDS[name] = make()
    return BACKENDS[name]
