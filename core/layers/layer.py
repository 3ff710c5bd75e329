"""The base class of all layers."""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, ClassVar, TypeVar

import numpy as np

from core import regularizers
from core.autodiff.scopes import tidy
from core.engine.dispatch import tensor
from core.engine.observers import active_observers
from core.engine.op_places import in_layer
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.keras.configured import is_user_defined
from core.layers.call_context import (
    MASKS,
    add_loss,
    is_training,
    training_phase,
)
from core.layers.keras_config import KerasCall, LayerSpec, Source
from core.layers.layer_call import Lengths, Value
from core.layers.layer_names import new_name
from core.layers.layer_variables import VariableOwner
from core.layers.nested import flattened, replaced
from core.layers.symbolic import SymbolicTensor, symbolic_in
from core.layers.tensor_calls import tensor_of, value_of
from core.regularizers import RegularizerLike

Kind = TypeVar("Kind", bound="Layer")

#: A function from the source of an argument to its value.
ValueOf = Callable[[Source], Value]

_CLASSES_OF_TENSORS = (Tensor, np.ndarray, np.generic, SymbolicTensor)

#: Batches on which a layer without a rule for shapes is tried: lengths that follow them are open.
_TRIED_BATCHES = 2, 3


class Layer(VariableOwner):
    """A layer: variables and a function of tensors. The base of built-in and user-defined layers.

    A user-defined layer makes its variables in ``build`` by `add_weight`, and computes in ``call``,
    which may take ``training`` and ``mask`` as keywords. Layers and variables that are attributes
    of a layer, or in lists and dicts that are, belong to it.

    Args:
        name: unique name in a model, by default made of the class's name.
        trainable: whether training changes the variables.
        dtype: of computations: only ``"float32"`` is there.
        input_shape: shape of an input without the batch, for the first layer of a `Sequential`.
        batch_input_shape: shape of an input with the batch, instead of ``input_shape``.
        batch_size: length of the batch with ``input_shape``, by default any.
        activity_regularizer: regularizer of the layer's result, see `core.regularizers`.

    >>> import core
    >>> class Scale(core.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight((input_shape[-1],), "ones", name="factor")
    ...     def call(self, x):
    ...         return x * self.factor
    >>> layer = Scale(name="scale")
    >>> layer([[1.0, 2.0]]).numpy(), layer.count_params()
    (array([[1., 2.]], dtype=float32), 2)
    """

    #: The name by which a file knows a user-defined class, if that is not the class's name.
    _registered_name: str = ""

    #: Whether a result without a mask has the mask of the first input.
    supports_masking: ClassVar[bool] = True

    def __init__(
        self,
        *,
        name: str | None = None,
        trainable: bool = True,
        dtype: str | None = None,
        input_shape: Sequence[int | None] | None = None,
        batch_input_shape: Sequence[int | None] | None = None,
        batch_size: int | None = None,
        activity_regularizer: RegularizerLike = None,
    ):
        called = new_name(type(self).__name__) if name is None else _checked_name(name)
        super().__init__(called, trainable)
        self.dtype = _checked_dtype(dtype)
        self.calls: list[KerasCall] = []
        self.call_inputs: list[list[SymbolicTensor]] = []
        self.call_outputs: list[list[SymbolicTensor]] = []
        self.activity_regularizer: RegularizerLike = regularizers.get(activity_regularizer)
        if batch_input_shape is None and input_shape is not None:
            batch_input_shape = (batch_size, *_checked_shape(input_shape))
        self.declared_input_shape: Lengths | None = (
            None if batch_input_shape is None else _checked_shape(batch_input_shape)
        )

    # --- what layers define ------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of a shape with the batch, or for a list of shapes."""

    def call(self, *inputs: Any, **options: Any) -> Any:
        """Return the result of the layer for its inputs."""
        raise CoreError(f"the layer class {type(self).__name__} must define call(self, x)")

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of the result for inputs of a shape, both with the batch.

        Args:
            input_shape: a shape, None for lengths that may be any; or a list of shapes.

        >>> import core
        >>> core.layers.Conv2D(8, 3).compute_output_shape((None, 28, 28, 3))
        (None, 26, 26, 8)
        """
        found = [value.shape for value in self._shapes_for(call_of_shapes(input_shape))]
        return found[0] if len(found) == 1 else found

    # --- calls -------------------------------------------------------------------------------

    def add_loss(self, loss: Tensor) -> None:
        """Add a number to the loss of the training step that calls the layer."""
        add_loss(loss)

    def __call__(self, *arguments: Any, training: bool | None = None, **keywords: Any) -> Any:
        """Call the layer on tensors or arrays, or on symbolic tensors.

        Args:
            *arguments: the inputs: tensors, arrays, symbolic tensors, or lists of them.
            training: whether dropout and batch statistics are those of training; by default as in
                the surrounding call.
            **keywords: other arguments of the layer's call, such as ``mask``.
        """
        if keywords or {*map(type, arguments)} != {Tensor}:
            arguments = tuple(map(as_tensors, arguments))
            if symbolic_in([arguments, keywords]):
                return self._called_on_symbols(arguments, keywords)
            call = call_of(arguments, keywords, value_of_data)
        else:
            call = KerasCall([*map(value_of_data, arguments)], {})
        if training is None and not active_observers():  # who would ask for the layer's name
            found = self._results_for(call, training=is_training())
        else:
            with training_phase(training) as flag, in_layer(self.name):
                found = self._results_for(call, training=flag)
        return with_masks(found)

    def _called_on_symbols(self, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        given: list[SymbolicTensor] = []

        def to_source(symbol: Any) -> Source:
            if not isinstance(symbol, SymbolicTensor):
                raise CoreError(
                    f"layer {self.name!r} is called on symbolic tensors and on data: call it on "
                    f"one kind, with core.layers.Input for what comes later"
                )
            given.append(symbol)
            return Source(symbol.layer.name, symbol.call, symbol.output)

        call = call_of(arguments, keywords, to_source)
        values = {Source(s.layer.name, s.call, s.output): s.value for s in given}
        found = self.shapes_of_call(call, values.__getitem__)
        number = len(self.calls)
        outputs = [SymbolicTensor(value, self, number, i) for i, value in enumerate(found)]
        self.calls.append(call)
        self.call_inputs.append(given)
        self.call_outputs.append(outputs)
        return outputs[0] if len(outputs) == 1 else list(outputs)

    def results_of(
        self, values: list[Value], keywords: Mapping[str, Any], *, training: bool
    ) -> list[Value]:
        """Return the results for values of tensors."""
        return self._results_for(KerasCall(values, dict(keywords)), training=training)

    def shapes_of(
        self, values: list[Value], keywords: Mapping[str, Any], *, nested: bool = False
    ) -> list[Value]:
        """Return the shapes of the results, after the variables are made."""
        return self._shapes_for(KerasCall([values] if nested else values, dict(keywords)))

    def results_of_call(
        self, call: KerasCall, value_of_source: ValueOf, *, training: bool
    ) -> list[Value]:
        """Return the results of a call; each source is a tensor's value."""
        return self._results_for(call.with_values(value_of_source), training=training)

    def shapes_of_call(self, call: KerasCall, value_of_source: ValueOf) -> list[Value]:
        """Return the shapes of the results; each source is a value with a shape."""
        return self._shapes_for(call.with_values(value_of_source))

    def _results_for(self, call: KerasCall, *, training: bool) -> list[Value]:
        """Return the results of a call that has values of tensors in place of sources."""
        self._build_for(call)
        given = flattened([call.arguments, *call.keywords.values()], Value)
        arguments, options = (replaced(part, Value, tensor_of) for part in call)
        options |= _accepted(self.call, training, given)
        found = flattened(self.call(*arguments, **options), Tensor)
        if not found:
            raise CoreError(f"the call of layer {self.name!r} returned no tensor")
        mask = given[0].mask if given and self.supports_masking else None
        values = [value_of(each, mask if i == 0 else None) for i, each in enumerate(found)]
        self.penalise_activity(values, training)
        return values

    def _shapes_for(self, call: KerasCall) -> list[Value]:
        """Return the shapes of the results of a call that has values in place of sources."""
        self._build_for(call)
        if self._has_shape_rule():
            shapes = replaced(call.arguments, Value, lambda value: value.shape)
            found = self.compute_output_shape(shapes[0] if len(shapes) == 1 else shapes)
            several = bool(found) and isinstance(found[0], (list, tuple))
            return [Value(None, tuple(shape)) for shape in (found if several else [found])]
        tried = [self._tried(call, batch) for batch in _TRIED_BATCHES]
        return [
            value._replace(reference=None, shape=_open_lengths(value.shape, other.shape))
            for value, other in zip(*tried, strict=True)
        ]

    def _has_shape_rule(self) -> bool:
        return type(self).compute_output_shape is not Layer.compute_output_shape

    def _tried(self, call: KerasCall, batch: int) -> list[Value]:
        """Return the results for zeros, with a length in place of unknown ones."""

        def zeros(value: Value) -> Value:
            shape = tuple(batch if n is None else n for n in value.shape or ())
            return value._replace(reference=tensor(np.zeros(shape, value.dtype)))

        with tidy(), training_phase(False):
            on_zeros = KerasCall(*(replaced(part, Value, zeros) for part in call))
            return self._results_for(on_zeros, training=False)

    def _build_for(self, call: KerasCall) -> None:
        if not self.built:
            shapes = replaced(call.arguments, Value, lambda value: value.shape)
            self.build(shapes[0] if len(shapes) == 1 else shapes)
            self.built = True

    def penalise_activity(self, values: Sequence[Value], training: bool) -> None:
        """Add the penalty of the results to the loss, divided by the batch as in Keras."""
        penalty = regularizers.get(self.activity_regularizer)
        if penalty is not None and training:
            for value in values:
                result = tensor_of(value)
                add_loss(penalty(result) / max(1, result.shape[0]))

    # --- descriptions ------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Return the arguments from which `from_config` makes an equal layer, without weights."""
        return {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}

    @classmethod
    def from_config(cls: type[Kind], config: Mapping[str, Any]) -> Kind:
        """Make a layer from the result of `get_config`."""
        return cls(**config)

    def layer_spec(self) -> LayerSpec:
        """Return the description of the layer for models and wrappers."""
        return LayerSpec(
            type(self).__name__,
            self.name,
            self.get_config(),
            "keras3",
            tuple(self.calls),
            layer=self,
            registered_name=self.registered_name,
        )

    @property
    def registered_name(self) -> str:
        """The name by which Keras finds a user-defined class; empty for a built-in one."""
        made = type(self)
        return (self._registered_name or made.__name__) if is_user_defined(made) else ""

    def file_spec(self) -> LayerSpec:
        """Return the description of the layer for files, which has no objects."""
        return self.layer_spec()._replace(layer=None)

    @property
    def input(self) -> Any:
        """The symbolic input of the layer's first call, or a list of them."""
        return only(self._first_call(self.call_inputs))

    @property
    def output(self) -> Any:
        """The symbolic result of the layer's first call, or a list of them."""
        return only(self._first_call(self.call_outputs))

    def _first_call(self, calls: list[list[SymbolicTensor]]) -> list[SymbolicTensor]:
        if not calls:
            raise CoreError(f"layer {self.name!r} was not called on symbolic tensors yet")
        return calls[0]

    @property
    def output_shape(self) -> Any:
        """The shape of `output` with the batch, or a list of shapes."""
        shapes = [symbol.value.shape for symbol in self._first_call(self.call_outputs)]
        return shapes[0] if len(shapes) == 1 else shapes

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name!r} built={self.built}>"


