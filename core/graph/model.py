"""A graph with its weights, ready to run."""

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any

import numpy as np

from core.engine import tensor
from core.errors import CoreError
from core.graph.executor import GIVEN_TYPES, Executor
from core.graph.initialization import Initialization
from core.graph.nodes import Endpoint, Graph, PartialSpec, Quantization, node_of
from core.scopes import keep
from core.settings import backend as on_backend
from core.settings import get_backend
from core.tensors import Tensor
from core.workers import run_async


class GraphModel:
    """Runs a graph on one backend, where its weights stay. Threads may share it.

    Args:
        graph: nodes, weights, inputs and outputs.
        backend: where to run, by default the active one.
        kernels: functions for node types that have none here, or that should run otherwise, by
            type. One takes the node's inputs as tensors and its attributes as keywords, and
            returns a tensor or a list of them.

    Raises:
        CoreError: the outputs need node types that nothing runs; all are listed, with the names
            of their nodes. Types that the format does not define itself (``graph.custom_types``)
            are told when an output that needs them is asked for.
    """

    def __init__(
        self,
        graph: Graph,
        backend: str | None = None,
        *,
        kernels: Mapping[str, Callable[..., Any]] | None = None,
    ):
        self.backend = backend or get_backend()
        _check_unique(graph)
        self.graph = graph
        with on_backend(self.backend):
            # A model may be loaded inside of a tidy scope, and outlives it.
            weights = keep({name: tensor(array) for name, array in graph.weights.items()})
        self._executor = Executor(
            graph.nodes, weights, functions=graph.functions, kernels=kernels or {}
        )
        wanted = [e.node for e in graph.outputs.values()] or [n.name for n in graph.nodes]
        self._executor.check_outputs(wanted, graph.custom_types)
        _check_given(graph)
        with on_backend(self.backend):
            self._initialization = Initialization(graph, self._executor)

    @property
    def inputs(self) -> dict[str, PartialSpec]:
        """Name of each input, its shape (None: any length) and dtype."""
        return {name: endpoint.spec for name, endpoint in self.graph.inputs.items()}

    @property
    def outputs(self) -> dict[str, PartialSpec]:
        """Name of each output, its shape (None: any length) and dtype."""
        return {name: endpoint.spec for name, endpoint in self.graph.outputs.items()}

    def predict(self, inputs: Any, *, raw: bool = False) -> dict[str, Tensor]:
        """Run the graph.

        Args:
            inputs: the input (array or tensor), or a dict of them by name. Where an input is
                quantised, an array of its own integer dtype is taken as quanta, one of floats as
                the real values.
            raw: give quantised outputs as their integers (int32) instead of the real values.

        Returns:
            Every output by name, as it leaves the graph.

        Raises:
            CoreError: an input is missing, unknown, or of another shape or dtype; or an output
                needs a node that nothing runs.
        """
        return self.execute(inputs, list(self.graph.outputs), raw=raw)

    def execute(
        self, inputs: Any, outputs: Sequence[str], *, raw: bool = False
    ) -> dict[str, Tensor]:
        """Run what leads to some outputs.

        Args:
            inputs: as for `predict`; a dict may name any node, which then is not computed. What
                the outputs do not need may be left out.
            outputs: names of outputs or of any nodes; ``"name:1"`` is a node's second output.
            raw: as for `predict`.

        Returns:
            What was asked for, by the names given.
        """
        if isinstance(outputs, str) or not all(isinstance(name, str) for name in outputs):
            raise CoreError(f"outputs must be a list of names, got {outputs!r}")
        references = [self._reference(name) for name in outputs]
        with on_backend(self.backend):
            feeds = {**self._initialization.resources(), **self._feeds(inputs)}
            values = self._executor.run(feeds, references)
            return {
                name: self._given_out(name, values[reference], raw)
                for name, reference in zip(outputs, references, strict=True)
            }

    def predict_async(
        self, inputs: Any, *, raw: bool = False
    ) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """`predict` to await: the event loop goes on while a worker thread runs the graph.

        >>> import asyncio
        >>> from core.graph.nodes import Endpoint, Graph, Node, PartialSpec
        >>> x = Endpoint("x", PartialSpec((None,)))
        >>> model = GraphModel(Graph([Node("x", "Placeholder")], {}, {"x": x}, {"y": x}))
        >>> asyncio.run(model.predict_async([-1.0, 2.0]))["y"].numpy()
        array([-1.,  2.], dtype=float32)
        """
        return run_async(self.predict, inputs, raw=raw)

    def execute_async(
        self, inputs: Any, outputs: Sequence[str], *, raw: bool = False
    ) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """`execute` to await, in a worker thread: ``await model.execute_async(x, ["relu_3"])``."""
        return run_async(self.execute, inputs, outputs, raw=raw)

    def _reference(self, name: str) -> str:
        """What a public name stands for."""
        if name in self.graph.outputs:
            return self._executor.normalised(self.graph.outputs[name].node)
        return self._executor.normalised(self.graph.aliases.get(name, name))

    def _feeds(self, inputs: Any) -> dict[str, Tensor]:
        """The inputs as tensors by reference."""
        declared = self.graph.inputs
        if not isinstance(inputs, Mapping):
            if len(declared) != 1:
                raise CoreError(f"give the inputs as a dict with {list(declared)}")
            inputs = {next(iter(declared)): inputs}
        return dict(self._feed(name, value) for name, value in inputs.items())

    def _feed(self, name: str, value: Any) -> tuple[str, Tensor]:
        endpoint = self.graph.inputs.get(name)
        if endpoint is None:
            reference = self._executor.normalised(self.graph.aliases.get(name, name))
            if node_of(reference) not in self._executor.nodes:
                raise CoreError(
                    f"there is no input or node {name!r}, the graph takes {list(self.graph.inputs)}"
                )
            return reference, tensor(value)
        fed = _real(value, endpoint.quantization)
        if not endpoint.spec.accepts(fed.spec):
            raise CoreError(
                f"input {name!r} must have shape {endpoint.spec.shape} (None: any) and dtype "
                f"{endpoint.spec.dtype}, got {fed.shape} and {fed.dtype}{_advice(endpoint, fed)}"
            )
        return self._executor.normalised(endpoint.node), fed

    def _given_out(self, name: str, value: Any, raw: bool) -> Tensor:
        if not isinstance(value, Tensor):
            raise CoreError(
                f"the node {name!r} gives a {type(value).__name__}, which is no tensor: ask for a "
                f"node that reads it"
            )
        endpoint = self.graph.outputs.get(name)
        if not raw or endpoint is None or endpoint.quantization is None:
            return value
        return _quanta(value, endpoint.quantization)


