"""The classes of the built-in layers, made from the rows of `core.layers.lowering`."""

from collections.abc import Iterator, Mapping
from functools import cache
from inspect import Parameter, Signature, signature
from typing import Any, ClassVar, NamedTuple

import numpy as np

from core import constraints, initializers, regularizers
from core.engine.tensors import Tensor
from core.engine.variables import Variable
from core.errors import CoreError
from core.keras.configured import Configured, checked_call, document_of
from core.layers.adapting import METHODS
from core.layers.argument_docs import COMMON_DOCS, documentation
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
from core.layers.lowering.arguments import REQUIRED, stem_of
from core.layers.lowering.rows import (
    LayerType,
    find_layer_name,
    find_layer_type,
    results_of_row,
    results_of_values,
)
from core.layers.model_run import bound_arguments
from core.layers.nested import replaced
from core.layers.shape_calls import ShapeCall
from core.layers.symbolic import symbolic_in
from core.layers.tensor_calls import TensorCall, tensor_of, value_of
from core.layers.texts import about
from core.layers.variable_store import VariableStore

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


class BuiltIn(Layer):
    """A built-in layer: its class has the arguments of a row of `core.layers.lowering`.

    Args:
        *positional: arguments of the layer in their order.
        **options: arguments by name, and those of every `Layer`.
    """

    #: The row of the class.
    kind: ClassVar[LayerType]

    #: Name of the class in files.
    class_name: ClassVar[str]

    #: Whether it is a function between layers, such as ``x + y``.
    is_function: ClassVar[bool] = False

    #: The library whose arguments the layer has.
    dialect: Dialect = "keras3"

    #: Module of the class in Keras 3, where the file says it.
    _module: str = ""

    _read: _Read | None = None

    __signature__: ClassVar[Signature]

    #: Whether a user-defined subclass builds or computes otherwise than the row.
    _has_own_rule: ClassVar[bool] = False

    #: Whether a user-defined subclass has nothing but a constructor and configs of its own.
    _is_built_in_with_options: ClassVar[bool] = True

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        built_in = next((made for made in cls.__mro__ if "kind" in vars(made)), cls)
        if "__init__" in vars(cls):  # whose arguments are not those of the built-in class
            _, *arguments = signature(cls.__init__).parameters.values()
            cls.__signature__ = Signature(arguments)
        rules = ("build", "call", "compute_output_shape")
        derived = cls.__mro__[: cls.__mro__.index(built_in)]
        own = {name for made in derived for name in vars(made) if not _is_special(name)}
        own -= {"_has_own_rule", "_is_built_in_with_options"}  # of classes between
        cls._has_own_rule = any(getattr(cls, n) is not getattr(built_in, n) for n in rules)
        cls._is_built_in_with_options = own <= {"get_config", "from_config"}

    def __init__(self, *positional: Any, **options: Any):
        names = [*(self.kind.arguments or {})]
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
        self.config = self._checked_config(own)
        self.activity_regularizer = self.config.get("activity_regularizer")
        self._store, self._initial = VariableStore(self.name), weights
        self.inner = [*self.config.values()]

    def _check_names(self, options: Mapping[str, Any]) -> None:
        for name in options:
            if name not in COMMON_DOCS:
                valid = ", ".join([*(self.kind.arguments or {}), *COMMON_DOCS])
                raise CoreError(
                    f"{self.class_name} has no argument {name!r}; its arguments are {valid}"
                )

    def _checked_config(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all arguments by name, with objects in place of the names of objects."""
        config: dict[str, Any] = {}
        for name, default in (self.kind.arguments or {}).items():
            value = given.get(name, default)
            if value is REQUIRED:
                raise CoreError(f"{self.class_name} needs the argument {name!r}")
            family = next((f for end, f in _FAMILIES.items() if name.endswith(end)), None)
            if isinstance(value, (np.integer, np.floating, np.bool_)):
                value = value.item()
            config[name] = value if family is None or value is None else family(value)
        return config

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
            return self._row_spec()
        config = self.get_config()
        return self._spec()._replace(
            class_name=type(self).__name__,
            config=config,
            dialect="keras3",
            registered_name=self.registered_name,
            same_built_in=self._row_spec() if self._is_built_in_with_options else None,
        )

    def _row_spec(self) -> LayerSpec:
        config: dict[str, Any] = {} if self.is_function else {"dtype": self.dtype}
        for name, value in self.config.items():
            if name in INNER_LAYERS:
                config[name] = replaced(value, Layer, lambda layer: layer.file_spec())
            else:
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
        found = self._row_results(call, training)
        if self.activity_regularizer is not None:
            self.penalise_activity(found, training)
        return found

    def _row_results(self, call: KerasCall, training: bool) -> list[Value]:
        """Return the results of a call by the row of the class."""
        values, keywords = call.arguments, call.keywords
        if keywords or {*map(type, values)} != {Value}:
            values, keywords = bound_arguments(call)
        if not self.built:
            self._row_shapes(call)
        made = self._tensor_call(training, keywords)
        tensors: list[Tensor] = []
        for value in values:
            tensors.append(value.reference)
            made.masks.append(None if value.mask is None else tensor_of(value.mask))
        found: list[Value] = []
        for tensor, mask in results_of_row(self.kind, made, tensors):
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
        return super()._shapes_for(call) if self._has_own_rule else self._row_shapes(call)

    def _row_shapes(self, call: KerasCall) -> list[Value]:
        """Return the shapes of the results by the row of the class; make its variables."""
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
            return with_masks(self._row_results(call, training))

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of a shape with the batch, or for a list of shapes."""
        self._row_shapes(call_of_shapes(input_shape))

    def _has_shape_rule(self) -> bool:
        return type(self).compute_output_shape is not BuiltIn.compute_output_shape

    def compute_output_shape(self, input_shape: Any) -> Any:
        """Return the shape of the result for inputs of a shape; see `Layer`."""
        found = [value.shape for value in self._row_shapes(call_of_shapes(input_shape))]
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
        children = () if self.is_function else self.kind.children(self._spec())
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
        return keras3_config_of(self._row_spec())

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
        made.config, made.dialect, made._module = dict(spec.config), spec.dialect, spec.module
        made.activity_regularizer = regularizers.get(spec.config.get("activity_regularizer"))
        made._store, made._initial = VariableStore(spec.name), None
        made.inner = [*made.config.values()]
        return made


@cache
def layer_class(name: str) -> type[BuiltIn] | None:
    """Return the class of a built-in layer by one of its names, or None.

    >>> layer_class("MaxPool2D").__name__
    'MaxPooling2D'
    """
    found = find_layer_name(name)
    kind = None if found is None else find_layer_type(found)
    if found is None or kind is None or kind.arguments is None:
        return None
    if found != name:
        return layer_class(found)
    members = {
        "kind": kind,
        "class_name": found,
        "is_function": found.startswith("ops."),
        "__doc__": documentation(found, about(found), kind.arguments)
        if kind.is_published
        else f"The layer {found} of models in ``keras.applications``.",
        "__module__": "core.layers",
        "__signature__": _signature(kind),
        **METHODS.get(found, {}),
    }
    return type(found, (BuiltIn,), members)


def _signature(kind: LayerType) -> Signature:
    either = Parameter.POSITIONAL_OR_KEYWORD
    own = [
        Parameter(name, either, default=Parameter.empty if value is REQUIRED else value)
        for name, value in (kind.arguments or {}).items()
    ]
    own.sort(key=lambda p: p.default is not Parameter.empty)
    common = [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in COMMON_DOCS]
    return Signature([*own, *common])


def function_layer(name: str) -> BuiltIn:
    """Return a new layer for a function of tensors, such as "Add" for ``x + y``."""
    return function_class(name)()


@cache
def function_class(name: str) -> type[BuiltIn]:
    """Return the class of the layers for a function of tensors."""
    kind = find_layer_type(f"ops.{name.lower()}")
    if kind is None:
        raise CoreError(f"there is no function {name!r} between layers")
    members = {"kind": kind, "class_name": name, "is_function": True, "__module__": "core.layers"}
    return type(name, (BuiltIn,), members)


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
    kind = None if spec.is_function else find_layer_type(spec.class_name)
    if kind is None or not len(store):
        return
    for name in kind.weights(Options(spec.config, f"layer {spec.name!r}")):
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
