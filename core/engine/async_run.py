"""Waiting without blocking: functions in worker threads, awaited from coroutines."""

from collections.abc import Callable, Coroutine
from contextvars import copy_context
from functools import partial
from inspect import iscoroutine
from math import inf
from typing import Any, TypeVar

from core.engine.limits import LimitError, Limits
from core.engine.nan_check import handed_over_at, users_line
from core.engine.run_guard import Guard, active_guard, guarded
from core.engine.settings import flags
from core.errors import CoreError

Result = TypeVar("Result")

#: Limits of a function in a worker, with which ops ask their guard whether they are cancelled.
_NO_LIMITS = Limits(value_bytes=inf)


def run_async(
    function: Callable[..., Result], *arguments: Any, **options: Any
) -> Coroutine[Any, Any, Result]:
    """Call a function in a worker thread and await its result, while the event loop runs.

    The function sees the backend, tapes, tidy scopes and profile of the caller. If the awaiting
    task is cancelled, as ``asyncio.wait_for`` and the end of the loop do, the ops and models of the
    function raise `RunCancelledError` at their next step, so that its thread is soon free again;
    code of another kind runs on, and its result is dropped.

    Args:
        function: any function, such as an op or a model's ``predict``.
        arguments: positional arguments for it.
        options: keyword arguments for it.

    Returns:
        A coroutine: await it, or make a task of it.

    Raises:
        CoreError: ``function`` is not callable, or a coroutine function, which needs no thread.

    >>> import asyncio, core
    >>> asyncio.run(core.run_async(core.square, 3.0)).item()
    9.0
    >>> asyncio.run(asyncio.wait_for(core.run_async(core.square, 4.0), timeout=60)).item()
    16.0
    """
    if not callable(function):
        raise CoreError(f"run_async takes a function and its arguments, got {function!r:.80}")
    line = users_line() if flags.debug else ""
    return _in_worker(partial(function, *arguments, **options), line)


async def _in_worker(function: Callable[[], Result], line: str) -> Result:
    from asyncio import get_running_loop  # takes a while to import, and few need it

    context = copy_context()
    context.run(handed_over_at.set, line)
    guard = Guard(_NO_LIMITS, active_guard(), may_be_cancelled=True)
    loop = get_running_loop()
    try:
        return await loop.run_in_executor(None, context.run, _called, function, guard)
    except BaseException:  # the awaiting task was cancelled, or the function has ended
        guard.cancel()
        raise


async def within(
    seconds: float | None, waiting: Callable[[], Coroutine[Any, Any, Result]]
) -> Result:
    """Make a coroutine and await it, for some seconds at most if these are not None.

    Raises:
        LimitError: it took longer, and was cancelled.
    """
    if seconds is None:
        return await waiting()
    from asyncio import create_task, wait

    task = create_task(waiting())
    try:
        done, _ = await wait([task], timeout=seconds)
    finally:
        task.cancel()  # no effect on a task that is done
    if not done:
        await wait([task])
    if task.cancelled():
        error = LimitError(
            f"the run was cancelled, as it took longer than timeout={seconds:g} seconds: give it "
            f"more time"
        )
        error.name, error.most = "seconds", seconds
        raise error
    return task.result()


def checked_timeout(timeout: float | None) -> float | None:
    """A number of seconds, or None.

    Raises:
        CoreError: the value is neither.
    """
    is_number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and timeout > 0):
        raise CoreError(f"timeout={timeout!r:.80} must be a number of seconds above 0, or None")
    return timeout


def _called(function: Callable[[], Result], guard: Guard) -> Result:
    try:
        with guarded(guard):
            result = function()
    except StopIteration as error:  # in a future it would stop the waiting task for ever
        raise CoreError(
            "the function raised StopIteration, which cannot be awaited: for the next of an "
            "iterator use run_async(next, iterator, None)"
        ) from error
    if iscoroutine(result):
        result.close()
        raise CoreError("run_async takes no coroutine function: await it directly")
    return result
