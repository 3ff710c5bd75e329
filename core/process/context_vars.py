"""Context variables that are restored, also where a signal handler raises.

A handler may raise after any call: also between ``variable.set`` and the following ``try``, or at
the start of an ``__exit__``. A ``with`` statement is then never undone, or late, by a finaliser.
So a run of a model changes variables in a copy of its context, which ends with it.
"""

from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar, Token, copy_context
from typing import Any, TypeVar

Result = TypeVar("Result")


def apart(function: Callable[..., Result], *arguments: Any) -> Result:
    """Call a function and restore the context variables that it changes.

    >>> variable: ContextVar[int] = ContextVar("variable", default=1)
    >>> apart(variable.set, 2) and variable.get()
    1
    """
    return copy_context().run(function, *arguments)


def put_back(variable: ContextVar[Any], token: Token[Any]) -> None:
    """Undo a change of a variable, for ``finally``; an undo in another context is no error."""
    with suppress(ValueError):  # a finaliser, after the context that the change was made in
        variable.reset(token)
