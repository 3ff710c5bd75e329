"""Arguments of built-in layers: the annotated fields of their classes, as of a dataclass.

Type checkers know constructors and attributes by ``dataclass_transform``; programs read them here.
"""

import sys
from collections.abc import Callable, Mapping
from enum import Enum
from inspect import Parameter, Signature, signature
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from core.keras.configured import is_user_defined

Made = TypeVar("Made")


def _unchanged(**_: Any) -> Callable[[Made], Made]:
    """Return a class as it is: a transform is for checkers, and in Python from 3.11 on."""
    return lambda made: made


if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:
    dataclass_transform = _unchanged


class Required(Enum):
    """The default of an argument that has none."""

    REQUIRED = "required"


REQUIRED = Required.REQUIRED


class _Field(NamedTuple):
    """A field with another name than its argument, or one that is given by name only."""

    default: Any
    alias: str
    kw_only: bool


def argument(*, alias: str, default: Any = REQUIRED, kw_only: bool = False) -> Any:
    """Return the value in a class of a field whose argument has another name.

    Args:
        alias: name of the argument.
        default: its default; without one it must be given.
        kw_only: whether it is given by name only.
    """
    return _Field(default, alias, kw_only)


class _Argument:
    """An argument as an attribute: a layer has the value that was given, its class the default."""

    def __init__(self, name: str, default: Any):
        self.name, self.default = name, default

    def __get__(self, layer: Any, owner: type) -> Any:
        if layer is not None:
            return layer.value_of_argument(self.name)
        if self.default is REQUIRED:
            raise AttributeError(f"{owner.__name__} has no default for {self.name!r}")
        return self.default


class _Signature:
    """The signature of a class, which is made when it is asked for."""

    def __get__(self, layer: Any, owner: type["HasArguments"]) -> Signature:
        if _has_own_constructor(owner):
            _, *given = signature(owner.__init__).parameters.values()
            return Signature(given)
        either, empty = Parameter.POSITIONAL_OR_KEYWORD, Parameter.empty
        own = [
            Parameter(name, either, default=empty if value is REQUIRED else value)
            for name, value in owner.arguments.items()
        ]
        common = [
            Parameter(n, Parameter.KEYWORD_ONLY, default=None) for n in owner.common_arguments
        ]
        return Signature([*own, *common])


@dataclass_transform(eq_default=False, field_specifiers=(argument,))
class HasArguments:
    """A class whose annotated fields are the arguments of its constructor.

    Fields of a base class come first. A class with a constructor of its own has the fields of its
    base only.
    """

    #: The defaults of the arguments by name, in order; `REQUIRED` for those without one.
    arguments: ClassVar[Mapping[str, Any]] = MappingProxyType({})

    #: Names of the arguments that all layers have, which are given by name only.
    common_arguments: ClassVar[tuple[str, ...]] = ()

    __signature__ = _Signature()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if _has_own_constructor(cls):
            return
        names = [name for name, kind in _annotations(cls).items() if not _is_of_class(kind)]
        arguments = dict(cls.arguments)
        for name in names:
            value = vars(cls).get(name, REQUIRED)
            field = value if isinstance(value, _Field) else _Field(value, name, False)
            if field.kw_only:
                cls.common_arguments = (*cls.common_arguments, field.alias)
                delattr(cls, name)
            else:
                arguments[field.alias] = field.default
                setattr(cls, name, _Argument(field.alias, field.default))
        if names:
            cls.arguments = MappingProxyType(arguments)


def _has_own_constructor(made: type) -> bool:
    """Whether a constructor that a program defines is that of a class."""
    return is_user_defined(next(each for each in made.__mro__ if "__init__" in vars(each)))


def _annotations(made: type) -> Mapping[str, Any]:
    if sys.version_info >= (3, 14):
        from annotationlib import Format, get_annotations

        return get_annotations(made, format=Format.FORWARDREF)
    found: Mapping[str, Any] = vars(made).get("__annotations__", {})
    return found


def _is_of_class(annotation: Any) -> bool:
    """Whether an annotation, which may be a text, is that of a variable of the class."""
    return "ClassVar" in (annotation if isinstance(annotation, str) else repr(annotation))
