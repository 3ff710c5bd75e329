"""Documents in the dialect of a format, as its library writes them."""

from collections.abc import Mapping
from typing import Any

from core.converter.layer_files.document import LayersDocument
from core.layers.dialects.configs import module_of
from core.layers.dialects.topologies import translated_topology
from core.layers.keras_config import MODEL_CLASSES, Dialect

#: Keys beside a topology by which readers recognise its dialect.
_MARKS = ("keras_version", "backend")
_TFJS_MARKS = {"keras_version": "tfjs-layers 4.22.0", "backend": "tensor_flow.js"}


def translated(
    document: LayersDocument, target: Dialect, *, has_functions: bool = True
) -> LayersDocument:
    """Return a document with its topology in a dialect; weights are shared.

    Args:
        document: the document; a topology of the dialect is only completed, not changed.
        target: "keras3", "keras2" or "tfjs".
        has_functions: whether the format has functions between layers, where the dialect has.

    Raises:
        CoreError: the dialect cannot express some layers; all are listed with the reasons.
    """
    given = document.topology
    if document.dialect == target and has_functions:
        topology = {key: value for key, value in given.items() if key not in _MARKS}
    else:
        topology = translated_topology(given, target, has_functions=has_functions)
    if target == "keras3":
        topology = _completed(topology)
    elif target == "tfjs":
        topology = {**topology, **_TFJS_MARKS}
    return document._replace(topology=topology, dialect=target)


def _completed(value: Any, key: str = "") -> Any:
    """Return a topology of Keras 3 with the module and registered name of every object."""
    if isinstance(value, (list, tuple)):
        return [_completed(item, key) for item in value]
    if not isinstance(value, Mapping):
        return value
    found = {k: _completed(v, k) for k, v in value.items()}
    class_name = value.get("class_name")
    if not isinstance(class_name, str) or "config" not in value or class_name.startswith("__"):
        return found
    if class_name in ("Functional", "Model"):
        found["class_name"] = class_name = "Functional"
        module = "keras.src.models.functional"
    else:
        module = "keras" if class_name in (*MODEL_CLASSES, "DTypePolicy") else "keras.layers"
    registered = "Functional" if class_name == "Functional" else None
    given = {"module": module_of(key) or module, "class_name": class_name}
    return {**given, **found, "registered_name": found.get("registered_name", registered)}
