"""Layers with the names, arguments and defaults of Keras 3.

>>> import core
>>> layer = core.layers.Dense(2, activation="relu", kernel_initializer="ones")
>>> layer([[1.0, 2.0]]).numpy()
array([[3., 3.]], dtype=float32)

Each class has a function of TensorFlow.js's name in Python's spelling, which makes the layer:
``core.layers.dense(units=2)``. `Layer` is the base of user-defined layers, `Input` makes the inputs
of functional models (`core.Model`).
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from core.keras.configured import snake_case
from core.layers.built_in_layer import layer_class
from core.layers.lookup import built_in_classes
from weights_cache.common.similar_names import no_attribute

_HOMES = {
    "Input": "input_layer",
    "InputLayer": "input_layer",
    "Layer": "layer",
    "SymbolicTensor": "symbolic",
    "layer_classes": "inference",
    "layers_graph": "inference",
}

#: Functions of TensorFlow.js that have another name than the class's in Python's spelling.
_FUNCTIONS = {"input": "Input", "input_layer": "InputLayer"}


def class_names() -> dict[str, str]:
    """Return the names of the built-in classes by their names in the spelling of functions.

    Both include other names, such as "MaxPool2D" and "max_pool2d".
    """
    names = (name for name, kind in built_in_classes().items() if kind.is_public())
    return {snake_case(name): name for name in names}


def __getattr__(name: str) -> Any:
    """Find a class or a function that makes a layer, at its first use."""
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: Any = None
    wanted = _FUNCTIONS.get(name, name)
    if wanted in _HOMES:
        found = getattr(import_module(f"{__name__}.{_HOMES[wanted]}"), wanted)
    elif wanted[0].isupper() or wanted in class_names():
        found = layer_class(wanted if wanted[0].isupper() else class_names()[wanted])
    if found is None:
        if _is_module(name):
            return import_module(f"{__name__}.{name}")
        raise no_attribute(__name__, name, __dir__())
    globals()[name] = found
    return found


def _is_module(name: str) -> bool:
    return find_spec(f"{__name__}.{name}") is not None


def __dir__() -> list[str]:
    names = class_names()
    return sorted({*_HOMES, *_FUNCTIONS, *names, *names.values()})
