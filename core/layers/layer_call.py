"""The call of a layer: a description of a layer adds its operations by the methods of a call.

The descriptions in `core.layers.lowering` serve all uses. A `GraphCall` of `core.layers.builder`
adds nodes to a graph, a `core.layers.shape_calls.ShapeCall` makes weights and finds shapes, and a
`core.layers.tensor_calls.TensorCall` computes tensors, in training, too.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from core.engine.generators import Seed
from core.errors import CoreError
from core.layers.keras_config import LayerSpec
from core.layers.layer_config import Options

if TYPE_CHECKING:
    from numpy.random import Generator

#: Lengths of axes; None is an unknown length.
Lengths = tuple[int | None, ...]

#: TensorFlow's names of dtypes.
DATA_TYPES = {"float32": "DT_FLOAT", "int32": "DT_INT32", "bool": "DT_BOOL"}

Self = TypeVar("Self", bound="LayerCall")


class Value(NamedTuple):
    """An output of an operation: its reference, shape (None: unknown rank), dtype, and mask if any.

    The reference is the name of a node's output in a graph, and an operand where tensors are
    computed.
    """

    reference: Any
    shape: Lengths | None
    dtype: str = "float32"
    mask: "Value | None" = None


class LayerCall(ABC):
    """A call of a layer, with the functions that add its operations.

    Args:
        spec: the layer.
        path: names of the surrounding layers, and the layer's name.
        scope: prefix of the names of its operations.
        keywords: keyword arguments of the call, with values in place of tensors.

    Attributes:
        where: description of the layer for errors.
        dialect: the library that wrote the topology: "tfjs", "keras2" or "keras3".
        training: whether dropout and statistics of batches are those of training.
        is_abstract: whether values are shapes alone.
        has_tensors: whether values are tensors.
    """

    training = False
    is_abstract = has_tensors = False

    def __init__(
        self,
        spec: LayerSpec,
        path: tuple[str, ...],
        scope: str,
        keywords: Mapping[str, Any] | None = None,
    ):
        self.spec, self.path, self.scope = spec, path, scope
        self.keywords, self.dialect = keywords or {}, spec.dialect
        self.where = f"layer {'/'.join(path)!r} ({spec.class_name})"
        self.options = Options(spec.config, self.where)

    def error(self, message: str) -> CoreError:
        """Return an error that names the layer."""
        return CoreError(f"{self.where}: {message}")

    @abstractmethod
    def child(self: Self, spec: LayerSpec) -> Self:
        """Return the call of an inner layer."""

    @abstractmethod
    def node(
        self,
        type: str,
        inputs: Sequence[Value],
        attributes: Mapping[str, Any] | None = None,
        shape: Lengths | None = None,
        dtype: str | None = None,
    ) -> Value:
        """Add an operation; shape and dtype default to those of its first input."""

    @abstractmethod
    def outputs(
        self, value: Value, shapes: Sequence[Lengths], dtype: str | None = None
    ) -> list[Value]:
        """Return the outputs of an operation with several."""

    @abstractmethod
    def constant(self, array: np.ndarray, name: str) -> Value:
        """Add a constant that is not a weight, or a part of one."""

    @abstractmethod
    def weight(
        self, name: str, shape: Sequence[int | None], view: Sequence[int] | None = None
    ) -> Value:
        """Add a weight with a shape in the file; ``view`` is another shape for its use."""

    @abstractmethod
    def weight_parts(
        self,
        name: str,
        shape: Sequence[int],
        sizes: Sequence[int],
        axis: int,
        view: Callable[[int], Sequence[int]] | None = None,
    ) -> list[Value]:
        """Add the parts of a weight, of some sizes along an axis.

        Args:
            name: name of the weight.
            shape: its shape.
            sizes: lengths of the parts, whose sum is the length of the axis.
            axis: the axis.
            view: function from the size of a part to the shape for its use.
        """

    @abstractmethod
    def check_count(self, count: int) -> None:
        """Raise if so many more operations exceed the limit of a model."""

    def called(self, function: Callable[..., Any], *values: Value) -> Value:
        """Add a function of tensors that the user gave, whose result has the first one's shape."""
        raise self.error(f"uses the function {function!r:.80}, which no file can contain")

    def generator(self, seed: Seed) -> Callable[[], "Generator"]:
        """Return a function to the layer's source of random numbers, which goes on at each call."""
        raise self.error("draws random numbers, which no file can contain")

    def assign(self, name: str, make: Callable[[], Value]) -> None:
        """Give a weight that no optimizer changes the value that a function makes, in training."""
        raise self.error(f"changes its weight {name!r}, which no file can contain")

    def state(self, number: int, shape: Lengths) -> Value:
        """Return a state of the layer at the end of its last call, at first zeros."""
        raise self.error("keeps its state between calls, which no file can contain")

    def keep_state(self, number: int, value: Value) -> None:
        """Keep a state of the layer for its next call, where values are tensors."""
        assert self.is_abstract, "a call on tensors keeps its states"

    def layer_results(self, values: Sequence[Value]) -> list[Value]:
        """Return the results of the layer object that the spec stands for."""
        raise self.error("is an object, which no file can contain")

    def ints(self, *values: int) -> Value:
        """Add a constant vector of integers."""
        return self.constant(np.array(values, np.int32), "ints")

    def integer(self, value: int) -> Value:
        """Add a constant integer."""
        return self.constant(np.array(value, np.int32), "int")

    def number(self, value: float) -> Value:
        """Add a constant float."""
        return self.constant(np.array(value, np.float32), "number")

    def shape(self, x: Value, *ranks: int) -> Lengths:
        """Return the shape of a value; raise if it is unknown, or of none of the ranks given."""
        if x.shape is None:
            raise self.error("the shape of its input must be known")
        if ranks and len(x.shape) not in ranks:
            expected = " or ".join(map(str, ranks))
            raise self.error(f"takes tensors of {expected} axes, got shape {x.shape}")
        return x.shape

    def length(self, x: Value, axis: int) -> int:
        """Return the length of an axis; raise if it is unknown."""
        lengths = self.shape(x)
        if not -len(lengths) <= axis < len(lengths):
            raise self.error(f"needs an axis {axis}, got a tensor of shape {lengths}")
        found = lengths[axis]
        if found is None:
            raise self.error(f"the length of axis {axis} of its input must be known, got {x.shape}")
        return found
