"""Known facts on a model's outputs: their activations and numbers of units."""

from collections.abc import Mapping, Sequence

from core.layers.built_in_layer import BuiltIn
from core.layers.symbolic import SymbolicTensor

#: Layers that are activations, and which ones.
_LAYERS = {"Softmax": "softmax", "ReLU": "relu", "ELU": "elu"}


def output_activations(outputs: Sequence[SymbolicTensor]) -> list[str | None]:
    """Return the name of each output's activation; None where it is unknown.

    >>> import core
    >>> layers = [core.layers.Dense(3, activation="softmax", input_shape=(2,))]
    >>> output_activations(core.Sequential(layers).output_symbols())
    ['softmax']
    """
    return [_activation(symbol) for symbol in outputs]


def _activation(symbol: SymbolicTensor) -> str | None:
    layer = symbol.layer
    if hasattr(layer, "output_symbols"):  # a model as a layer
        inner: list[SymbolicTensor] = layer.output_symbols()
        return _activation(inner[symbol.output]) if symbol.output < len(inner) else None
    if not isinstance(layer, BuiltIn):
        return None
    if "activation" not in layer.kind.arguments:
        return _LAYERS.get(layer.class_name)
    given = layer.config.get("activation")
    if isinstance(given, Mapping):
        inner_name = given.get("config")
        return inner_name if isinstance(inner_name, str) else None
    if given is None:
        return "linear"
    return given if isinstance(given, str) else None
