"""The arrays of a graph as tensors, held once."""

import numpy as np

from core.engine.dispatch import tensor, wrap
from core.engine.dtypes import DTYPES
from core.engine.settings import active_backend
from core.engine.specs import Spec
from core.engine.tensors import Tensor
from core.graph.nodes import Graph

#: A view of fewer bytes of a file is copied: else it would keep the whole file in memory.
SMALLEST_VIEW = 4096


def weight(array: np.ndarray) -> Tensor:
    """An array as a tensor on the active backend: shared if read-only, else a copy."""
    if not _is_ready(array):
        return tensor(array)
    backend = active_backend()
    return wrap(backend, backend.upload(array), Spec(array.shape, array.dtype.name))


def shown_graph(graph: Graph, tensors: dict[str, Tensor]) -> Graph:
    """A graph whose weights show the data of tensors, so that its own arrays need not stay.

    Where the data are not in the memory of the CPU, they stay.
    """
    shown = {
        n: np.asarray(t) if t.backend == "cpu" else graph.weights[n] for n, t in tensors.items()
    }
    initializer = graph.initializer
    if initializer is not None:
        weights = {
            name: shown[name] if graph.weights.get(name) is array else array
            for name, array in initializer.weights.items()
        }
        initializer = initializer._replace(weights=weights)
    integers = {
        name: found._replace(real=shown[name])
        for name, found in graph.integers.items()
        if graph.weights.get(name) is found.real
    }
    return graph._replace(weights=shown, initializer=initializer, integers=integers)


def _is_ready(array: np.ndarray) -> bool:
    """Whether a tensor may have an array for its data as it is."""
    if type(array) is not np.ndarray or str(array.dtype) not in DTYPES:  # that of ">f4" is not
        return False
    return array.flags.c_contiguous and array.flags.aligned and _is_frozen(array)


def _is_frozen(array: np.ndarray) -> bool:
    """Whether the data cannot be written to, which may be an array's or a large part of a file."""
    shown: object = array
    while isinstance(shown, np.ndarray):
        if shown.flags.writeable:
            return False
        if shown.base is None:
            return True
        shown = shown.base
    shown = shown.obj if isinstance(shown, memoryview) else shown
    return isinstance(shown, bytes) and array.nbytes >= SMALLEST_VIEW