def _real(value: Any, quantization: Quantization | None) -> Tensor:
    """The real values that are fed."""
    dtype = getattr(value, "dtype", None)
    if quantization is None or dtype != np.dtype(quantization.dtype):
        return tensor(value)
    scale, zero_point = np.float32(quantization.scale), quantization.zero_point
    return tensor((np.asarray(value, np.int32) - zero_point).astype(np.float32) * scale)


def _advice(endpoint: Endpoint, fed: Tensor) -> str:
    """What to do about another dtype; an image of whole numbers mostly wants another range, too."""
    wanted = endpoint.spec.dtype
    return "" if fed.dtype == wanted else f": convert it, as with numpy's astype({wanted!r})"


def _quanta(value: Tensor, quantization: Quantization) -> Tensor:
    """The integers that stand for values."""
    quanta = np.rint(value.numpy() / quantization.scale) + quantization.zero_point
    return tensor(np.clip(quanta, *quantization.limits).astype(np.int32))


def _check_unique(graph: Graph) -> None:
    """Every name means one node."""
    counts = Counter(node.name for node in graph.nodes)
    twice = [name for name, count in counts.items() if count > 1]
    fed = Counter(endpoint.node for endpoint in graph.inputs.values())
    twice += [name for name, count in fed.items() if count > 1]
    if twice:
        raise CoreError(f"these names are used twice in the graph: {', '.join(twice)}")


def _check_given(graph: Graph) -> None:
    """Whatever is not computed is given."""
    fed = [node_of(endpoint.node) for endpoint in graph.inputs.values()]
    given = {*graph.weights, *fed, *graph.resources}
    missing = [n.name for n in graph.nodes if n.type in GIVEN_TYPES and n.name not in given]
    if missing:
        raise CoreError(f"nothing is given for these nodes: {', '.join(missing)}")
