"""The call of a layer: its class computes by the ops and the weights of a call.

The classes in ``core.layers.built_in`` serve all uses, and call ops by their Python names. For a
`core.layers.tensor_calls.TensorCall` these are the ops of `core`, in training, too; a
`core.layers.graph_calls.GraphCall` adds the node that an op is in graphs, and a
`core.layers.shape_calls.ShapeCall` makes weights and finds shapes.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

from core.engine.generators import Seed
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.keras_config import Dialect, LayerSpec
from core.layers.layer_config import Options

if TYPE_CHECKING:
    from numpy.random import Generator

#: Lengths of axes; None is an unknown length.
Lengths = tuple[int | None, ...]

Self = TypeVar("Self", bound="LayerCall")
Setting = TypeVar("Setting")


class Value(NamedTuple):
    """A result of a layer: its reference, shape (None: unknown rank), dtype, and mask if any.

    The reference is the name of a node's output in a graph, the tensor where tensors are computed,
    and None where only shapes are.
    """

    reference: Any
    shape: Lengths | None
    dtype: str = "float32"
    mask: "Value | None" = None


class Operand(Protocol):
    """A tensor, or a `Value` of a graph or of shapes: layers compute with either."""

    @property
    def shape(self) -> Lengths | None:
        """Lengths of the axes."""

    @property
    def dtype(self) -> str:
        """The dtype."""


def is_operand(value: Any) -> bool:
    """Whether an argument of a call is an operand, not a number, a text or a list."""
    return isinstance(value, (Value, Tensor))


def is_same(a: Operand, b: Operand) -> bool:
    """Whether two operands are one, not whether their values are equal."""
    return a is b or (isinstance(a, Value) and a == b)


class Masked(NamedTuple):
    """A result of a layer with its mask, if any: operands."""

    value: Any
    mask: Any = None


def with_masks(values: Sequence[Any], masks: Sequence[Any]) -> list[Value]:
    """Return values of graphs or shapes that have their masks, if there are any."""
    given = masks or [None] * len(values)
    return [value._replace(mask=mask) for value, mask in zip(values, given, strict=True)]


def without_masks(values: Sequence[Value]) -> list[Masked]:
    """Return values of graphs or shapes beside their masks."""
    return [Masked(value, value.mask) for value in values]


class RunLengths(NamedTuple):
    """A shape of which some lengths are known when the graph runs: an attribute of ops.

    ``vector`` has all lengths then; ``lengths`` are those that are known now.
    """

    vector: Value
    lengths: Lengths


class Ops(Protocol):
    """Ops by their Python names."""

    def __getattr__(self, name: str) -> Callable[..., Any]: ...


class LayerCall(ABC):
    """A call of a layer, with the ops and the weights that its class computes by.

    Attributes:
        spec: the layer.
        path: names of the surrounding layers, and the layer's name.
        scope: prefix of the names of its operations.
        keywords: keyword arguments of the call, with operands in place of tensors.
        options: the layer's options.
        ops: all ops by their Python names, as `core` has them; they take operands.
        masks: the masks of the inputs, or none at all.
        training: whether dropout and statistics of batches are those of training.
        is_abstract: whether values are shapes alone.
        has_tensors: whether values are tensors.
    """

    training = False
    is_abstract = has_tensors = False
    spec: LayerSpec
    path: tuple[str, ...]
    scope = ""
    keywords: Mapping[str, Any]
    options: Options
    ops: Ops
    masks: Sequence[Any] = ()

    @property
    def dialect(self) -> Dialect:
        """The library whose arguments the layer has."""
        return self.spec.dialect

    @property
    def where(self) -> str:
        """Description of the layer for errors."""
        return f"layer {'/'.join(self.path)!r} ({self.spec.class_name})"

    def error(self, message: str) -> CoreError:
        """Return an error that names the layer."""
        return CoreError(f"{self.where}: {message}")

    @abstractmethod
    def child(self: Self, spec: LayerSpec) -> Self:
        """Return the call of an inner layer."""

    @abstractmethod
    def lengths(self, x: Operand) -> Any:
        """Return the lengths of the axes as a vector that is known when the graph runs."""

    @abstractmethod
    def constant(self, array: np.ndarray, name: str) -> Any:
        """Return a constant that is not a weight, or a part of one."""

    @abstractmethod
    def weight(
        self, name: str, shape: Sequence[int | None], view: Sequence[int] | None = None
    ) -> Any:
        """Return a weight with a shape in the file; ``view`` is another shape for its use."""

    @abstractmethod
    def weight_parts(
        self,
        name: str,
        shape: Sequence[int],
        sizes: Sequence[int],
        axis: int,
        view: Callable[[int], Sequence[int]] | None = None,
    ) -> list[Any]:
        """Return the parts of a weight, of some sizes along an axis.

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

    def called(self, function: Callable[..., Any], *values: Operand) -> Any:
        """Call a function of tensors that the user gave, whose result has the first one's shape."""
        raise self.error(f"uses the function {function!r:.80}, which no file can contain")

    def generator(self, seed: Seed) -> Callable[[], "Generator"]:
        """Return a function to the layer's source of random numbers, which goes on at each call."""
        raise self.error("draws random numbers, which no file can contain")

    def assign(self, name: str, make: Callable[[], Operand]) -> None:
        """Give a weight that no optimizer changes the value that a function makes, in training."""
        raise self.error(f"changes its weight {name!r}, which no file can contain")

    def state(self, number: int, shape: Lengths) -> Any:
        """Return a state of the layer at the end of its last call, at first zeros."""
        raise self.error("keeps its state between calls, which no file can contain")

    def keep_state(self, number: int, value: Operand) -> None:
        """Keep a state of the layer for its next call, where values are tensors."""
        assert self.is_abstract, "a call on tensors keeps its states"

    def layer_results(self, values: Sequence[Operand]) -> list[Masked]:
        """Return the results of the layer object that the spec stands for."""
        raise self.error("is an object, which no file can contain")

    @abstractmethod
    def stop_gradient(self, x: Operand) -> Any:
        """Return values that have no gradient by what they were computed from."""

    def note_logits(  # noqa: B027 - only losses of training ask for it
        self, activation: str, logits: Operand, result: Operand
    ) -> None:
        """Note for losses which logits a "softmax" or "sigmoid" was computed from."""

    def settings(self, read: Callable[["LayerCall"], Setting]) -> Setting:
        """Return what a function reads and checks of the options, which it may do once."""
        return read(self)

    def integer(self, value: int) -> Any:
        """Return an integer as an operand, which graphs have from here on."""
        return value

    @property
    def mask(self) -> Operand | None:
        """The mask of the first input."""
        return self.masks[0] if self.masks else None

    def shape(self, x: Operand, *ranks: int) -> Lengths:
        """Return the shape of a value; raise if it is unknown, or of none of the ranks given."""
        if x.shape is None:
            raise self.error("the shape of its input must be known")
        if ranks and len(x.shape) not in ranks:
            expected = " or ".join(map(str, ranks))
            raise self.error(f"takes tensors of {expected} axes, got shape {x.shape}")
        return x.shape

    def length(self, x: Operand, axis: int) -> int:
        """Return the length of an axis; raise if it is unknown."""
        lengths = self.shape(x)
        if not -len(lengths) <= axis < len(lengths):
            raise self.error(f"needs an axis {axis}, got a tensor of shape {lengths}")
        found = lengths[axis]
        if found is None:
            raise self.error(f"the length of axis {axis} of its input must be known, got {x.shape}")
        return found
