"""Sequential models: a list of layers, each called on the result of the one before."""

from collections.abc import Iterable, Mapping
from typing import Any

from core.engine.tensors import Tensor
from core.errors import CoreError
from core.layers.input_layer import Input, InputLayer
from core.layers.keras_config import KerasCall
from core.layers.layer import Layer, ValueOf
from core.layers.layer_call import Value
from core.layers.model_run import bound_arguments
from core.layers.symbolic import SymbolicTensor
from core.models.functional import layer_document
from core.models.model import Model


class Sequential(Model[Tensor]):
    """A model of layers in a row.

    The shape of the input is that of the first layer's ``input_shape``, of an `core.layers.Input`
    before it, or else of the first data on which the model is called.

    Args:
        layers: layers, in order.
        name: name of the model.
        trainable: whether training changes its variables.

    >>> import core
    >>> model = core.Sequential()
    >>> model.add(core.layers.Dense(8, activation="relu", input_shape=(4,)))
    >>> model.add(core.layers.Dense(1))
    >>> model.output_shape, model.count_params()
    ((None, 1), 49)
    """

    def __init__(
        self,
        layers: Layer | Iterable[Layer | SymbolicTensor] = (),
        *,
        name: str | None = None,
        trainable: bool = True,
    ):
        super().__init__(name=name, trainable=trainable)
        self._list: list[Layer] = []
        self._first: SymbolicTensor | None = None
        self._last: SymbolicTensor | None = None
        for layer in [layers] if isinstance(layers, Layer) else layers:
            self.add(layer)

    def add(self, layer: Layer | SymbolicTensor) -> None:
        """Add a layer, a model or an input at the end.

        Raises:
            CoreError: it is no layer, its name is used already, or the result of the layers
                before does not fit it.
        """
        if isinstance(layer, SymbolicTensor):
            layer = layer.layer
        if not isinstance(layer, Layer):
            raise CoreError(f"a Sequential takes layers, got {layer!r:.80}")
        if isinstance(layer, InputLayer):
            if self._list or self._first is not None:
                raise CoreError("an input must be the first layer of a Sequential")
            self._begin(layer.call_outputs[0][0])
            return
        if any(each.name == layer.name for each in self._list):
            raise CoreError(
                f"a layer named {layer.name!r} is in the model: give this another name="
            )
        if self._first is None and not self._list:
            self._begin_with(layer)
        if self._last is not None:
            self._extend(layer)
        self._list.append(layer)
        self._renew()

    def pop(self) -> Layer:
        """Remove the last layer, and return it."""
        if not self._list:
            raise CoreError("the Sequential has no layers")
        layer = self._list.pop()
        if self._first is not None:
            before = self._list[-1].call_outputs[-1][0] if self._list else self._first
            self._last = before
        self._renew()
        return layer

    def _begin_with(self, layer: Layer) -> None:
        """Make the input from what the first layer declares."""
        shape, dtype = layer.declared_input_shape, None
        if isinstance(layer, Model) and layer._graph is not None:
            shape, dtype = layer.inputs[0].shape, layer.inputs[0].dtype
        if shape is not None:
            self._begin(Input(batch_shape=shape, dtype=dtype, name=f"{layer.name}_input"))

    def _begin(self, symbol: SymbolicTensor) -> None:
        self._first = self._last = symbol

    def _extend(self, layer: Layer) -> None:
        found = layer(self._last)
        if not isinstance(found, SymbolicTensor):
            raise CoreError(
                f"layer {layer.name!r} returns several tensors, a Sequential needs one: make a "
                f"functional model, core.Model(inputs, outputs)"
            )
        self._last = found

    def _renew(self) -> None:
        """Make the description anew, where the shape of the input is known."""
        self._forget_steps()
        self._graph, self.built = None, False
        if self._first is not None and self._last is not None and self._list:
            self._take_graph(self._first, self._last)

    def build(self, input_shape: Any) -> None:
        """Make the variables for inputs of a shape with the batch."""
        if self._graph is None:
            if not self._list:
                raise CoreError(f"the model {self.name!r} has no layers: add some first")
            shape = (None, *tuple(input_shape)[1:])
            self._begin(Input(batch_shape=shape, name=f"{self._list[0].name}_input"))
            for layer in self._list:
                self._extend(layer)
            self._renew()

    def _build_by(self, call: KerasCall, value_of_source: ValueOf) -> None:
        values, _ = bound_arguments(call, value_of_source)
        if len(values) != 1:
            raise CoreError(f"a Sequential takes one input, got {len(values)} tensors")
        self.build(values[0].shape)

    def results_of_call(
        self, call: KerasCall, value_of_source: ValueOf, *, training: bool
    ) -> list[Value]:
        """Return the results of a call; each source is a tensor's value."""
        self._build_by(call, value_of_source)
        return super().results_of_call(call, value_of_source, training=training)

    def shapes_of_call(self, call: KerasCall, value_of_source: ValueOf) -> list[Value]:
        """Return the shapes of the results; each source is a value with a shape."""
        self._build_by(call, value_of_source)
        return super().shapes_of_call(call, value_of_source)

    def sublayers(self) -> list[Layer]:
        """Return the layers in order."""
        return list(self.__dict__.get("_list", ()))

    @property
    def class_name(self) -> str:
        """Name of the class in files."""
        return "Sequential"

    @property
    def output_shape(self) -> Any:
        """The shape of the result with the batch."""
        if self._last is None:
            raise CoreError(
                f"the shape of the input of {self.name!r} is unknown: give the first layer "
                f"input_shape="
            )
        return self._last.shape

    def get_config(self) -> dict[str, Any]:
        """Return the layers with their configs, as Keras 3 writes them."""
        first = [] if self._first is None else [layer_document(self._first.layer)]
        config: dict[str, Any] = {
            "name": self.name,
            "trainable": self.trainable,
            "layers": [*first, *map(layer_document, self._list)],
        }
        if self._first is not None:
            config["build_input_shape"] = list(self._first.shape)
        return config

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> "Sequential":
        """Make a model from the result of `get_config`, with new weights."""
        from core.models.documents import model_from_document

        made: Any = model_from_document({"class_name": "Sequential", "config": config})
        model: Sequential = made
        return model


def sequential(
    layers: Layer | Iterable[Layer | SymbolicTensor] = (), *, name: str | None = None
) -> Sequential:
    """Return a `Sequential` model, as TensorFlow.js's ``tf.sequential`` does.

    Args:
        layers: layers, in order.
        name: name of the model.

    Listing 1 of the paper on TensorFlow.js (Smilkov et al. 2019, https://arxiv.org/abs/1901.05350):

    >>> import core
    >>> core.set_random_seed(1)
    >>> # A linear model with 1 dense layer.
    >>> model = core.sequential()
    >>> model.add(core.layers.dense(
    ...     units=1, input_shape=[1]
    ... ))
    >>> # Specify the loss and the optimizer.
    >>> model.compile(
    ...     loss="mean_squared_error",
    ...     optimizer="sgd"
    ... )
    >>> # Generate synthetic data to train.
    >>> xs = core.tensor2d([1, 2, 3, 4], [4, 1])
    >>> ys = core.tensor2d([1, 3, 5, 7], [4, 1])
    >>> # Train the model using the data.
    >>> history = model.fit(xs, ys, verbose=0)
    >>> # Do inference on an unseen data point and print the result.
    >>> x = core.tensor2d([5], [1, 1])
    >>> model.predict(x).print()  # doctest: +ELLIPSIS
    Tensor
        [[...]]
    """
    return Sequential(layers, name=name)
