"""A graph with its weights, ready to run."""

from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.engine import tensor
from core.errors import CoreError
from core.graph.nodes import GIVEN_TYPES, NODE_TYPES, Endpoint, Node, PartialSpec
from core.graph.order import last_uses, running_order
from core.kernels import OPS
from core.scopes import keep
from core.settings import backend as on_backend
from core.settings import get_backend
from core.tensors import Tensor
from core.workers import run_async


class Graph(NamedTuple):
    """Nodes, the weights of the Const ones among them, and the names of what goes in and out."""

    nodes: Sequence[Node]
    weights: Mapping[str, np.ndarray]
    inputs: Mapping[str, Endpoint]
    outputs: Mapping[str, Endpoint]


class GraphModel:
    """Runs a graph on one backend, where its weights stay. Threads may share it.

    Args:
        graph: nodes, weights, inputs and outputs.
        backend: where to run, by default the active one.

    Raises:
        CoreError: the graph has node types that nothing runs; all are listed.
    """

    def __init__(self, graph: Graph, backend: str | None = None):
        self.backend = backend or get_backend()
        _check_types(graph.nodes)
        _check_names(graph)
        self.nodes = {node.name: node for node in graph.nodes}
        self._attributes = {n.name: _translated(n) for n in graph.nodes if n.type in NODE_TYPES}
        with on_backend(self.backend):
            # A model may be loaded inside of a tidy scope, and outlives it.
            self._weights = keep({name: tensor(array) for name, array in graph.weights.items()})
        self._inputs, self._outputs = dict(graph.inputs), dict(graph.outputs)
        self._schedules: dict[tuple[str, ...], tuple[list[Node], list[list[str]]]] = {}

    @property
    def inputs(self) -> dict[str, PartialSpec]:
        """Name of each input, its shape (None: any length) and dtype."""
        return {name: endpoint.spec for name, endpoint in self._inputs.items()}

    @property
    def outputs(self) -> dict[str, PartialSpec]:
        """Name of each output, its shape (None: any length) and dtype."""
        return {name: endpoint.spec for name, endpoint in self._outputs.items()}

    def predict(self, inputs: Any) -> dict[str, Tensor]:
        """Run the graph.

        Args:
            inputs: the input (array or tensor), or a dict of them by name.

        Returns:
            Every output by name, as it leaves the graph.

        Raises:
            CoreError: an input is missing, unknown, or of another shape or dtype.
        """
        return self.execute(inputs, list(self._outputs))

    def execute(self, inputs: Any, outputs: Sequence[str]) -> dict[str, Tensor]:
        """Run what leads to some outputs, given by name; any node's name will do."""
        if isinstance(outputs, str) or not all(isinstance(name, str) for name in outputs):
            raise CoreError(f"outputs must be a list of names, got {outputs!r}")
        named = [self._outputs[n].node if n in self._outputs else n for n in outputs]
        with on_backend(self.backend):
            values = self._run({**self._weights, **self._feeds(inputs)}, named)
        return {name: values[node] for name, node in zip(outputs, named, strict=True)}

    def predict_async(self, inputs: Any) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """`predict` to await: the event loop goes on while a worker thread runs the graph.

        Args:
            inputs: the input (array or tensor), or a dict of them by name.

        >>> import asyncio
        >>> from core.graph.nodes import Endpoint, Node, PartialSpec
        >>> x = Endpoint("x", PartialSpec((None,)))
        >>> model = GraphModel(Graph([Node("x", "Placeholder")], {}, {"x": x}, {"y": x}))
        >>> asyncio.run(model.predict_async([-1.0, 2.0]))["y"].numpy()
        array([-1.,  2.], dtype=float32)
        """
        return run_async(self.predict, inputs)

    def execute_async(
        self, inputs: Any, outputs: Sequence[str]
    ) -> Coroutine[Any, Any, dict[str, Tensor]]:
        """`execute` to await, in a worker thread.

        Args:
            inputs: the input (array or tensor), or a dict of them by name.
            outputs: names of outputs, or of any nodes: ``await model.execute_async(x, ["relu_3"])``
                gives ``{"relu_3": tensor}``.
        """
        return run_async(self.execute, inputs, outputs)

    def _feeds(self, inputs: Any) -> dict[str, Tensor]:
        """The inputs as tensors by node name."""
        if not isinstance(inputs, Mapping):
            if len(self._inputs) != 1:
                raise CoreError(f"give the inputs as a dict with {list(self._inputs)}")
            inputs = {next(iter(self._inputs)): inputs}
        if set(inputs) != set(self._inputs):
            raise CoreError(f"got inputs {list(inputs)}, the graph takes {list(self._inputs)}")
        feeds = {}
        for name, (node, wanted) in self._inputs.items():
            feeds[node] = tensor(inputs[name])
            if not wanted.accepts(feeds[node].spec):
                raise CoreError(
                    f"input {name!r} must have shape {wanted.shape} (None: any) and dtype "
                    f"{wanted.dtype}, got {feeds[node].shape} and {feeds[node].dtype}"
                )
        return feeds

    def _run(self, values: dict[str, Tensor], wanted: Sequence[str]) -> dict[str, Tensor]:
        """Add the value of each node to those given, and drop what is no longer needed."""
        order, freed = self._schedule(tuple(wanted))
        for node, finished in zip(order, freed, strict=True):
            arguments = [values[name] for name in node.inputs]
            run = OPS[NODE_TYPES[node.type].op]
            values[node.name] = run(*arguments, **self._attributes[node.name])
            del arguments
            for name in finished:
                del values[name]
        return values

    def _schedule(self, wanted: tuple[str, ...]) -> tuple[list[Node], list[list[str]]]:
        if wanted not in self._schedules:
            given = [*self._weights, *(endpoint.node for endpoint in self._inputs.values())]
            order = running_order(self.nodes, given, wanted)
            self._schedules[wanted] = order, last_uses(order, wanted)
        return self._schedules[wanted]


def _translated(node: Node) -> dict[str, Any]:
    """A node's attributes as those of its op."""
    try:
        return NODE_TYPES[node.type].attributes(node.attributes)
    except KeyError as error:
        raise CoreError(f"node {node.name!r} ({node.type}) lacks the attribute {error}") from error
    except CoreError as error:
        raise CoreError(f"node {node.name!r} ({node.type}): {error}") from error


def _check_names(graph: Graph) -> None:
    """Every name means one node, and whatever is not computed is given."""
    counts = Counter(node.name for node in graph.nodes)
    twice = [name for name, count in counts.items() if count > 1]
    fed = Counter(endpoint.node for endpoint in graph.inputs.values())
    twice += [name for name, count in fed.items() if count > 1]
    if twice:
        raise CoreError(f"these names are used twice in the graph: {', '.join(twice)}")
    given = {*graph.weights, *fed}
    missing = [n.name for n in graph.nodes if n.type in GIVEN_TYPES and n.name not in given]
    if missing:
        raise CoreError(f"nothing is given for these nodes: {', '.join(missing)}")


def _check_types(nodes: Sequence[Node]) -> None:
    unknown: dict[str, list[str]] = {}
    for node in nodes:
        if node.type not in NODE_TYPES and node.type not in GIVEN_TYPES:
            unknown.setdefault(node.type, []).append(node.name)
    if unknown:
        listed = "; ".join(f"{kind} ({', '.join(names)})" for kind, names in unknown.items())
        raise CoreError(f"no op runs these node types: {listed}")
