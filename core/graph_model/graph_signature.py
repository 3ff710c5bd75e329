"""The signature of a graph: its inputs and outputs by name, with their checks."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from core import ops
from core.engine.dispatch import tensor
from core.engine.dtypes import DTYPES
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.graph.executor import Executor
from core.graph.feeds import Feed, as_tensor, is_list, listed_feed
from core.graph.nodes import Endpoint, Graph, PartialSpec, Quantization, node_of

#: Makes a feed of a value and of the quantization of its reference.
MakeFeed = Callable[[Any, Quantization | None], Feed]

#: The types of names.
_STRING = {str}


class GraphSignature:
    """All names of the inputs and outputs of a graph.

    Args:
        graph: graph with its inputs, outputs, aliases and quantizations.
        executor: executor of the graph.
    """

    def __init__(self, graph: Graph, executor: Executor):
        self._graph, self._nodes, self._normalised = graph, executor.nodes, executor.normalised
        self._weights = frozenset(map(id, executor.constants.values()))
        #: The declared inputs by normalised reference.
        self.inputs = {self._normalised(e.node): e for e in graph.inputs.values()}
        self._quantizations = self._all_quantizations()

    def _all_quantizations(self) -> dict[str, Quantization]:
        """Return the quantization of values by normalised reference."""
        ends = [*self._graph.outputs.values(), *self._graph.inputs.values()]
        found = {**self._graph.quantizations}
        found |= {e.node: e.quantization for e in ends if e.quantization is not None}
        return {self._normalised(node): quantization for node, quantization in found.items()}

    def fetched(self, name: str) -> str:
        """Return the reference of an output by its name."""
        return self._reference(name, self._graph.outputs, self._graph.inputs)

    def _reference(
        self, name: str, public: Mapping[str, Endpoint], others: Mapping[str, Endpoint]
    ) -> str:
        """Return the reference of a public name, an alias or a node, with or without ``:0``."""
        aliases, short = self._graph.aliases, name.removesuffix(":0")
        for known in (name, short):
            if known in public:
                return self._normalised(public[known].node)
            if known in aliases:
                return self._normalised(aliases[known])
        if short in others and short not in self._nodes:
            return self._normalised(others[short].node)
        return self._normalised(name)

    def feeds(self, inputs: Any, make: MakeFeed = as_tensor) -> dict[str, Any]:
        """Return the inputs by reference, as real values, from one value or a dict by name.

        Args:
            inputs: inputs as `core.graph_model.graph_model.GraphModel.predict` takes them.
            make: function of a value and the quantization of its reference that returns a feed.

        Raises:
            CoreError: an input is unknown, given twice, or of another shape or dtype.
        """
        feeds: dict[str, Any] = {}
        for name, value in self.named(inputs).items():
            reference = self.fed(name)
            if reference in feeds:
                raise CoreError(f"input {name!r} is fed twice, by two of its names")
            feeds[reference] = self._feed(name, reference, value, make)
        return feeds

    def named(self, inputs: Any) -> Mapping[str, Any]:
        """Return the inputs by name; a value without a name is the only input.

        Raises:
            CoreError: the graph has several inputs.
        """
        if isinstance(inputs, Mapping):
            return inputs
        declared = self._graph.inputs
        if len(declared) != 1:
            raise CoreError(f"give the inputs as a dict with {list(declared)}")
        return {next(iter(declared)): inputs}

    def fed(self, name: Any) -> str:
        """Return the reference of an input by its name.

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

    def _feed(self, name: str, reference: str, value: Any, make: MakeFeed) -> Any:
        """Return the checked feed of an input, or tensors where it takes a list of them."""
        quantization = self._quantizations.get(reference)
        endpoint = self.inputs.get(reference)
        if endpoint is not None and is_list(value, endpoint.form):
            return listed_feed(name, value, endpoint)
        fed = make(value, quantization)
        if endpoint is None and quantization is not None:
            endpoint = Endpoint(reference, PartialSpec(None), quantization)
        if endpoint is not None and not endpoint.spec.accepts(fed.spec):
            raise CoreError(
                f"input {name!r} must have shape {endpoint.spec.shape} (None: any) and dtype "
                f"{endpoint.spec.dtype}, got {fed.spec.shape} and {_dtype_name(value, fed)}"
                f"{_advice(endpoint, fed) or self._other_shape(name, endpoint, fed)}"
            )
        return fed

    def _other_shape(self, name: str, endpoint: Endpoint, fed: Feed) -> str:
        """Return how to load a model that takes other shapes than its file declares."""
        same_rank = len(endpoint.spec.shape or ()) == len(fed.spec.shape)
        if not self._graph.resizable or not same_rank or name not in self._graph.inputs:
            return ""
        return (
            f": if the network takes this shape, load it with inputs={{{name!r}: {fed.spec.shape}}}"
        )

    def results(
        self, found: Iterable[tuple[str, str, Any]], given: Iterable[Any], raw: bool
    ) -> dict[str, Any]:
        """Return the results of a run by name, as new tensors that the caller may dispose of.

        Where the graph gives lists of tensors or None, so do these.

        Args:
            found: name, reference and value of each result.
            given: values that other objects hold.
            raw: return quantized values as their integers.
        """
        held = {id(value) for value in given}
        results: dict[str, Any] = {}
        for name, reference, value in found:
            if name in self._graph.outputs and is_list(value, self._graph.outputs[name].form):
                results[name] = None if value is None else [*map(ops.identity, value)]
                continue
            result = _tensor(name, value)
            quantization = self._quantization_of(name, reference) if raw else None
            if quantization is not None:
                result = _quantized(result, quantization)
            elif id(result) in held or id(result) in self._weights:
                result = ops.identity(result)
            held.add(id(result))
            results[name] = result
        return results

    def _quantization_of(self, name: str, reference: str) -> Quantization | None:
        """Return the quantization of a result, which may differ between two names of a value."""
        if name in self._graph.outputs:
            return self._graph.outputs[name].quantization
        return self._quantizations.get(reference)


