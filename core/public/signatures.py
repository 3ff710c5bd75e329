"""Parameters and results of ops and functions as text, for `core.public.stubs`."""

import inspect
import json
from collections.abc import Callable, Sequence
from functools import reduce
from math import isfinite
from operator import or_
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from core.engine import argument_types
from core.engine.dtypes import DType
from core.engine.operation import Op
from core.engine.specs import Spec

#: Unions that have a name, the widest first: types and messages are shorter with it.
_ALIASES = ("TensorLike", "Index", "Scalar")

#: Types that an op takes where its rule takes specs.
_TAKEN: dict[Any, Any] = {
    Spec: argument_types.TensorLike,
    Spec | None: argument_types.TensorLike | None,
    list[Spec]: Sequence[argument_types.TensorLike],
}


class Argument(NamedTuple):
    """A parameter of a function; ``default`` is empty for a required one."""

    name: str
    kind: str = ""
    default: str = ""

    def __str__(self) -> str:
        if not self.kind:
            return self.name
        return f"{self.name}: {self.kind}" + (f" = {self.default}" if self.default else "")


#: The separator of positional parameters and keyword parameters.
BY_KEYWORD = Argument("*")


class Types:
    """Writes types as text, and remembers in `modules` from where each name is imported."""

    def __init__(self) -> None:
        self.modules: dict[str, str] = {}

    def text(self, kind: Any) -> str:
        """A type as text; an op stands for the type of its result.

        >>> Types().text(Sequence[int] | None)
        'Sequence[int] | None'
        """
        if isinstance(kind, Op):
            return self.result(kind)
        if kind is Any:
            return self.imported("Any", "typing")
        if kind in (None, NoneType):
            return "None"
        if kind == DType:
            return self.imported("DType", "core.engine.dtypes")
        origin, inner = get_origin(kind), get_args(kind)
        if origin in (Union, UnionType):
            return self._union(list(inner))
        if isinstance(kind, list):  # the parameters of a Callable
            return f"[{', '.join(map(self.text, kind))}]"
        if kind is ...:
            return "..."
        if origin is not None:
            return f"{self._name(origin)}[{', '.join(map(self.text, inner))}]"
        return self._name(kind)

    def _union(self, members: list[Any]) -> str:
        texts = []
        for alias in _ALIASES:
            parts = set(get_args(getattr(argument_types, alias)))
            if parts <= set(members):
                texts.append(self.imported(alias, argument_types.__name__))
                members = [m for m in members if m not in parts]
        texts += [self.text(member) for member in members if member is not NoneType]
        return " | ".join([*texts, "None"] if NoneType in members else texts)

    def _name(self, kind: type) -> str:
        if kind.__module__ == "builtins":
            return kind.__qualname__
        return self.imported(kind.__qualname__, kind.__module__)

    def imported(self, name: str, module: str) -> str:
        """Return a name after noting where the name is imported from."""
        self.modules[name] = module
        return name

    def result(self, op: Op) -> str:
        """The type that calling an op returns."""
        if op.outputs:
            return self.imported(tuple_name(op), "core.engine.op_results")
        tensor = self.imported("Tensor", "core.engine.tensors")
        returned = op.annotations["return"]
        several = any(get_origin(r) is tuple for r in (returned, *get_args(returned)))
        return f"list[{tensor}]" if several else tensor

    def of_op(self, op: Op) -> list[list[Argument]]:
        """The parameters of an op: tensors, then attributes, which may be given by position, too.

        Of several lists each is a way to call it.
        """
        kinds = op.annotations
        given = []
        for name in op.inputs:
            default = "None" if name in op.optional_inputs else ""
            given.append(Argument(name, self.text(_TAKEN[kinds[name]]), default))
        for name in op.attributes:
            default = shown(op.defaults[name]) if name in op.defaults else ""
            given.append(Argument(name, self.text(as_given(kinds[name])), default))
        return ways_to_call(given)

    def of_function(self, function: Callable[..., Any]) -> tuple[list[list[Argument]], str]:
        """The parameters of a function, like `of_op`, and the type of its result."""
        signature = inspect.signature(function, eval_str=True)
        returned = signature.return_annotation
        awaited = get_args(returned)[-1:]
        if awaited and isinstance(awaited[0], Op):
            return self.of_op(awaited[0]), self.text(returned)
        given = [self._argument(p) for p in signature.parameters.values()]
        keywords = [p.kind is p.KEYWORD_ONLY for p in signature.parameters.values()]
        if True in keywords and not any(each.name.startswith("*") for each in given):
            given.insert(keywords.index(True), BY_KEYWORD)
        return [given], self.text(returned)

    def _argument(self, parameter: inspect.Parameter) -> Argument:
        star = "*" if parameter.kind is parameter.VAR_POSITIONAL else ""
        default = "" if parameter.default is parameter.empty else shown(parameter.default)
        kind = "" if parameter.name == "self" else self.text(parameter.annotation)
        return Argument(star + parameter.name, kind, default)


class _Text(str):
    """An annotation that is shown as it is."""

    __slots__ = ()
    __repr__ = str.__str__


def signature_of(op: Op) -> inspect.Signature:
    """The signature of an op as it is called, with tensors where its rule takes specs.

    >>> import core
    >>> print(signature_of(core.relu))
    (x: TensorLike) -> Tensor
    """
    types = Types()
    kind: Any = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = []
    for each in types.of_op(op)[0]:
        if each is BY_KEYWORD:
            kind = inspect.Parameter.KEYWORD_ONLY
            continue
        default = op.defaults.get(each.name) if each.default else inspect.Parameter.empty
        annotation = _Text(each.kind)
        parameters.append(
            inspect.Parameter(each.name, kind, default=default, annotation=annotation)
        )
    return inspect.Signature(parameters, return_annotation=_Text(types.result(op)))


def tuple_name(op: Op) -> str:
    """The type name of the named tuple of an op's results."""
    return f"{op.name.title().replace('_', '')}Results"


def as_given(kind: Any) -> Any:
    """The type of an attribute for callers: a tuple may be given as any sequence.

    >>> as_given(str | tuple[tuple[int, int], ...])
    str | collections.abc.Sequence[collections.abc.Sequence[int]]
    """
    origin, inner = get_origin(kind), get_args(kind)
    if origin is tuple:
        return Sequence[as_given(inner[0])]  # type: ignore[misc]
    if origin not in (Union, UnionType):
        return kind
    return reduce(or_, map(as_given, inner))


def ways_to_call(given: list[Argument]) -> list[list[Argument]]:
    """Parameters in an order that Python allows.

    A required one after an optional one: both by keyword, or all by position.
    """
    required = [i for i, each in enumerate(given) if not each.default]
    optional = [i for i, each in enumerate(given) if each.default]
    if not required or not optional or optional[0] > required[-1]:
        return [given]
    last = required[-1] + 1
    by_keyword = [*given[: optional[0]], BY_KEYWORD, *given[optional[0] :]]
    by_position = [each._replace(default="") for each in given[:last]] + given[last:]
    return [by_keyword, by_position]


def shown(default: Any) -> str:
    """A default as text, or an ellipsis for values without a plain text.

    >>> print(shown("valid"), shown(float("inf")))
    "valid" ...
    """
    if isinstance(default, str):
        return json.dumps(default)
    plain = default is None or isinstance(default, (bool, int)) or default == ()
    number = isinstance(default, float) and isfinite(default)
    return repr(default) if plain or number else "..."
