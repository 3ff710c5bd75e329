"""The graph form: nodes as TensorFlow.js's model.json names them, with weights, inputs and outputs.

Readers make it, the executor runs it, writers and passes read it. It holds plain values alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from core.engine.program import Quantization, StoredIntegers
from core.engine.specs import Shape, Spec
from core.errors import CoreError

#: Node types that make a hash table.
TABLE_TYPES = frozenset({"HashTable", "HashTableV2"})

#: Node types that fill a hash table and give nothing.
FILLING_TYPES = frozenset(
    {"InitializeTable", "InitializeTableV2", "LookupTableImport", "LookupTableImportV2"}
)


class DataType(str):
    """An attribute that is a dtype, by TensorFlow's name: ``DataType("DT_FLOAT")``."""

    __slots__ = ()


class FunctionName(str):
    """An attribute that names a function of the graph."""

    __slots__ = ()


class PartialShape(tuple[int | None, ...]):
    """An attribute that is a shape; a length of None may be any."""

    __slots__ = ()


#: Attributes by name: str, bytes (no UTF-8), int, float, bool, None (a shape of any rank), array,
#: one of the classes above, or a list of them.
Attributes = Mapping[str, Any]


#: The attribute of Const nodes that do not train: numbers of a computation, no weights.
FIXED = "fixed"


class Node(NamedTuple):
    """One step of a graph.

    ``inputs`` are references to what other nodes give: ``"name"`` is the first or only output,
    ``"name:1"`` the second, and ``"^name"`` just asks for that node to run before. ``type`` and
    ``attributes`` are TensorFlow's, decoded, such as ``{"strides": [1, 2, 2, 1], "padding":
    "SAME"}``.
    """

    name: str
    type: str
    inputs: tuple[str, ...] = ()
    attributes: Attributes = {}

    def fixed(self) -> "Node":
        """Return this Const node as one that does not train: a number of a computation."""
        return self._replace(attributes={**self.attributes, FIXED: True})


class PartialSpec(NamedTuple):
    """Shape and dtype of an input or output; a length of None may be any, and so may a shape."""

    shape: tuple[int | None, ...] | None
    dtype: str = "float32"

    @property
    def smallest(self) -> Shape | None:
        """The shape where just the first length may be any: with one of 1; else None."""
        if self.shape is None or None in self.shape[1:]:
            return None
        return tuple(1 if n is None else n for n in self.shape)

    def accepts(self, spec: Spec) -> bool:
        """Whether a tensor fits."""
        if spec.dtype != self.dtype or self.shape is None:
            return spec.dtype == self.dtype
        return len(spec.shape) == len(self.shape) and all(
            n in (None, m) for n, m in zip(self.shape, spec.shape, strict=True)
        )


class Endpoint(NamedTuple):
    """A named input or output of a graph.

    Attributes:
        node: its reference.
        spec: of a tensor, or of those in a list.
        quantization: what its integers stand for.
        form: "tensor"; "sequence": a list of tensors; "optional": either, or None.
    """

    node: str
    spec: PartialSpec
    quantization: Quantization | None = None
    form: str = "tensor"


class Function(NamedTuple):
    """A body of nodes that If, While and their like call by its name.

    ``inputs`` are names that its nodes refer to, in the order of the arguments; ``outputs`` are
    references into it, in the order of the results. Its Const nodes are weights of the graph.
    """

    name: str
    nodes: Sequence[Node]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]


class Graph(NamedTuple):
    """Nodes, the weights of the Const ones among them, and the names of what goes in and out.

    Attributes:
        nodes: in any order.
        weights: arrays by name of node.
        inputs: what is fed, by its public name.
        outputs: what `predict` gives, by its public name.
        functions: bodies by name.
        aliases: other names of what nodes give, by reference: TFLite's names of tensors.
        custom_types: node types outside of the format's own set; where one lacks a kernel, what
            does not need it runs all the same.
        initializer: runs once before the first use; fills hash tables.
        resources: inputs that are results of the initializer: name of node → its output's name.
        quantizations: of the results of nodes, by reference, also between inputs and outputs.
        metadata: what the file says beside the network, such as the labels of its classes.
        states: those of the resources that the graph keeps from run to run, such as variables of a
            network for streams: name of node → reference to its value after a run.
        integers: what weights and biases of networks of integers stand for, by name of node.
        origin: what the file says of its maker, format and licence, if anything.
        resizable: whether its loader takes other shapes of inputs, as errors then say.
    """

    nodes: Sequence[Node]
    weights: Mapping[str, np.ndarray]
    inputs: Mapping[str, Endpoint]
    outputs: Mapping[str, Endpoint]
    functions: Mapping[str, Function] = {}
    aliases: Mapping[str, str] = {}
    custom_types: frozenset[str] = frozenset()
    initializer: "Graph | None" = None
    resources: Mapping[str, str] = {}
    quantizations: Mapping[str, Quantization] = {}
    metadata: Any = None
    states: Mapping[str, str] = {}
    integers: Mapping[str, StoredIntegers] = {}
    origin: Any = None
    resizable: bool = False


def node_of(reference: str) -> str:
    """The name of the node that a reference is to.

    >>> node_of("split:1"), node_of("^assert"), node_of("relu")
    ('split', 'assert', 'relu')
    """
    return reference.lstrip("^").partition(":")[0]


def output_index(names: Sequence[str], output: str, place: str) -> int:
    """The index of an output among all of its node; bodies of functions write "node:output:place".

    Args:
        names: of the node's outputs; none if it has just one, or a list of them.
        output: its name there.
        place: a number, as one name may stand for a list.

    Raises:
        CoreError: the node has no such output.

    >>> output_index(("tensor", "lengths"), "lengths", "0"), output_index((), "z", "2")
    (1, 2)
    """
    if not place.isdecimal() or (names and output not in names):
        raise CoreError(f"there is no output '{output}:{place}', only {list(names)}")
    return (names.index(output) if names else 0) + int(place)
