"""Waiting for the device from coroutines."""

import asyncio
from threading import Event

import pytest

from core.backends.shader.runtime import waiting
from core.backends.shader.runtime.context import ContextError
from core.backends.shader.runtime.waiting import passed
from tests.helpers import PATIENCE


def test_the_event_loop_runs_meanwhile(gl_thread):
    go, turns = Event(), []

    async def work():
        gl_thread.put(go.wait)
        task = asyncio.ensure_future(passed(gl_thread))
        for turn in range(5):
            await asyncio.sleep(0)
            turns.append(turn)
        assert not task.done()
        go.set()
        await task

    asyncio.run(work())
    assert len(turns) == 5 and not gl_thread._fences.pending


def test_cancellation_leaves_no_pending_error(gl_thread):
    go = Event()

    async def work():
        gl_thread.put(go.wait)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(passed(gl_thread), 0.01)

    asyncio.run(work())
    go.set()
    assert gl_thread.call(lambda: 3) == 3  # nor where the loop is closed


def test_release_during_wait_raises(gl_thread, monkeypatch):
    """Between the look whether the context lives and the queue."""
    monkeypatch.setattr(waiting, "_CHECK_SECONDS", 0.01)
    queue, add = gl_thread._queue, gl_thread._fences.add

    class Late:
        def put(self, command):
            if getattr(command, "func", None) == add:
                gl_thread._queue = queue
                gl_thread.release()
            queue.put(command)

        def __getattr__(self, name):
            return getattr(queue, name)

    gl_thread._queue = Late()
    with pytest.raises(ContextError, match="context is released"):
        asyncio.run(asyncio.wait_for(passed(gl_thread), PATIENCE))


def test_wait_on_a_released_context_raises(gl_thread):
    gl_thread.release()
    with pytest.raises(ContextError, match="context is released"):
        asyncio.run(passed(gl_thread))
