"""Waiting without blocking: functions in worker threads, awaited from coroutines."""

from collections.abc import Callable, Coroutine
from contextvars import copy_context
from functools import partial
from inspect import iscoroutine
from typing import Any, TypeVar

from core.errors import CoreError
from core.numerics import handed_over_at, users_line
from core.settings import flags

Result = TypeVar("Result")


def run_async(
    function: Callable[..., Result], *arguments: Any, **options: Any
) -> Coroutine[Any, Any, Result]:
    """Call a function in a worker thread and await its result; the event loop goes on meanwhile.

    The function sees the backend, tapes, tidy scopes and profile of the caller. If the awaiting
    task is cancelled, the function still runs to its end, and its result is dropped.

    Args:
        function: any function, such as an op or a model's ``predict``.
        arguments: what to call it with.
        options: keyword arguments for it.

    Returns:
        A coroutine: await it, or make a task of it.

    Raises:
        CoreError: it is no function, or a coroutine function, which needs no thread.

    >>> import asyncio, core
    >>> asyncio.run(core.run_async(core.square, 3.0)).item()
    9.0
    """
    if not callable(function):
        raise CoreError(f"run_async takes a function and its arguments, got {function!r:.80}")
    line = users_line() if flags.debug else ""
    return _in_worker(partial(function, *arguments, **options), line)


async def _in_worker(function: Callable[[], Result], line: str) -> Result:
    from asyncio import get_running_loop  # takes a while to import, and few need it

    context = copy_context()
    context.run(handed_over_at.set, line)
    return await get_running_loop().run_in_executor(None, context.run, _called, function)


def _called(function: Callable[[], Result]) -> Result:
    try:
        result = function()
    except StopIteration as error:  # in a future it would stop the waiting task for ever
        raise CoreError(
            "the function raised StopIteration, which cannot be awaited: for the next of an "
            "iterator use run_async(next, iterator, None)"
        ) from error
    if iscoroutine(result):
        result.close()
        raise CoreError("run_async takes a function that is no coroutine function: await it as is")
    return result
