"""Objects of user-defined classes from the documents of files, by the classes of a program."""

from collections.abc import Callable, Container, Mapping
from typing import Any

from core.errors import MISUSE, CoreError
from core.keras.documents import is_user_document

#: User-defined classes of layers, initializers, regularizers, constraints, losses, metrics and
#: optimizers, and functions that are losses or metrics, by their names in files.
CustomObjects = Mapping[str, Callable[..., object]]


def with_custom_objects(value: Any, custom: CustomObjects, *, functions: bool = False) -> Any:
    """Return a part of a file with objects in place of the documents of user-defined classes.

    Documents of other classes stay.

    Args:
        value: a document, a name, or lists and dicts of them.
        custom: the classes.
        functions: whether texts may be names of functions, as losses and metrics are.

    Raises:
        CoreError: a class is missing, or cannot make an object of the arguments of the file.

    >>> from core.initializers import Ones
    >>> class Twos(Ones): ...
    >>> document = {"class_name": "Twos", "config": {}, "registered_name": "my>Twos"}
    >>> with_custom_objects({"kernel_initializer": document, "units": 3}, {"Twos": Twos})
    {'kernel_initializer': Twos(), 'units': 3}
    """
    if isinstance(value, (list, tuple)):
        return [with_custom_objects(part, custom, functions=functions) for part in value]
    if not isinstance(value, Mapping):
        return (functions and _function(value, custom)) or value
    if "class_name" not in value:
        parts = value.items()
        return {k: with_custom_objects(part, custom, functions=functions) for k, part in parts}
    if value["class_name"] == "function":
        return _function(value.get("config"), custom) or value
    names = (str(value.get("registered_name")), str(value["class_name"]))
    name = next((found for each in names if (found := _name_in(custom, each))), None)
    config = value.get("config") or {}
    if not isinstance(config, Mapping):
        return value
    config = with_custom_objects(config, custom)
    if name is None and is_user_document(value):
        raise CoreError(
            f"the class {names[0]!r:.80} in the file is user-defined: give it as "
            f"custom_objects={{{names[1]!r:.80}: Class}}"
        )
    made: Any = custom.get(name) if name else None
    if not (isinstance(made, type) and hasattr(made, "from_config")):
        return {**value, "config": config}
    try:
        found = made.from_config(config)
    except (*MISUSE, CoreError) as error:
        raise CoreError(
            f"custom_objects[{name!r}], the class {made.__name__}, cannot make an object of the "
            f"arguments {[*config]}: {error}"
        ) from error
    found._registered_name = next((each for each in names if ">" in each), "")
    return found


def _function(name: Any, custom: CustomObjects) -> Callable[..., object] | None:
    """Return the function of a name; a class is named by documents alone."""
    if not isinstance(name, str):
        return None
    found = custom.get(_name_in(custom, name) or "")
    return None if isinstance(found, type) else found


def _name_in(names: Container[str], name: str) -> str | None:
    """Return a name, or its last part after the package, if it is among names."""
    return next((each for each in (name, name.rpartition(">")[2]) if each in names), None)
