"""Writes calls of a program that are no generated kernels, for `core.backends.cpu.stored_works`."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from types import BuiltinMethodType, EllipsisType, FunctionType, NoneType
from typing import Any

import numpy as np

from core.backends.cpu.numpy_steps.thread_pool import ParallelTasks, Work
from core.backends.cpu.stored_works import OF_FUNCTIONS, OF_OPS, ArrayPlace
from core.engine.operation import Op
from core.engine.specs import Spec

_PLAIN = (bool, int, float, str, NoneType)


class NotStorableError(Exception):
    """A call cannot be written: it is no function by name, or an argument is of another kind."""


#: Returns the place of an array.
Locate = Callable[[np.ndarray], ArrayPlace]


class WorkWriter:
    """Writes calls as documents for JSON.

    Args:
        locate: function that finds the place of an array.
    """

    def __init__(self, locate: Locate):
        self._locate = locate

    def document(self, work: Work) -> dict[str, Any]:
        """Return the document of a call, or of lists of calls for several threads.

        Raises:
            NotStorableError: it cannot be written.
        """
        if isinstance(work, ParallelTasks):
            return {"tasks": [[*map(self.document, task)] for task in work.tasks]}
        if not isinstance(work, partial):
            raise NotStorableError
        return {
            "call": self._value(work.func),
            "arguments": [*map(self._value, work.args)],
            "keywords": {name: self._value(value) for name, value in work.keywords.items()},
        }

    def _value(self, value: Any) -> Any:
        """Return a value for JSON: itself, a list, or a mapping with its kind."""
        if type(value) in _PLAIN:
            return value
        if isinstance(value, np.ndarray):
            return {"array": self._locate(value)}
        if isinstance(value, Spec):
            return {"spec": value}
        if isinstance(value, list):
            return [*map(self._value, value)]
        if type(value) is tuple:
            return {"tuple": [*map(self._value, value)]}
        if isinstance(value, Mapping):
            return {"mapping": {name: self._value(each) for name, each in value.items()}}
        if isinstance(value, EllipsisType):
            return {"ellipsis": None}
        if isinstance(value, BuiltinMethodType) and isinstance(value.__self__, np.ndarray):
            return {"method": [self._value(value.__self__), value.__name__]}
        if isinstance(value, Op):
            return {"op": _name_of_op(value)}
        return {"function": _name_of(value)}


def _name_of_op(op: Op) -> tuple[str, str]:
    """Return the module that declares an op, and its name."""
    module = op.rule.__module__
    if op.traits.random or not module.startswith(OF_OPS):
        raise NotStorableError
    return module, op.name


def _name_of(function: Any) -> tuple[str, str]:
    """Return module and name of a function."""
    name = getattr(function, "__name__", "")
    if getattr(np, name, None) is function:
        return "numpy", name
    module = getattr(function, "__module__", None) or ""
    is_own = isinstance(function, FunctionType) and module.startswith(OF_FUNCTIONS)
    if not is_own or getattr(import_module(module), name, None) is not function:
        raise NotStorableError
    return module, name
