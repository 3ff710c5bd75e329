"""Registries: ops by name, kernels by (op, backend). `core.ops` declares the ops."""

import importlib
import os
import sys
from collections.abc import Callable
from functools import cache, wraps
from inspect import isfunction
from typing import Any, Protocol, TypeVar, overload

from core import ops
from core.engine.backends import (
    BUILT_IN,
    REPLACED,
    backend_names,
    backends_folder,
    load_backend,
    unknown_backend,
)
from core.engine.operation import Op, Parameters, Result_co, Rule
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.errors import MISUSE, CoreError, KernelNotFound

Function = TypeVar("Function", bound=Callable[..., Any])
Results = TypeVar("Results", bound=tuple[Any, ...])

OPS: dict[str, Op] = {}
KERNEL_NAMES: dict[str, Op] = {}  # ops by their TensorFlow.js names
NODE_OPS: dict[str, Op] = {}  # ops by TensorFlow's node types
METHODS: dict[str, Callable[..., Any]] = {}  # ops and functions that are methods of tensors, too
FUNCTIONS: dict[str, Callable[..., Any]] = {}  # public functions that are made of ops
KERNELS: dict[tuple[str, str], Callable[..., Any]] = {}
READY: dict[tuple[str, str], Callable[..., Any]] = {}  # kernels that ran or are about to
_HOMES: dict[tuple[str, str], str] = {}  # the module that registered each


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
    setattr(ops, op.name, op)
    return op


class Declaration(Protocol):
    """Makes an op of a rule, for type checkers: with its parameters, and tensors for specs."""

    @overload
    def __call__(  # type: ignore[overload-overlap]  # a rule of None alone has one result
        self, rule: Callable[Parameters, Spec | None], /
    ) -> Op[Parameters, Tensor]: ...

    @overload
    def __call__(
        self, rule: Callable[Parameters, tuple[Spec, ...] | None], /
    ) -> Op[Parameters, list[Tensor]]: ...


class NamedDeclaration(Protocol[Result_co]):
    """Makes an op of a rule for several results, which come as a named tuple."""

    def __call__(
        self, rule: Callable[Parameters, tuple[Spec, ...] | None], /
    ) -> Op[Parameters, Result_co]:
        """Declare an op."""


@overload
def op(*, results: type[Results], **options: Any) -> NamedDeclaration[Results]: ...


@overload
def op(**options: Any) -> Declaration: ...


def op(**options: Any) -> Any:
    """Declare the decorated rule as an op; the options are those of `core.engine.operation.Op`.

    The op has the parameters of the rule: tensors, annotated as ``TensorLike``, then attributes.
    Parameters without annotations are a tensor, or an attribute of any type.
    """
    return lambda rule: register(Op(_function(rule), **options))


def _function(rule: Any) -> Rule:
    if not isfunction(rule):
        raise CoreError(f"core.op() decorates the function of an op's shape, got {rule!r:.80}")
    return rule


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
    setattr(ops, name, checked)
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
        raise unknown_backend(backend)
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
        if key in KERNELS and not home.startswith(BUILT_IN):
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
    if not _HOMES[key].startswith(BUILT_IN):
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
        importlib.import_module(f"{BUILT_IN}{backend}.kernels.{file}")


def load_kernels(backend: str) -> None:
    """Import every kernel file of a backend."""
    for family in _kernel_files(backend):
        importlib.import_module(f"{BUILT_IN}{backend}.kernels.{family}")


@cache
def _kernel_files(backend: str) -> frozenset[str]:
    try:
        names = os.listdir(f"{backends_folder()}/{backend}/kernels")
    except OSError:  # a registered backend has no folder
        return frozenset()
    return frozenset(name[:-3] for name in names if name.endswith(".py")) - {"__init__"}
