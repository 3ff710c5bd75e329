"""Functions of an app: which ones may be given, and calling them with the arguments that they have.

Arguments are given by their names, so a function takes those that it needs, in any order.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean

AnyFunction = Callable[..., object]

_UNNAMED = {
    inspect.Parameter.POSITIONAL_ONLY: "has no name outside, because of '/'",
    inspect.Parameter.VAR_POSITIONAL: "begins with '*'",
    inspect.Parameter.VAR_KEYWORD: "begins with '**'",
}


def name_of(function: object) -> str:
    """Return how messages call a function.

    >>> name_of(len)
    'len()'
    """
    name = getattr(function, "__name__", None)
    return f"{name}()" if name else repr(function)[:80]


def check_function(
    function: object, usage: str, known: Sequence[str], needed: Sequence[str] = ()
) -> None:
    """Check that an app can call a function.

    Args:
        function: that was given.
        usage: how it should have been given, such as ``@app.on_frame``.
        known: arguments that the app gives.
        needed: arguments that the function must have.

    Raises:
        ZooError: it is not a function, is async or a generator, or has other arguments.

    >>> check_function(lambda image: [], "@app.on_frame", ["frame", "client"])
    Traceback (most recent call last):
    zoo.ZooError: <lambda>(): the app gives no argument 'image'; it gives: frame, client
    """
    if not callable(function):
        raise ZooError(f"{function!r:.80} is not a function: write {usage} above one")
    name = name_of(function)
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise ZooError(f"{name} is async, and apps call functions in a thread: write 'def' alone")
    if inspect.isgeneratorfunction(function):
        raise ZooError(f"{name} is a generator: 'return' the result instead of 'yield'")
    parameters = _parameters(function, name)
    for argument, parameter in parameters.items():
        if parameter.kind in _UNNAMED:
            raise ZooError(
                f"{name}: the argument {argument!r} {_UNNAMED[parameter.kind]}, and arguments are "
                f"given by their names: {', '.join(known)}"
            )
        if argument not in known and parameter.default is parameter.empty:
            raise ZooError(
                f"{name}: the app gives no argument {argument!r}{did_you_mean(argument, known)}; "
                f"it gives: {', '.join(known)}"
            )
    for argument in needed:
        if argument not in parameters:
            raise ZooError(f"{name} needs the argument {argument!r}: {_example(name, argument)}")


def _example(name: str, argument: str) -> str:
    plain = name.removesuffix("()")
    return f"def {plain}({argument}):" if plain.isidentifier() else "give it one"


def _parameters(function: Callable[..., object], name: str) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # of some built-in functions
        raise ZooError(
            f"{name} does not say which arguments it has: write a function that calls it"
        ) from None


def call_with(function: Callable[..., object], arguments: Mapping[str, object]) -> object:
    """Call a function with those of the given arguments that it has."""
    names = inspect.signature(function).parameters
    return function(**{name: arguments[name] for name in names if name in arguments})
