"""What goes in and out of a graph by name: references, checks and quanta."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from core.dispatch import tensor
from core.errors import CoreError
from core.graph.executor import Executor
from core.graph.feeds import Feed, as_tensor
from core.graph.nodes import Endpoint, Graph, PartialSpec, Quantization, node_of
from core.registry import ops
from core.tensors import Tensor

#: Makes a feed of a value, and of the quanta that its reference has.
MakeFeed = Callable[[Any, Quantization | None], Feed]


class GraphSignature:
    """Knows all names of what a graph takes and gives.

    Args:
        graph: with its inputs, outputs, aliases and quanta.
        executor: of the graph.
    """

    def __init__(self, graph: Graph, executor: Executor):
        self._graph, self._nodes, self._normalised = graph, executor.nodes, executor.normalised
        self._weights = frozenset(map(id, executor.constants.values()))
        #: The declared inputs by normalised reference.
        self.inputs = {self._normalised(e.node): e for e in graph.inputs.values()}
        self._quantizations = self._all_quantizations()

    def _all_quantizations(self) -> dict[str, Quantization]:
        """The quanta of values by normalised reference."""
        ends = [*self._graph.outputs.values(), *self._graph.inputs.values()]
        found = {**self._graph.quantizations}
        found |= {e.node: e.quantization for e in ends if e.quantization is not None}
        return {self._normalised(node): quanta for node, quanta in found.items()}

    def asked(self, name: str) -> str:
        """The reference of what is asked for by name."""
        return self._reference(name, self._graph.outputs, self._graph.inputs)

    def _reference(
        self, name: str, public: Mapping[str, Endpoint], others: Mapping[str, Endpoint]
    ) -> str:
        """What a name stands for, with or without ``:0``: a public name, an alias, or a node."""
        aliases, short = self._graph.aliases, name.removesuffix(":0")
        for known in (name, short):
            if known in public:
                return self._normalised(public[known].node)
            if known in aliases:
                return self._normalised(aliases[known])
        if short in others and short not in self._nodes:
            return self._normalised(others[short].node)
        return self._normalised(name)

    def feeds(self, inputs: Any, make: MakeFeed = as_tensor) -> dict[str, Feed]:
        """The inputs by reference, as real values: one value, or a dict by name.

        Args:
            inputs: as `core.model.graph_model.GraphModel.predict` takes them.
            make: makes a feed of a value, and of the quanta that its reference has.

        Raises:
            CoreError: one is unknown, given twice, or of another shape or dtype.
        """
        feeds: dict[str, Feed] = {}
        for name, value in self.named(inputs).items():
            reference = self.fed(name)
            if reference in feeds:
                raise CoreError(f"input {name!r} is given twice, by two of its names")
            feeds[reference] = self._feed(name, reference, value, make)
        return feeds

    def named(self, inputs: Any) -> Mapping[str, Any]:
        """What is given, by name; without a name it is the only input.

        Raises:
            CoreError: there are several.
        """
        if isinstance(inputs, Mapping):
            return inputs
        declared = self._graph.inputs
        if len(declared) != 1:
            raise CoreError(f"give the inputs as a dict with {list(declared)}")
        return {next(iter(declared)): inputs}

    def fed(self, name: Any) -> str:
        """The reference of what is given by a name.

        Raises:
            CoreError: there is no such input or node.
        """
        if not isinstance(name, str):
            raise CoreError(f"inputs have names, which are strings, got {name!r}")
        reference = self._reference(name, self._graph.inputs, self._graph.outputs)
        if reference not in self.inputs and node_of(reference) not in self._nodes:
            raise CoreError(
                f"there is no input or node {name!r}, the graph takes {list(self._graph.inputs)}"
            )
        return reference

    def _feed(self, name: str, reference: str, value: Any, make: MakeFeed) -> Feed:
        """What is given, checked."""
        quantization = self._quantizations.get(reference)
        fed = make(value, quantization)
        endpoint = self.inputs.get(reference)
        if endpoint is None and quantization is not None:
            endpoint = Endpoint(reference, PartialSpec(None), quantization)
        if endpoint is not None and not endpoint.spec.accepts(fed.spec):
            raise CoreError(
                f"input {name!r} must have shape {endpoint.spec.shape} (None: any) and dtype "
                f"{endpoint.spec.dtype}, got {fed.spec.shape} and {_dtype_name(value, fed)}"
                f"{_advice(endpoint, fed)}"
            )
        return fed

    def results(
        self, found: Iterable[tuple[str, str, Any]], given: Iterable[Any], raw: bool
    ) -> dict[str, Tensor]:
        """What a run hands out, each a tensor of its own, which the caller may dispose of.

        Args:
            found: name, reference and value of each.
            given: the values that others hold.
            raw: give quanta where a value has them.
        """
        held = {id(value) for value in given}
        results: dict[str, Tensor] = {}
        for name, reference, value in found:
            result = _tensor(name, value)
            quantization = self._quanta_of(name, reference) if raw else None
            if quantization is not None:
                result = _quanta(result, quantization)
            elif id(result) in held or id(result) in self._weights:
                result = ops.identity(result)
            held.add(id(result))
            results[name] = result
        return results

    def _quanta_of(self, name: str, reference: str) -> Quantization | None:
        """The quanta of a result; two outputs may be the same value on other quanta."""
        if name in self._graph.outputs:
            return self._graph.outputs[name].quantization
        return self._quantizations.get(reference)


def listed(outputs: Any) -> list[str]:
    """The names that are asked for.

    Raises:
        CoreError: it is not several strings.
    """
    if isinstance(outputs, Iterable) and not isinstance(outputs, (str, Tensor)):
        names = list(outputs)
        if all(isinstance(name, str) for name in names):
            return names
    raise CoreError(f"outputs must be a list of names, got {outputs!r}")


def _tensor(name: str, value: Any) -> Tensor:
    """A result, which must be a tensor."""
    if isinstance(value, Tensor):
        return value
    raise CoreError(
        f"the node {name!r} gives a {type(value).__name__}, which is no tensor: ask for a node "
        f"that reads it"
    )


def _dtype_name(value: Any, fed: Feed) -> str:
    """The dtype of a value; of an array of another one, such as uint8, that first."""
    own = value.dtype.name if isinstance(value, np.ndarray) else fed.spec.dtype
    return own if own == fed.spec.dtype else f"{own}, which becomes {fed.spec.dtype}"


def _advice(endpoint: Endpoint, fed: Feed) -> str:
    """What to do about another dtype; an image of whole numbers mostly wants another range, too."""
    wanted, quantization = endpoint.spec.dtype, endpoint.quantization
    if quantization is not None and fed.spec.dtype != wanted:
        return f": quanta are taken as {quantization.dtype}, real values as {wanted}"
    return "" if fed.spec.dtype == wanted else f": convert it, as with numpy's astype({wanted!r})"


def _quanta(value: Tensor, quantization: Quantization) -> Tensor:
    """The integers that stand for values; that of 0 for NaN."""
    quanta = np.nan_to_num(np.rint(value.numpy() / quantization.scale)) + quantization.zero_point
    return tensor(np.clip(quanta, *quantization.limits).astype(np.int32))