def call_of_shapes(input_shape: Any) -> KerasCall:
    """Return a call on inputs of a shape, or of a list of shapes, without data."""
    several = bool(input_shape) and isinstance(input_shape[0], (list, tuple))
    values = [Value(None, tuple(shape)) for shape in (input_shape if several else [input_shape])]
    return KerasCall([values] if several else values, {})


def with_masks(values: Sequence[Value]) -> Any:
    """Return the tensors of values, or the only one, whose masks later layers find."""
    tensors: list[Tensor] = []
    for value in values:
        tensors.append(value.reference)
        if value.mask is not None:
            MASKS.add(value.reference, value.mask)
    return tensors[0] if len(tensors) == 1 else tensors


def only(values: list[Any]) -> Any:
    """Return the value of a list with one, or the list."""
    return values[0] if len(values) == 1 else list(values)


def _checked_name(name: Any) -> str:
    if not isinstance(name, str) or not name:
        raise CoreError(f"name={name!r:.80} must be a text, such as 'hidden'")
    return name


def _checked_dtype(dtype: Any) -> str:
    if isinstance(dtype, Mapping):  # a policy of Keras
        config = dtype.get("config")
        dtype = config.get("name") if isinstance(config, Mapping) else None
    if dtype not in (None, "float32", "int32"):
        raise CoreError(f"dtype={dtype!r:.80} is not supported: layers compute with 'float32'")
    return dtype or "float32"


