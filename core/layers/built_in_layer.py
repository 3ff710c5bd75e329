"""The base of the built-in layers, which stand in `core.layers.built_in`."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, overload

import numpy as np

from core import constraints, initializers, regularizers
from core.engine.argument_types import TensorLike
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError
from core.keras.configured import Configured, checked_call, document_of, is_user_defined
from core.layers.arguments import REQUIRED, argument
from core.layers.call_context import training_phase
from core.layers.dialects.topologies import keras3_config_of
from core.layers.keras_config import INNER_LAYERS, Dialect, KerasCall, LayerSpec
from core.layers.layer import (
    Layer,
    as_tensors,
    call_of,
    call_of_shapes,
    value_of_data,
    with_masks,
)
from core.layers.layer_call import Value
from core.layers.layer_config import Options, as_flag
from core.layers.layer_kind import LayerKind
from core.layers.layer_results import results_of_kind, results_of_values
from core.layers.lookup import find_layer_class
from core.layers.model_run import bound_arguments
from core.layers.nested import replaced
from core.layers.shape_calls import ShapeCall
from core.layers.symbolic import SymbolicTensor, symbolic_in
from core.layers.tensor_calls import TensorCall, tensor_of, value_of
from core.layers.variable_store import VariableStore, stem_of

#: Functions that read the texts, configs and objects of an argument, by the end of its name.
_FAMILIES = {
    "_initializer": initializers.get,
    "_regularizer": regularizers.get,
    "_constraint": constraints.get,
}


class Described(NamedTuple):
    """A variable, the layer inside that it belongs to with its path, and its name there."""

    spec: LayerSpec
    path: tuple[str, ...]
    name: str
    variable: Variable


class _Read(NamedTuple):
    """Description and options of a layer, read from its arguments once.

    They hold while the state is equal: name, flags, and the ids of the arguments, which the
    description keeps.
    """

    state: tuple[Any, ...]
    spec: LayerSpec
    options: Options


class BuiltIn(LayerKind, Layer, is_base=True):
    """A built-in layer: the annotated fields of its class are its arguments.

    What its layers compute, and how they treat weights and masks, a class says as a `LayerKind`.

    Args:
        *positional: arguments of the layer in their order.
        **options: arguments by name, and those of every `Layer`.
    """

    _given_name: str | None = argument(alias="name", default=None, kw_only=True)
    _given_trainable: bool = argument(alias="trainable", default=None, kw_only=True)
    _given_dtype: str | None = argument(alias="dtype", default=None, kw_only=True)
    _given_input_shape: Sequence[int | None] | None = argument(
        alias="input_shape", default=None, kw_only=True
    )
    _given_batch_input_shape: Sequence[int | None] | None = argument(
        alias="batch_input_shape", default=None, kw_only=True
    )
    _given_batch_size: int | None = argument(alias="batch_size", default=None, kw_only=True)
    _given_weights: Sequence[np.ndarray] | None = argument(
        alias="weights", default=None, kw_only=True
    )

    #: The built-in class, of which a program may derive others.
    kind: ClassVar[type["BuiltIn"]]

    #: Name of the built-in class in files.
    class_name: ClassVar[str]

    #: Whether a user-defined subclass builds or computes otherwise than the built-in class.
    _has_own_rule: ClassVar[bool] = False

    #: Whether a user-defined subclass has nothing but a constructor and configs of its own.
    _is_built_in_with_options: ClassVar[bool] = True

    def __init_subclass__(cls, *, is_base: bool = False) -> None:
        super().__init_subclass__(is_base=is_base)
        if not is_user_defined(cls):
            cls.kind, cls.class_name = cls, cls.__name__
            return
        rules = ("build", "call", "compute_output_shape")
        derived = cls.__mro__[: cls.__mro__.index(cls.kind)]
        own = {name for made in derived for name in vars(made) if not _is_special(name)}
        own -= {"_has_own_rule", "_is_built_in_with_options", "is_base"}  # of classes between
        cls._has_own_rule = any(getattr(cls, n) is not getattr(cls.kind, n) for n in rules)
        cls._is_built_in_with_options = own <= {"get_config", "from_config"}

    def __init__(self, *positional: Any, **options: Any):
        names = [*type(self).arguments]
        if len(positional) > len(names):
            raise CoreError(
                f"{self.class_name} takes {len(names)} arguments without names, got "
                f"{len(positional)}"
            )
        for name, value in zip(names, positional, strict=False):
            if name in options:
                raise CoreError(f"{self.class_name} got the argument {name!r} twice")
            options[name] = value
        own = {name: options.pop(name) for name in names if name in options}
        weights = options.pop("weights", None)
        legacy: dict[str, Any] = {
            name: options.pop(name) for name in ("input_dim", "input_length") if name in options
        }
        self._check_names(options)
        super().__init__(**_with_input_dim(options, legacy))
        self._configure(self._checked_config(own), weights=weights)

    def _configure(
        self,
        config: dict[str, Any],
        *,
        dialect: Dialect = "keras3",
        module: str = "",
        weights: Sequence[np.ndarray] | None = None,
    ) -> None:
        """Begin with a config in the dialect of a library, and first values of the weights.

        The module is that of the class in Keras 3, where the file says it.
        """
        self.config, self.dialect, self._module = config, dialect, module
        self.activity_regularizer = regularizers.get(config.get("activity_regularizer"))
        self._store, self._initial = VariableStore(self.name), weights
        self._read: _Read | None = None
        self.inner = [*config.values()]

    def _check_names(self, options: Mapping[str, Any]) -> None:
        for name in options:
            if name not in type(self).common_arguments:
                valid = ", ".join([*type(self).arguments, *type(self).common_arguments])
                raise CoreError(
                    f"{self.class_name} has no argument {name!r}; its arguments are {valid}"
                )

    def _checked_config(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all arguments by name, with objects in place of the names of objects."""
        config: dict[str, Any] = {}
        for name, default in type(self).arguments.items():
            value = given.get(name, default)
            if value is REQUIRED:
                raise CoreError(f"{self.class_name} needs the argument {name!r}")
            family = next((f for end, f in _FAMILIES.items() if name.endswith(end)), None)
            if isinstance(value, (np.integer, np.floating, np.bool_)):
                value = value.item()
            config[name] = value if family is None or value is None else family(value)
        return config

    def value_of_argument(self, name: str) -> Any:
        """Return the value of an argument, by its name in Keras 3."""
        config = self.config if self.dialect == "keras3" else self.get_config()
        return config.get(name, type(self).arguments[name])

    # --- what calls need ---------------------------------------------------------------------

    def layer_spec(self) -> LayerSpec:
        """Return the description of the layer for models and wrappers."""
        return LayerSpec(
            self.class_name,
            self.name,
            {**self.config, "trainable": self.trainable},
            self.dialect,
            tuple(self.calls),
            is_function=self.is_function,
            module=self._module,
            layer=self,
        )

    def file_spec(self) -> LayerSpec:
        """Return the description of the layer for files, in the dialect of its arguments.

        A user-defined subclass has its own name, and the config of its `get_config`.
        """
        if not self.registered_name:
            return self._built_in_spec()
        config = self.get_config()
        return self._spec()._replace(
            class_name=type(self).__name__,
            config=config,
            dialect="keras3",
            registered_name=self.registered_name,
            same_built_in=self._built_in_spec() if self._is_built_in_with_options else None,
        )

    def _built_in_spec(self) -> LayerSpec:
        config: dict[str, Any] = {} if self.is_function else {"dtype": self.dtype}
        added = self._added_arguments()
        for name, value in self.config.items():
            if name in INNER_LAYERS:
                config[name] = replaced(value, Layer, lambda layer: layer.file_spec())
            elif name not in added:
                config[name] = serialized(value)
        config["name"] = self.name
        if not self.is_function:
            config["trainable"] = self.trainable
        return self._spec()._replace(config=config)

    def _spec(self) -> LayerSpec:
        return self.layer_spec()._replace(layer=None)

    def _results_for(self, call: KerasCall, *, training: bool) -> list[Value]:
        """Return the results of a call that has values of tensors in place of sources."""
        if self._has_own_rule:
            return super()._results_for(call, training=training)
        found = self._own_results(call, training)
        if self.activity_regularizer is not None:
            self.penalise_activity(found, training)
        return found

    def _own_results(self, call: KerasCall, training: bool) -> list[Value]:
        """Return the results of a call by the rule of the built-in class."""
        values, keywords = call.arguments, call.keywords
        if keywords or {*map(type, values)} != {Value}:
            values, keywords = bound_arguments(call)
        if not self.built:
            self._own_shapes(call)
        made = self._tensor_call(training, keywords)
        tensors: list[Tensor] = []
        for value in values:
            tensors.append(value.reference)
            made.masks.append(None if value.mask is None else tensor_of(value.mask))
        found: list[Value] = []
        for tensor, mask in results_of_kind(self.kind, made, tensors):
            spec, of_result = tensor.spec, None if mask is None else value_of(mask)
            found.append(Value(tensor, spec.shape, spec.dtype, of_result))
        return found

    def _tensor_call(self, training: bool, keywords: Mapping[str, Any]) -> TensorCall:
        """Return a call on tensors; what the layer's options say is read once."""
        state = (self.name, self._trainable, self.dialect, *map(id, self.config.values()))
        if self._read is None or self._read.state != state:
            spec = self._spec()
            where = f"layer {self.name!r} ({spec.class_name})"
            self._read = _Read(state, spec, Options(spec.config, where))
        flag = training and self._trainable if self.kind.freezes else training
        given = replaced(keywords, Value, tensor_of) if keywords else None
        _, spec, options = self._read
        return TensorCall(spec, (), self._store, options, training=flag, keywords=given)

    def _shapes_for(self, call: KerasCall) -> list[Value]:
        """Return the shapes of the results of a call that has values in place of sources."""
        return super()._shapes_for(call) if self._has_own_rule else self._own_shapes(call)

    def _own_shapes(self, call: KerasCall) -> list[Value]:
        """Return the shapes of the results by the rule of the class; make its variables."""
        values, keywords = bound_arguments(call)
        made = ShapeCall(self._spec(), (), self._store, keywords)
        found = results_of_values(made, [_without_tensors(value) for value in values])
        self._finish_build()
        return found

    def _finish_build(self) -> None:
        if not self.built:
            self.built = True
            if self._initial is not None:
                self.set_weights(self._initial)

    def call(self, *inputs: Any, **options: Any) -> Any:
        """Return the result for inputs, as a call of the layer does; a subclass may change it."""
        if symbolic_in([inputs, options]):
            return self(*inputs, **options)
        with training_phase(options.pop("training", None)) as training:
            call = call_of(tuple(map(as_tensors, inputs)), options, value_of_data)
            return with_masks(self._own_results(call, training))

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of a shape with the batch, or for a list of shapes."""
        self._own_shapes(call_of_shapes(input_shape))

    def _has_shape_rule(self) -> bool:
        return type(self).compute_output_shape is not BuiltIn.compute_output_shape

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of the result for inputs of a shape; see `Layer`."""
        found = [value.shape for value in self._own_shapes(call_of_shapes(input_shape))]
        return found[0] if len(found) == 1 else found

    # --- variables ---------------------------------------------------------------------------

    def own_variables(self) -> list[Variable]:
        """Return the variables of the layer, in the order of Keras's files."""
        found = [*(each.variable for each in self.described()), *super().own_variables()]
        return sorted(found, key=lambda variable: not variable.trainable)

    @property
    def trainable_variables(self) -> list[Variable]:
        """The variables that training changes."""
        return [v for v in super().trainable_variables if v.trainable]

    def penalties(self) -> Iterator[tuple[Any, Variable]]:
        """Yield the regularizers of the variables, with those of the layers inside."""
        if self.trainable:
            yield from self._options_of_variables("regularizer")
        yield from super().penalties()

    def limits(self) -> Iterator[tuple[Any, Variable]]:
        """Yield the constraints of the variables, with those of the layers inside."""
        yield from self._options_of_variables("constraint")
        yield from super().limits()

    def _options_of_variables(self, end: str) -> Iterator[tuple[Any, Variable]]:
        family = _FAMILIES[f"_{end}"]
        for spec, _, name, variable in self.described():
            given = spec.config.get(f"{stem_of(name)}_{end}")
            if given is not None:
                yield family(given), variable

    def described(self) -> list[Described]:
        """Return the variables of the layer with the layers inside that they belong to."""
        return list(_described(self._spec(), (), self._store))

    def inner_layers(self) -> list[tuple[str, Layer]]:
        """Return the layers that are objects inside of this one, such as of TimeDistributed."""
        children = self.kind.children(self._spec())
        return [(child.name, child.layer) for child in children if child.layer is not None]

    def reset_states(self) -> None:
        """Set the states that the layer keeps between calls to zeros."""
        for state in self._store.states.values():
            state.assign(np.zeros(state.shape, np.float32))

    # --- descriptions ------------------------------------------------------------------------

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by name as in Keras 3: texts, numbers, lists and dicts of them.

        Raises:
            CoreError: the layer is of another program's file, and Keras 3 has no such arguments.
        """
        own = {name: serialized(self.config[name]) for name in self._added_arguments()}
        return {**keras3_config_of(self._built_in_spec()), **own}

    def _added_arguments(self) -> list[str]:
        """Return the arguments that the built-in class lacks."""
        return [name for name in type(self).arguments if name not in self.kind.arguments]

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "BuiltIn":
        """Make a layer from the result of `get_config`."""
        return checked_call(cls, config)

    @classmethod
    def from_spec(cls, spec: LayerSpec) -> "BuiltIn":
        """Make the layer of a file, with the config and the dialect of the file."""
        made = cls.__new__(cls)
        shape = spec.config.get("batch_input_shape") or spec.config.get("batch_shape")
        trainable = as_flag(spec.config.get("trainable")) is not False
        Layer.__init__(made, name=spec.name, trainable=trainable, batch_input_shape=shape)
        made._configure(dict(spec.config), dialect=spec.dialect, module=spec.module)
        return made


class OneResult(BuiltIn, is_base=True):
    """A built-in layer whose calls return one tensor."""

    if TYPE_CHECKING:

        @overload
        def __call__(
            self,
            *arguments: SymbolicTensor | Sequence[SymbolicTensor],
            training: bool | None = None,
            **keywords: SymbolicTensor | TensorLike | None,
        ) -> SymbolicTensor: ...
        @overload
        def __call__(
            self,
            *arguments: TensorLike | Sequence[TensorLike],
            training: bool | None = None,
            **keywords: TensorLike | None,
        ) -> Tensor: ...
        def __call__(self, *arguments: Any, **keywords: Any) -> Any:
            """Call the layer; see `Layer`."""


def layer_class(name: str) -> type[BuiltIn] | None:
    """Return the class that programs make layers of, by one of its names; or None."""
    found = find_layer_class(name)
    if found is None or found.only_in_files or not issubclass(found, BuiltIn):
        return None
    return found


def _is_special(name: str) -> bool:
    """Whether Python defines what a name means; a layer computes by none of these but a call."""
    return name.startswith("__") and name.endswith("__") and name != "__call__"


def _without_tensors(value: Value) -> Value:
    mask = None if value.mask is None else value.mask._replace(reference=None)
    return value._replace(reference=None, mask=mask)


def _with_input_dim(options: Mapping[str, Any], legacy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options with the input shape that Keras 2's ``input_dim`` means."""
    if legacy.get("input_dim") is None or "input_shape" in options:
        return dict(options)
    length = [legacy["input_length"]] if "input_length" in legacy else []
    return {**options, "input_shape": [*length, legacy["input_dim"]]}


def _described(spec: LayerSpec, path: tuple[str, ...], store: VariableStore) -> Iterator[Described]:
    """Yield the variables of a layer, in the order of Keras's files."""
    kind = None if spec.is_function else find_layer_class(spec.class_name)
    if kind is None or not len(store):
        return
    for name in kind.weight_names(Options(spec.config, f"layer {spec.name!r}")):
        variable = store.get((path, name))
        if variable is not None:
            yield Described(spec, path, name, variable)
    for child in kind.children(spec):
        yield from _described(child, (*path, child.name), store)


def serialized(value: Any) -> Any:
    """Return an argument as files have it: objects as their class and config."""
    if isinstance(value, Layer):
        spec = value.file_spec()
        found = {"class_name": spec.class_name, "config": value.get_config()}
        if not spec.registered_name:
            return found
        return {"module": None, **found, "registered_name": spec.registered_name}
    if isinstance(value, Configured):
        return document_of(value)
    if isinstance(value, (list, tuple)):
        return [serialized(part) for part in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if callable(value):
        name = getattr(value, "__name__", repr(value))
        raise CoreError(f"the function {name!r} cannot be saved: name an activation instead")
    return value
