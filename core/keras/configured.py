"""Objects that are made from a name or a config, as in Keras: losses, metrics, initializers.

A config has the arguments of the class by name, as `Configured.get_config` returns them.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from numbers import Real
from types import NoneType, UnionType
from typing import Any, Generic, TypeVar, Union, get_args, get_origin

from core.errors import CoreError

Kind = TypeVar("Kind", bound="Configured")
Made = TypeVar("Made")


class Configured:
    """An object whose arguments are attributes of their names."""

    #: The name by which a file knows a user-defined class, if that is not the class's name.
    _registered_name = ""

    def get_config(self) -> dict[str, Any]:
        """Return the arguments by name, from which `from_config` makes an equal object."""
        names = inspect.signature(type(self)).parameters
        missing = [name for name in names if not hasattr(self, name)]
        if missing:
            raise CoreError(
                f"{type(self).__name__} does not store its argument {missing[0]!r} as an "
                f"attribute: store it, or define get_config"
            )
        return {name: getattr(self, name) for name in names}

    @classmethod
    def from_config(cls: type[Kind], config: Mapping[str, Any]) -> Kind:
        """Make an object from the result of `get_config`; missing arguments have their defaults.

        Raises:
            CoreError: an argument is unknown or missing, or its value is invalid.
        """
        return checked_call(cls, config)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.get_config().items())
        return f"{type(self).__name__}({options})"


def is_user_defined(made: Callable[..., Any]) -> bool:
    """Whether a class or function is of the program that uses this package."""
    return made.__module__.partition(".")[0] != __name__.partition(".")[0]


def document_of(value: Configured) -> dict[str, Any]:
    """Return an object as files have it: class and config, and a user-defined class as Keras does.

    >>> from core.initializers import Ones
    >>> document_of(Ones())
    {'class_name': 'Ones', 'config': {}}
    """
    name = type(value).__name__
    found = {"class_name": name, "config": value.get_config()}
    if not is_user_defined(type(value)):
        return found
    return {"module": None, **found, "registered_name": value._registered_name or name}


def checked_call(made: Callable[..., Made], arguments: Mapping[str, Any]) -> Made:
    """Call a class or function with arguments by name; a wrong name lists the valid ones.

    >>> def Ones(scale=1.0): ...
    >>> checked_call(Ones, {"size": 2})
    Traceback (most recent call last):
    core.errors.CoreError: Ones has no argument 'size'; its arguments are scale
    """
    parameters = inspect.signature(made).parameters
    name = made.__name__
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for unknown in arguments.keys() - parameters.keys():
            valid = ", ".join(parameters) or "none"
            raise CoreError(f"{name} has no argument {unknown!r}; its arguments are {valid}")
    needed = [
        n for n, p in parameters.items() if p.default is p.empty and p.kind is not p.VAR_KEYWORD
    ]
    missing = [n for n in needed if n not in arguments]
    if missing:
        raise CoreError(f"{name} needs the argument {missing[0]!r}")
    if not is_user_defined(made):
        _check_numbers(name, parameters, arguments)
    return made(**arguments)


def _check_numbers(
    name: str, parameters: Mapping[str, inspect.Parameter], arguments: Mapping[str, Any]
) -> None:
    """Raise if an argument declared as a number is another value, as files may hold."""
    for argument, value in arguments.items():
        types = _declared_types(parameters[argument]) if argument in parameters else {object}
        is_left_out = value is None and NoneType in types
        if types <= {float, int, NoneType} and not is_left_out and not _is_number(value):
            raise CoreError(f"{name}: {argument}={value!r:.80} must be a number")


def _declared_types(parameter: inspect.Parameter) -> set[Any]:
    """Return the types of a parameter's annotation, those of a union apart."""
    declared = parameter.annotation
    return set(get_args(declared)) if get_origin(declared) in (Union, UnionType) else {declared}


def _is_number(value: Any) -> bool:
    """Whether a value is a number that fits into a float; infinity is left to the class."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


class NamedClasses(Generic[Kind]):
    """Classes of one kind that are found by their names, "GlorotUniform" or "glorot_uniform".

    Args:
        kind: what an object is, for errors, such as "initializer".
        base: the class of all objects.
        classes: the classes.
        aliases: other names, in any spelling, to names of classes.
    """

    def __init__(
        self,
        kind: str,
        base: type[Kind],
        classes: Mapping[str, type[Kind]],
        aliases: Mapping[str, str] | None = None,
    ):
        self.kind, self.base, self.classes = kind, base, dict(classes)
        self.aliases = dict(aliases or {})
        self._found = {_plain(n): c for n, c in {**{n: n for n in classes}, **self.aliases}.items()}

    @property
    def names(self) -> list[str]:
        """The names in the spelling of functions, sorted."""
        return sorted({*map(snake_case, self.classes), *self.aliases})

    def get(self, identifier: Any) -> Kind:
        """Return an object for a name, a config or an object; functions are up to the caller.

        Args:
            identifier: an object of the kind, which is returned as it is; a class of the kind; a
                name such as "GlorotUniform" or "glorot_uniform"; or a dict of "class_name" and
                "config", as in files of Keras.

        Raises:
            CoreError: there is no such class; the message lists the names.

        """
        if isinstance(identifier, self.base):
            return identifier
        if isinstance(identifier, type) and issubclass(identifier, self.base):
            return checked_call(identifier, {})
        config: Any = {}
        if isinstance(identifier, Mapping):
            name, config = identifier.get("class_name"), identifier.get("config") or {}
        else:
            name = identifier
        if not isinstance(name, str):
            raise CoreError(
                f"{identifier!r:.80} is no {self.kind}: give a name, such as "
                f"{self.names[0]!r}, or an object"
            )
        found = self._found.get(_plain(name))
        if found is None:
            raise CoreError(
                f"there is no {self.kind} {name!r}; the names are {', '.join(self.names)}"
            )
        if not isinstance(config, Mapping):
            raise CoreError(
                f"the config of the {self.kind} {name!r} must be a dict, got {config!r:.80}"
            )
        return self.classes[found].from_config(config)


def snake_case(name: str) -> str:
    """Return a name in the spelling of functions: "Conv2DTranspose" becomes "conv2d_transpose".

    >>> [snake_case(name) for name in ("Conv2DTranspose", "LSTMCell", "PReLU", "meanSquared")]
    ['conv2d_transpose', 'lstm_cell', 'prelu', 'mean_squared']
    """
    for unusual, usual in _UNUSUAL.items():
        name = name.replace(unusual, usual)
    name = re.sub(r"([a-z])([A-Z])|([A-Z0-9]+?)([A-Z][a-z])", _parted, name)
    return name.lower()


#: Names whose words are not seen from their capital letters.
_UNUSUAL = {
    "PReLU": "Prelu",
    "ReLU": "Relu",
    "MeanIoU": "MeanIou",
    "RMSprop": "Rmsprop",
    "TopKC": "Top_K_C",
}


def _plain(name: str) -> str:
    """Return a name that is equal for all spellings."""
    return name.replace("_", "").lower()


def _parted(match: "re.Match[str]") -> str:
    if match[1]:
        return f"{match[1]}_{match[2]}"
    return f"{match[3]}_{match[4]}"
