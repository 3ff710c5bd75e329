"""Documents of objects in model files: what Keras 2, Keras 3 and TensorFlow.js write."""

from collections.abc import Mapping
from typing import Any

from core.keras.configured import snake_case


def is_user_document(document: Mapping[str, Any]) -> bool:
    """Whether a document is of a user-defined class, as Keras 3 and this project write it.

    >>> is_user_document({"module": None, "class_name": "Twos", "registered_name": "my>Twos"})
    True
    """
    return document.get("module") is None and bool(document.get("registered_name"))


def plain_document(identifier: Any) -> Any:
    """Return a document as `NamedClasses.get` takes it; what is no document stays as it is.

    TensorFlow.js writes names in camel case. Files of TensorFlow 1 give each object a dtype, and
    Keras 3 may write a document of a generator for a seed.

    >>> plain_document({"className": "MaxNorm", "config": {"maxValue": 2}})
    {'class_name': 'MaxNorm', 'config': {'max_value': 2}}
    """
    if not isinstance(identifier, Mapping):
        return identifier
    name = identifier.get("class_name", identifier.get("className"))
    config = identifier.get("config") or {}
    if isinstance(config, Mapping):
        config = {snake_case(str(key)): _value(value) for key, value in config.items()}
        config.pop("dtype", None)
    return {"class_name": name, "config": config}


def _value(value: Any) -> Any:
    """Return the value of an argument; of a generator its seed, of a stored array its values."""
    if isinstance(value, Mapping) and isinstance(value.get("config"), Mapping):
        if value.get("class_name") == "SeedGenerator":
            return value["config"].get("seed")
        if value.get("class_name") == "__numpy__":
            return value["config"].get("value")
    return value
