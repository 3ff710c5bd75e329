"""Calls that a stored program makes beside its kernels, such as NumPy's, bound to memory again.

A call is a function with arguments and keywords, written as JSON. Of arrays only the place is
written, so that a call can be bound to the memory of any run. Functions have names in NumPy or in
this backend: a file names code, and has none. `core.backends.cpu.codegen.work_storing` writes them.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np

from core.backends.cpu.numpy_steps.thread_pool import ParallelTasks, Work
from core.backends.cpu.numpy_steps.workspaces import Workspaces
from core.engine.operation import Op
from core.engine.registry import OPS
from core.engine.specs import Spec

__all__ = ["OF_FUNCTIONS", "OF_OPS", "ArrayPlace", "WorkReader", "Workspaces"]

#: Beginnings of the modules whose functions and ops a file may name.
OF_FUNCTIONS, OF_OPS = "core.backends.cpu.", "core.ops."


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


class WorkReader:
    """Makes calls of documents.

    Args:
        sections: the memory that places of arrays are in.
    """

    def __init__(self, sections: Sequence[np.ndarray]):
        self._sections = sections

    def work(self, document: Mapping[str, Any]) -> Work:
        """Return the call of a document.

        Raises:
            ValueError, LookupError, TypeError, AttributeError, ImportError: the document has
                another form.
        """
        if "tasks" in document:
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
        if module != "numpy" and not module.startswith(OF_FUNCTIONS):
            raise ValueError(f"{module} has no functions for stored programs")
        return getattr(import_module(module), name)

    def _op(self, named: Any) -> Op:
        module, name = named
        if not module.startswith(OF_OPS):
            raise ValueError(f"{module} has no ops for stored programs")
        import_module(module)  # which declares it
        return OPS[name]

    def _spec(self, parts: Any) -> Spec:
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