def listed(outputs: Any) -> list[str]:
    """Return the names of outputs as a list.

    Raises:
        CoreError: they are not several strings.
    """
    if type(outputs) is list and {*map(type, outputs)} == _STRING:
        return outputs
    if isinstance(outputs, Iterable) and not isinstance(outputs, (str, Tensor)):
        names = list(outputs)
        if all(isinstance(name, str) for name in names):
            return names
    raise CoreError(f"outputs must be a list of names, got {outputs!r}")


def _tensor(name: str, value: Any) -> Tensor:
    """Return a result, which must be a tensor."""
    if isinstance(value, Tensor):
        return value
    raise CoreError(
        f"the node {name!r} returns a {type(value).__name__}, which is not a tensor: fetch a node "
        f"that reads it"
    )


def as_array(value: Any) -> Any:
    """Return a result as a read-only array; a list of tensors as arrays, and None as it is."""
    if isinstance(value, list):
        return [*map(np.asarray, value)]
    return None if value is None else np.asarray(value)


def _dtype_name(value: Any, fed: Feed) -> str:
    """Return the dtype of a value, also of arrays of other dtypes, such as uint8."""
    is_number = isinstance(value, np.ndarray) and value.dtype.kind in "iufc"
    own = value.dtype.name if is_number else fed.spec.dtype
    return own if own == fed.spec.dtype else f"{own}, which becomes {fed.spec.dtype}"


def _advice(endpoint: Endpoint, fed: Feed) -> str:
    """Return the next step for a wrong dtype; integer images mostly need another range, too."""
    wanted, quantization = endpoint.spec.dtype, endpoint.quantization
    if quantization is not None and fed.spec.dtype != wanted:
        return f": quantized values must be {quantization.dtype}, real values {wanted}"
    return "" if fed.spec.dtype == wanted else f": convert it, as with numpy's astype({wanted!r})"


def _quantized(value: Tensor, quantization: Quantization) -> Tensor:
    """Return the integers that represent values; NaN becomes the integer of 0."""
    integers = np.nan_to_num(np.rint(value.numpy() / quantization.scale)) + quantization.zero_point
    return tensor(np.clip(integers, *quantization.limits).astype(np.int32))


def zeros_for(
    inputs: Mapping[str, PartialSpec], ends: Mapping[str, Endpoint]
) -> dict[str, np.ndarray]:
    """Return zeros of the declared shapes, by the names of the inputs.

    Args:
        inputs: shapes and dtypes.
        ends: of these inputs; a quantised one gets the integers that stand for zeros.

    Raises:
        CoreError: a shape may be any.
    """
    found = {}
    for name, spec in inputs.items():
        if spec.smallest is None:
            raise CoreError(f"give inputs: the shape of {name!r} may be any {spec.shape}")
        how = ends[name].quantization if name in ends else None
        if how is None:
            found[name] = np.zeros(spec.smallest, DTYPES[spec.dtype])
        else:
            found[name] = np.full(spec.smallest, how.zero_point, how.dtype)
    return found
