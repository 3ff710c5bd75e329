"""A model whose network is read when a call needs it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from core.backends.cpu.tiers import may_generate
from core.engine.backends import AUTO
from core.engine.settings import chosen_backend
from core.graph_model.stored_calls import StoredCalls
from core.process.locks import new_lock

if TYPE_CHECKING:
    from core.graph.nodes import Graph
    from core.graph_model.graph_model import GraphModel

Result = TypeVar("Result")


class DeferredModel:
    """Runs stored calls of a network, and makes the network for all others. Threads may share it.

    Args:
        backend: name of the backend that the model runs on.
        make: reads the network.
        stored: its stored calls.
    """

    def __init__(self, backend: str, make: "Callable[[], GraphModel]", stored: "StoredCalls"):
        self.backend = backend
        self._make, self.stored = make, stored
        self._model: GraphModel | None = None
        self._making = new_lock()

    @property
    def model(self) -> "GraphModel":
        """The model of the network, made at its first use."""
        if self._model is None:
            with self._making:
                self._model = self._model or self._make()
            self.stored.release()
        return self._model

    @property
    def output_names(self) -> list[str]:
        """Names of the network's outputs."""
        names = self.stored.output_names
        return network_fact(self, names_of_outputs) if names is None else names

    @property
    def tiers(self) -> list[str]:
        """Kinds of the kernels by which it has run so far; those of stored calls are generated."""
        return self.stored.tiers if self._model is None else self._model.tiers

    def run(
        self, inputs: Any, outputs: Sequence[str] | None, *, as_arrays: bool
    ) -> dict[str, Any] | None:
        """Return the outputs of a call that is stored; None if it is not, or the model is made."""
        if self._model is not None:
            return None
        return self.stored.run(inputs, outputs, as_arrays=as_arrays)


def network_fact(
    network: "DeferredModel | GraphModel", find: "Callable[[Graph], Result]"
) -> Result:
    """Return what a function finds in a network, which need not be read if a process found it.

    Args:
        network: the network.
        find: see `StoredCalls.fact`.
    """
    if isinstance(network, DeferredModel):
        return network.stored.fact(find, lambda: network.model.graph)
    stored = network.stored
    return find(network.graph) if stored is None else stored.fact(find, lambda: network.graph)


def names_of_outputs(graph: "Graph") -> list[str]:
    """Return the names of a network's outputs, in its order."""
    return [*graph.outputs]


def network_backend(given: str | None) -> str:
    """Return the name of the backend for a network: the given one, else the active one.

    It may be ``"auto"``, which each network decides for itself: see `core.GraphModel`.
    """
    return given or chosen_backend()


def deferred_model(
    make: "Callable[[StoredCalls | None], GraphModel]",
    backend: str,
    parts: Sequence[str],
    packages: Sequence[str],
) -> "DeferredModel | GraphModel":
    """Return the model of a network, which is read later if there are stored calls of it.

    Args:
        make: reads the network for a model, which adds its calls to the stored ones.
        backend: name of the backend that it runs on.
        parts: all that decides what the network computes; see `StoredCalls`.
        packages: names of packages that build it; see `StoredCalls`.
    """
    if not (_is_cpu(backend) and may_generate()):
        return make(None)
    stored = StoredCalls(*parts, packages=packages)
    return DeferredModel(backend, lambda: make(stored), stored) if len(stored) else make(stored)


def _is_cpu(backend: str) -> bool:
    if backend != AUTO:
        return backend == "cpu"
    from core.backends.automatic import has_gpu  # which takes a while, and most name a backend

    return not has_gpu()
