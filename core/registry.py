"""Registries: ops by name, kernels by (op, backend), backends by folder name."""

import importlib
import os
import sys
from collections.abc import Callable
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, TypeVar, overload

from core import backends
from core.errors import MISUSE, CoreError, KernelNotFound
from core.locks import new_lock
from core.operation import Op, Rule

if TYPE_CHECKING:
    from core.backend_contract import Backend

Function = TypeVar("Function", bound=Callable[..., Any])

OPS: dict[str, Op] = {}
KERNEL_NAMES: dict[str, Op] = {}  # ops by their TensorFlow.js names
NODE_OPS: dict[str, Op] = {}  # ops by TensorFlow's node types
METHODS: dict[str, Callable[..., Any]] = {}  # ops and functions that are methods of tensors, too
FUNCTIONS: dict[str, Callable[..., Any]] = {}  # public functions that are made of ops
KERNELS: dict[tuple[str, str], Callable[..., Any]] = {}
READY: dict[tuple[str, str], Callable[..., Any]] = {}  # kernels that ran or are about to
_HOMES: dict[tuple[str, str], str] = {}  # the module that registered each
_BACKENDS: dict[str, "Backend"] = {}
_FACTORIES: dict[str, Callable[[], "Backend"]] = {}  # of user-defined backends
REPLACED: list[tuple[str, str]] = []  # (op, backend) of each kernel that a user replaced
_LOADING = new_lock()