def _checked_shape(shape: Any) -> Lengths:
    given = [shape] if isinstance(shape, int) else shape
    if not isinstance(given, (list, tuple)) or not all(
        n is None or (isinstance(n, (int, np.integer)) and n >= 0) for n in given
    ):
        raise CoreError(f"a shape has lengths or None for any length, got {shape!r:.80}")
    return tuple(None if n is None else int(n) for n in given)


def as_tensors(value: Any) -> Any:
    """Return lists of numbers as a tensor; lists of tensors stay."""
    if isinstance(value, (list, tuple)) and not flattened(value, _CLASSES_OF_TENSORS):
        return tensor(value)
    return value


def value_of_data(given: Any) -> Value:
    """Return the value of a tensor, or of an array."""
    found = given if isinstance(given, Tensor) else tensor(given)
    spec = found.spec
    return Value(found, spec.shape, spec.dtype, MASKS.get(found.id))


def call_of(
    arguments: tuple[Any, ...], keywords: dict[str, Any], to_source: Callable[[Any], Any]
) -> KerasCall:
    """Return a call with something in place of tensors, arrays and symbolic tensors."""
    kinds = _CLASSES_OF_TENSORS
    return KerasCall(
        [replaced(argument, kinds, to_source) for argument in arguments],
        {name: replaced(value, kinds, to_source) for name, value in keywords.items()},
    )


def _accepted(call: Callable[..., Any], training: bool, given: Sequence[Value]) -> dict[str, Any]:
    """Return ``training`` and ``mask`` where a user-defined call takes them."""
    names = signature(call).parameters
    found: dict[str, Any] = {"training": training} if "training" in names else {}
    if "mask" in names and given and given[0].mask is not None:
        found["mask"] = tensor_of(given[0].mask)
    return found


def _open_lengths(shape: Lengths | None, other: Lengths | None) -> Lengths | None:
    """Return None for lengths that follow the batch."""
    if shape is None or other is None or len(shape) != len(other):
        return None
    return tuple(n if n == m else None for n, m in zip(shape, other, strict=True))
