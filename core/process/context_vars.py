"""Context variables that are restored, also where a signal handler raises.

A handler may raise after any call: also between ``variable.set`` and the following ``try``, or at
the start of an ``__exit__``. A ``with`` statement is then never undone, or late, by a finaliser.
So a run of a model changes variables in a copy of its context, which ends with it.
"""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar, Token, copy_context
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
Result = TypeVar("Result")
Returned = TypeVar("Returned")


def in_new_context(function: Callable[..., Result], *arguments: Any, **options: Any) -> Result:
    """Call a function and restore the context variables that it changes.

    >>> variable: ContextVar[int] = ContextVar("variable", default=1)
    >>> in_new_context(variable.set, 2) and variable.get()
    1
    """
    return copy_context().run(function, *arguments, **options)


def with_value(
    variable: ContextVar[Result], value: Result, function: Callable[P, Returned]
) -> Callable[P, Returned]:
    """Return a function that runs with a context variable of some value.

    >>> variable: ContextVar[int] = ContextVar("variable", default=1)
    >>> with_value(variable, 2, variable.get)(), variable.get()
    (2, 1)
    """

    def call(*arguments: P.args, **options: P.kwargs) -> Returned:
        variable.set(value)
        return function(*arguments, **options)

    @wraps(function)
    def in_context(*arguments: P.args, **options: P.kwargs) -> Returned:
        return in_new_context(call, *arguments, **options)

    return in_context


def reset(variable: ContextVar[Any], token: Token[Any]) -> None:
    """Reset a variable, for ``finally``; resetting in another context is ignored."""
    with suppress(ValueError):  # a finaliser, after the context that the change was made in
        variable.reset(token)
