"""Waiting for the device in coroutines."""

import asyncio
from contextlib import suppress

from core.backends.shader.runtime.caller_thread import CallerThread
from core.backends.shader.runtime.gl_thread import GLThread

#: Interval of checks whether the GL thread is alive, or without one of the fence.
_CHECK_SECONDS, _INLINE_SECONDS = 1.0, 0.0002


async def passed(gl_thread: GLThread) -> None:
    """Wait until the device is past all commands so far.

    The GL thread polls a fence between its commands, and wakes the event loop.

    Raises:
        ContextError: the context is released, or of another thread.
    """
    if isinstance(gl_thread, CallerThread):  # no other thread polls
        fence = gl_thread.add_fence()
        while not fence.is_done:
            await asyncio.sleep(_INLINE_SECONDS)
        return
    loop = asyncio.get_running_loop()
    is_past = loop.create_future()

    def set_past() -> None:
        if not is_past.done():  # the waiting task may have been cancelled
            is_past.set_result(None)

    def notify() -> None:
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(set_past)

    fence = gl_thread.add_fence(notify)
    while not is_past.done():
        await asyncio.wait([is_past], timeout=_CHECK_SECONDS)
        if fence.is_done:  # raises if the thread ended before the fence
            return
