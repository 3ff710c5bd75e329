"""Models: layers that are called as one, trained and saved."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, overload

from core.data.batches import Samples
from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.call_context import training_phase
from core.layers.dialects.topologies import keras3_config_of
from core.layers.keras_config import KerasCall, LayerSpec
from core.layers.layer import Layer, as_tensors, call_of, only, value_of_data, with_masks
from core.layers.layer_call import Value
from core.layers.model_run import bound_arguments
from core.layers.nested import flattened
from core.layers.symbolic import SymbolicTensor, symbolic_in
from core.models.feeding import in_order
from core.models.functional import LayerGraph, ShapeRun, TensorRun, without_objects
from core.models.result_types import Result, Symbols
from core.models.summary import summary_text
from core.models.trainer import Trainer
from weights_cache.common.similar_names import did_you_mean


class Model(Trainer[Result]):
    """A model of layers, made of symbolic tensors, or by a class with a ``call`` of its own.

    A subclass has its layers as attributes and computes in ``call(self, x, training=None)``.

    Args:
        inputs: symbolic tensor of `core.layers.Input`, or a list or dict of them.
        outputs: symbolic tensor that follows from them, or a list or dict of them.
        name: name of the model.
        trainable: whether training changes its variables.

    Raises:
        CoreError: an input leads to no output, an output needs another input, or two layers have
            one name.

    >>> import core
    >>> x = core.layers.Input(shape=(4,))
    >>> y = core.layers.Dense(3, activation="softmax")(core.layers.Dense(8)(x))
    >>> model = core.Model(x, y)
    >>> model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    >>> history = model.fit(core.ones((6, 4)), [0, 1, 2, 0, 1, 2], epochs=2, verbose=0)
    >>> len(history.history["loss"]), model.predict(core.ones((2, 4))).shape
    (2, (2, 3))
    """

    @overload
    def __init__(self, *, name: str | None = None, trainable: bool = True): ...

    @overload
    def __init__(
        self: "Model[Tensor]",
        inputs: Symbols,
        outputs: SymbolicTensor,
        *,
        name: str | None = None,
        trainable: bool = True,
    ): ...

    @overload
    def __init__(
        self: "Model[list[Tensor]]",
        inputs: Symbols,
        outputs: Sequence[SymbolicTensor],
        *,
        name: str | None = None,
        trainable: bool = True,
    ): ...

    @overload
    def __init__(
        self: "Model[dict[str, Tensor]]",
        inputs: Symbols,
        outputs: Mapping[str, SymbolicTensor],
        *,
        name: str | None = None,
        trainable: bool = True,
    ): ...

    def __init__(
        self,
        inputs: Symbols | None = None,
        outputs: Symbols | None = None,
        *,
        name: str | None = None,
        trainable: bool = True,
    ):
        super().__init__(name=name, trainable=trainable)
        self._graph: LayerGraph | None = None
        if (inputs is None) != (outputs is None):
            raise CoreError("a functional model needs inputs and outputs; a subclass takes neither")
        if inputs is not None and outputs is not None:
            self._take_graph(inputs, outputs)

    def _take_graph(self, inputs: Symbols, outputs: Symbols) -> None:
        for what, given in (("inputs", inputs), ("outputs", outputs)):
            if not flattened(given, SymbolicTensor):
                raise CoreError(
                    f"the {what} of a model must be symbolic tensors, as core.layers.Input "
                    f"returns them, got {given!r:.80}"
                )
        ins, outs = (flattened(given, SymbolicTensor) for given in (inputs, outputs))
        self._graph = LayerGraph(ins, outs)
        self.inputs, self.outputs = ins, outs
        self.input_names = sorted(inputs) if isinstance(inputs, dict) else [s.name for s in ins]
        self.output_names = (
            sorted(outputs) if isinstance(outputs, dict) else _unique([s.name for s in outs])
        )
        self._returns_dict = isinstance(outputs, dict)
        self.built = True

    # --- layers ------------------------------------------------------------------------------

    def sublayers(self) -> list[Layer]:
        """Return the layers of the model, the inputs included."""
        if self._graph is not None:
            return list(self._graph.layers)
        return super().sublayers()

    @property
    def layers(self) -> list[Layer]:
        """The layers of the model in the order of Keras."""
        return self.sublayers()

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """Return a layer by its name or its place.

        Raises:
            CoreError: there is no such layer; similar names are shown.
        """
        layers = self.layers
        if index is not None and name is None:
            if not -len(layers) <= index < len(layers):
                raise CoreError(f"index={index} is outside of the {len(layers)} layers")
            return layers[index]
        found = next((layer for layer in layers if layer.name == name), None)
        if found is None:
            names = [layer.name for layer in layers]
            raise CoreError(
                f"the model {self.name!r} has no layer {name!r}{did_you_mean(str(name), names)}; "
                f"its layers are {', '.join(names)}"
            )
        return found

    def output_symbols(self) -> list[SymbolicTensor]:
        """Return the symbolic outputs of a functional model; none of a subclass."""
        return [] if self._graph is None else list(self.outputs)

    @property
    def input(self) -> Any:
        """The symbolic input of a functional model, or a list of them."""
        return super().input if self._graph is None else only(self.inputs)

    @property
    def output(self) -> Any:
        """The symbolic output of a functional model, or a list of them."""
        return super().output if self._graph is None else only(self.outputs)

    @property
    def output_shape(self) -> Any:
        """The shape of `output` with the batch, or a list of shapes."""
        if self._graph is None:
            return super().output_shape
        return only([symbol.shape for symbol in self.outputs])

    def summary(self, print_fn: Callable[[str], object] = print) -> None:
        """Print the layers with the shapes of their results and their numbers of parameters.

        Args:
            print_fn: called with the text.

        >>> import core
        >>> model = core.Sequential([core.layers.Dense(1, input_shape=(2,), name="d")], name="m")
        >>> model.summary()
        Model: "m"
        Layer (type)  Output shape  Parameters
        d (Dense)     (None, 1)              3
        Total parameters: 3 (12 B), trainable: 3, not trainable: 0
        """
        print_fn(summary_text(self))

    # --- calls -------------------------------------------------------------------------------

    @overload
    def __call__(
        self, *arguments: Symbols, training: bool | None = None, **keywords: Any
    ) -> Any: ...

    @overload
    def __call__(
        self, *arguments: Samples, training: bool | None = None, **keywords: Any
    ) -> Result: ...

    def __call__(self, *arguments: Any, training: bool | None = None, **keywords: Any) -> Any:
        """Call the model on tensors or arrays, or on symbolic tensors, as a layer.

        Args:
            *arguments: the inputs: one, a list, or a dict by the names of the inputs.
            training: whether the layers run as in training; by default as in the surrounding call.
            **keywords: other arguments of a subclass's call.
        """
        if self._graph is not None and len(arguments) == 1 and isinstance(arguments[0], Mapping):
            arguments = (in_order(arguments[0], self.input_names, "inputs"),)
        found = super().__call__(*arguments, training=training, **keywords)
        if self._graph is not None and self._returns_dict:
            several = found if isinstance(found, list) else [found]
            return dict(zip(self.output_names, several, strict=True))
        return found

    def _results_for(self, call: KerasCall, *, training: bool) -> list[Value]:
        """Return the results of a call that has values of tensors in place of sources."""
        if self._graph is None or self._has_own_call():
            return super()._results_for(call, training=training)
        return self._graph_results(call, training)

    def _has_own_call(self) -> bool:
        """Whether a subclass computes otherwise than its layers in their order."""
        return type(self).call is not Model.call

    def _graph_results(self, call: KerasCall, training: bool) -> list[Value]:
        assert self._graph is not None
        values, _ = bound_arguments(call)
        run = TensorRun(self._graph.spec, f"the model {self.name!r}", training=training)
        return run.results(values)

    def _shapes_for(self, call: KerasCall) -> list[Value]:
        """Return the shapes of the results of a call that has values in place of sources."""
        if self._graph is None or self._has_own_call():
            return super()._shapes_for(call)
        values, _ = bound_arguments(call)
        return ShapeRun(self._graph.spec, f"the model {self.name!r}").results(values)

    def call(self, *inputs: Any, **options: Any) -> Any:
        """Return the results for inputs; a subclass defines it."""
        if self._graph is None:
            raise CoreError(f"the model class {type(self).__name__} must define call(self, x)")
        if not self._has_own_call() or symbolic_in([inputs, options]):
            return self(*inputs, **options)
        with training_phase(options.pop("training", None)) as training:
            call = call_of(tuple(map(as_tensors, inputs)), options, value_of_data)
            return with_masks(self._graph_results(call, training))

    # --- descriptions ------------------------------------------------------------------------

    @property
    def class_name(self) -> str:
        """Name of the class in files."""
        is_described = self._graph is not None and not self._has_own_call()
        return "Functional" if is_described else type(self).__name__

    def layer_spec(self) -> LayerSpec:
        """Return the description of the model as a layer of another one.

        That of a subclass with a ``call`` of its own has no layers, which are not all it computes.
        """
        model = None if self._graph is None or self._has_own_call() else self._graph.spec
        return LayerSpec(
            self.class_name,
            self.name,
            {"name": self.name, "trainable": self.trainable},
            "keras3",
            tuple(self.calls),
            model,
            layer=self,
            registered_name="" if model is not None else self.registered_name,
        )

    def file_spec(self) -> LayerSpec:
        """Return the description of the model for files, which has no objects."""
        found = super().file_spec()
        return found if found.model is None else found._replace(model=without_objects(found.model))

    def get_config(self) -> dict[str, Any]:
        """Return the layers with their configs and calls, as Keras 3 writes them.

        Raises:
            CoreError: Keras 3 cannot express a layer of another program's file.
        """
        return keras3_config_of(self.file_spec())

    def __copy__(self) -> "Model[Result]":
        return deepcopy(self)  # an optimizer belongs to the variables of one model

    def __reduce__(self) -> Any:
        from core.models.copies import restored, state_of

        return restored, (state_of(self, self._compiled_with),)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} name={self.name!r} layers={len(self.layers)}>"


def _unique(names: Sequence[str]) -> list[str]:
    """Return names with numbers where one comes twice."""
    found: list[str] = []
    for name in names:
        number = sum(1 for each in names[: len(found)] if each == name)
        found.append(f"{name}_{number}" if number else name)
    return found