class OpNamespace:
    """Attribute access to every op and composite, for rules that are declared before them."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        found = OPS.get(name) or FUNCTIONS.get(name)
        if found is None:
            raise AttributeError(f"no op {name!r}")
        setattr(self, name, found)  # later look-ups take a tenth of the time
        return found

    def forget(self, name: str) -> None:
        """Forget a name that is declared again."""
        self.__dict__.pop(name, None)


ops = OpNamespace()


def register(op: Op) -> Op:
    """Make an op known by its names."""
    for known in (OPS.get(op.name), KERNEL_NAMES.get(op.kernel_name)):
        # The same module may do it again: a cell of a notebook, or an import after Ctrl-C.
        if known and known.rule.__module__ != op.rule.__module__:
            raise CoreError(f"op {op.name!r} or kernel {op.kernel_name!r} is declared twice")
    if op.name in FUNCTIONS:
        raise CoreError(f"{op.name!r} is a function of core already: choose another name")
    for spelling in op.spellings.tensorflow:
        known = NODE_OPS.get(spelling, op)
        if known.name != op.name:
            raise CoreError(f"node type {spelling!r} is that of {known.name!r} already")
    NODE_OPS.update(dict.fromkeys(op.spellings.tensorflow, op))
    OPS[op.name] = KERNEL_NAMES[op.kernel_name] = op
    if op.method:
        METHODS[op.name] = op
    ops.forget(op.name)
    return op


def op(**options: Any) -> Callable[[Rule], Op]:
    """Declare the decorated rule as an op; the options are those of `core.operation.Op`."""
    return lambda rule: register(Op(rule, **options))


@overload
def composite(function: Function, /) -> Function: ...


@overload
def composite(*, method: bool) -> Callable[[Function], Function]: ...


def composite(function: Any = None, /, *, method: bool = False) -> Any:
    """Make a function of ops public as ``core.<name>``; its misuse becomes a `CoreError`.

    Args:
        function: the decorated function.
        method: whether it is a method of tensors, too.
    """
    if function is None:
        return lambda decorated: _public(decorated, method)
    return _public(function, method)


def _public(function: Callable[..., Any], method: bool) -> Callable[..., Any]:
    name = function.__name__

    @wraps(function)
    def checked(*arguments: Any, **options: Any) -> Any:
        try:
            return function(*arguments, **options)
        except MISUSE as error:
            raise CoreError(f"{name} cannot work with this: {error}") from error

    known = OPS.get(name) or FUNCTIONS.get(name)
    if known and (name in OPS or known.__module__ != function.__module__):
        raise CoreError(f"function {name!r} is declared twice")
    FUNCTIONS[name] = checked
    if method:
        METHODS[name] = checked
    ops.forget(name)
    return checked


def kernel(op_name: str, backend: str, *, replace: bool = False) -> Callable[[Function], Function]:
    """Register the decorated function as the kernel of an op on a backend.

    Args:
        op_name: the op's Python name, such as ``"conv2d"``.
        backend: the backend's name, such as ``"cpu"``. On ``cpu`` a kernel takes the inputs as
            NumPy arrays (read only), the attributes as keywords, and returns fresh arrays.
        replace: replace an existing kernel. Plans call the new kernel instead of their own code
            for the op, which they fuse into no other one; ops that are computed beforehand
            (constants, batch norm merged into a convolution) call no kernel.

    Raises:
        CoreError: no such backend, the name is that of a function made of ops, or this pair has a
            kernel from another module already, and ``replace`` is not set.

    >>> import core, numpy as np
    >>> @core.kernel("my_op", "cpu")
    ... def my_op(x):
    ...     return x * 2
    """
    if backend not in backend_names():
        raise _unknown_backend(backend)
    if op_name in FUNCTIONS:
        raise CoreError(
            f"{op_name!r} is a function made of ops, and has no kernel: write one for those ops"
        )
    _load_family(op_name, backend)  # so that a built-in kernel is not replaced unnoticed
    key, home = (op_name, backend), sys._getframe(1).f_globals["__name__"]

    def register(function: Function) -> Function:
        # The same module may do it again: a cell of a notebook, or an import after Ctrl-C.
        if replace and key in _HOMES:
            _HOMES[key] = home
        if _HOMES.setdefault(key, home) != home:
            raise CoreError(
                f"op {op_name!r} has a kernel on backend {backend!r} already: replace=True takes "
                f"its place"
            )
        if key in KERNELS and not home.startswith("core.backends."):
            REPLACED.append(key)
        READY.pop(key, None)
        KERNELS[key] = function
        return function

    return register


def find_kernel(op_name: str, backend: str) -> Callable[..., Any]:
    """The kernel of an op on a backend, or `KernelNotFound` that lists the backends having one.

    The kernel is added to READY. A kernel that is only in KERNELS may be in a file that another
    thread is still importing.
    """
    key = op_name, backend
    _load_family(*key)
    if key not in KERNELS:
        load_kernels(backend)
        load_kernels("cpu")  # has most kernels, so is listed even if not used yet
    found = KERNELS.get(key)
    if found is None:
        have = sorted(b for o, b in KERNELS if o == op_name)
        raise KernelNotFound(
            f"no kernel {op_name!r} on backend {backend!r}; available on: "
            f"{', '.join(have) or 'none'} (register one with core.kernel)"
        )
    if not _HOMES[key].startswith("core.backends."):
        found = load_backend(backend).guarded(found)
    READY[key] = found
    return found


def _load_family(op_name: str, backend: str) -> None:
    """Import the kernel file that is named like the file that declares the op.

    That file only, and ``elementwise``, which may have a table of ops of several files: a command
    that runs one network need not wait for all kernels. An import that another thread has begun is
    waited for.
    """
    op = OPS.get(op_name)
    family = op.rule.__module__.rpartition(".")[2] if op else ""
    for file in {"elementwise", family} & _kernel_files(backend):
        importlib.import_module(f"core.backends.{backend}.kernels.{file}")


def load_kernels(backend: str) -> None:
    """Import every kernel file of a backend."""
    for family in _kernel_files(backend):
        importlib.import_module(f"core.backends.{backend}.kernels.{family}")


@cache
def _kernel_files(backend: str) -> frozenset[str]:
    try:
        names = os.listdir(f"{backends.__path__[0]}/{backend}/kernels")
    except OSError:  # a registered backend has no folder
        return frozenset()
    return frozenset(name[:-3] for name in names if name.endswith(".py")) - {"__init__"}


def backend_names() -> list[str]:
    """Every backend that has a folder in ``core/backends``, or that was registered."""
    (folder,) = backends.__path__
    built_in = {n for n in os.listdir(folder) if os.path.exists(f"{folder}/{n}/__init__.py")}
    return sorted(built_in | _FACTORIES.keys())


#: Names that other engines give to backends on the GPU, and on the processor.
_GPU_NAMES = ("cuda", "gpu", "metal", "mps", "opengl", "rocm", "vulkan", "webgl", "webgpu")
_CPU_NAMES = ("node", "numpy", "tensorflow", "tf", "torch", "wasm")


def _unknown_backend(name: Any) -> CoreError:
    hint = "; 'shader' runs on the GPU" if str(name).lower() in _GPU_NAMES else ""
    hint = "; 'cpu' runs on the processor" if str(name).lower() in _CPU_NAMES else hint
    return CoreError(f"unknown backend {name!r}: use one of {backend_names()}{hint}")


def register_backend(name: str, factory: "Callable[[], Backend]") -> None:
    """Make a user-defined backend known by a name, as `core.backend` and others take it.

    Args:
        name: that no built-in backend has.
        factory: returns the backend, a `core.Backend`; called when it is first used. Its kernels
            are registered with `core.kernel`.

    Raises:
        CoreError: there is such a backend already.

    >>> import core
    >>> core.register_backend("mine", lambda: MyBackend())  # doctest: +SKIP
    """
    if name in backend_names() and name not in _FACTORIES:
        raise CoreError(f"there is a backend {name!r} already: choose another name")
    with _LOADING:
        _FACTORIES[name] = factory
        _BACKENDS.pop(name, None)


def load_backend(name: str) -> "Backend":
    """The backend of that name, made at first use."""
    found = _BACKENDS.get(name) if isinstance(name, str) else None
    if found is not None:
        return found
    if name not in backend_names():
        raise _unknown_backend(name)
    with _LOADING:
        if name not in _BACKENDS:
            module = f"core.backends.{name}"
            make = _FACTORIES.get(name) or importlib.import_module(module).make_backend
            _BACKENDS[name] = make()
    return _BACKENDS[name]
