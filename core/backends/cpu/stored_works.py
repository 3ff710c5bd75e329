"""Calls that a stored program makes beside its kernels, such as NumPy's: as JSON, and bound again.

A call is a function with arguments and keywords. Of arrays only the place is written, so that a
call can be bound to the memory of any run. Functions have names in NumPy or in this backend: a file
names code, and has none.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from types import BuiltinMethodType, EllipsisType, FunctionType, NoneType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:  # which imports what few stored programs need
    from core.backends.cpu.numpy_steps.thread_pool import Work
    from core.engine.operation import Op

#: Packages whose functions and ops a file may name.
_FUNCTIONS, _OPS = "core.backends.cpu.", "core.ops."

_PLAIN = (bool, int, float, str, NoneType)


class NotStorableError(Exception):
    """A call cannot be written: it is no function by name, or an argument is of another kind."""


class ArrayPlace(NamedTuple):
    """An array as its place in a section of memory, and the form that it has there."""

    section: int
    offset: int
    shape: Sequence[int]
    strides: Sequence[int]
    dtype: str

    def view(self, sections: Sequence[np.ndarray]) -> np.ndarray:
        """Return the array in some sections, uint8 each; it may be written to if its section may.

        Raises:
            ValueError, TypeError, IndexError: it does not lie in its section.
        """
        memory = sections[self.section]
        shape, strides = tuple(self.shape), tuple(self.strides)
        return np.ndarray(shape, self.dtype, memory.data, self.offset, strides)


#: Returns the place of an array.
Locate = Callable[[np.ndarray], ArrayPlace]


class WorkWriter:
    """Writes calls as documents for JSON.

    Args:
        locate: function that finds the place of an array.
    """

    def __init__(self, locate: Locate):
        self._locate = locate

    def document(self, work: "Work") -> dict[str, Any]:
        """Return the document of a call, or of lists of calls for several threads.

        Raises:
            NotStorableError: it cannot be written.
        """
        from core.backends.cpu.numpy_steps.thread_pool import ParallelTasks

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
        from core.engine.operation import Op
        from core.engine.specs import Spec

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


def _name_of_op(op: "Op") -> tuple[str, str]:
    """Return the module that declares an op, and its name."""
    module = op.rule.__module__
    if op.traits.random or not module.startswith(_OPS):
        raise NotStorableError
    return module, op.name


def _name_of(function: Any) -> tuple[str, str]:
    """Return module and name of a function."""
    name = getattr(function, "__name__", "")
    if getattr(np, name, None) is function:
        return "numpy", name
    module = getattr(function, "__module__", None) or ""
    is_own = isinstance(function, FunctionType) and module.startswith(_FUNCTIONS)
    if not is_own or getattr(import_module(module), name, None) is not function:
        raise NotStorableError
    return module, name


class WorkReader:
    """Makes calls of documents.

    Args:
        sections: the memory that places of arrays are in.
    """

    def __init__(self, sections: Sequence[np.ndarray]):
        self._sections = sections

    def work(self, document: Mapping[str, Any]) -> "Work":
        """Return the call of a document.

        Raises:
            ValueError, LookupError, TypeError, AttributeError, ImportError: the document has
                another form.
        """
        if "tasks" in document:
            from core.backends.cpu.numpy_steps.thread_pool import ParallelTasks

            return ParallelTasks([[*map(self.work, task)] for task in document["tasks"]])
        keywords = {name: self._value(value) for name, value in document["keywords"].items()}
        call = self._value(document["call"])
        return partial(call, *map(self._value, document["arguments"]), **keywords)

    def _value(self, document: Any) -> Any:
        if isinstance(document, list):
            return [*map(self._value, document)]
        if not isinstance(document, dict):
            return document
        ((kind, value),) = document.items()
        return self._READERS[kind](self, value)

    def _array(self, place: Any) -> np.ndarray:
        return ArrayPlace(*place).view(self._sections)

    def _method(self, named: Any) -> Any:
        array, name = named
        return getattr(self._array(array["array"]), name)

    def _tuple(self, items: Any) -> tuple[Any, ...]:
        return tuple(map(self._value, items))

    def _mapping(self, items: Any) -> dict[str, Any]:
        return {name: self._value(each) for name, each in items.items()}

    def _function(self, named: Any) -> Any:
        module, name = named
        if module != "numpy" and not module.startswith(_FUNCTIONS):
            raise ValueError(f"{module} has no functions for stored programs")
        return getattr(import_module(module), name)

    def _op(self, named: Any) -> Any:
        from core.engine.registry import OPS

        module, name = named
        if not module.startswith(_OPS):
            raise ValueError(f"{module} has no ops for stored programs")
        import_module(module)  # which declares it
        return OPS[name]

    def _spec(self, parts: Any) -> Any:
        from core.engine.specs import Spec

        shape, dtype = parts
        return Spec(tuple(shape), dtype)

    def _ellipsis(self, _: Any) -> Any:
        return ...

    _READERS: Mapping[str, Callable[["WorkReader", Any], Any]] = {
        "array": _array,
        "method": _method,
        "tuple": _tuple,
        "mapping": _mapping,
        "function": _function,
        "op": _op,
        "spec": _spec,
        "ellipsis": _ellipsis,
    }
