"""The thread of OpenGL: order, waiting, errors, fences and release."""

import gc
import os
import traceback
import weakref
from threading import Event, Thread, get_ident
from threading import enumerate as enumerate_threads

import moderngl
import numpy as np
import pytest

from core.backends.shader.runtime import gl_thread as owners
from core.backends.shader.runtime.context import ContextError, open_context
from core.backends.shader.runtime.device_errors import DeviceMemoryError
from core.backends.shader.runtime.gl_thread import LONGEST_QUEUE, GLThread, live_threads
from core.errors import CoreError
from tests.core.backends.shader.conftest import count_objects
from tests.helpers import eventually

TIMEOUT_EXPIRED, CONDITION_SATISFIED, WAIT_FAILED = 0x911B, 0x911C, 0x911D


def nothing() -> None:
    pass


def in_thread(function):
    """What a function returns in another thread."""
    found = []
    thread = Thread(target=lambda: found.append(function()), name="other")
    thread.start()
    thread.join()
    return found[0]


class Held:
    """Keeps the thread of an gl_thread busy until it is let go."""

    def __init__(self, gl_thread):
        self.begun, self._go = Event(), Event()
        gl_thread.put(self._hold)
        self.begun.wait()

    def _hold(self):
        self.begun.set()
        self._go.wait()

    def let_go(self):
        self._go.set()


def test_all_runs_in_order_in_one_thread(gl_thread):
    ran = []
    for number in range(100):
        gl_thread.put(lambda number=number: ran.append((number, get_ident())))
    ident = gl_thread.call(get_ident)
    assert ran == [(number, ident) for number in range(100)]
    assert ident != get_ident() and in_thread(lambda: gl_thread.call(get_ident)) == ident


def test_the_context_works_there(gl_thread):
    values = np.arange(6, dtype=np.float32)

    def copied():
        buffer = gl_thread.context.buffer(values)
        try:
            return np.frombuffer(buffer.read(), np.float32)
        finally:
            buffer.release()

    assert gl_thread.call(copied).tolist() == values.tolist()


def test_a_call_inside_a_command_runs_at_once(gl_thread):
    ran = []

    def outer():
        gl_thread.put(lambda: ran.append("put"))
        ran.append(gl_thread.call(lambda: "call"))

    gl_thread.call(outer)
    gl_thread.call(nothing)
    assert ran == ["call", "put"]


def test_put_waits_only_where_the_queue_is_long(gl_thread):
    held, ran = Held(gl_thread), []
    for number in range(LONGEST_QUEUE):  # returns though nothing runs
        gl_thread.put(lambda number=number: ran.append(number))
    assert ran == []
    seen = []

    def one_more():
        gl_thread.put(nothing)
        seen.append(len(ran))

    thread = Thread(target=one_more)
    thread.start()
    while gl_thread._queue.qsize() < LONGEST_QUEUE + 2:  # it waits for its own mark behind them
        assert not seen
    held.let_go()
    thread.join()
    assert seen == [LONGEST_QUEUE]


def test_a_command_may_put_more_than_the_queue_takes(gl_thread):
    ran = []

    def many():
        for _ in range(LONGEST_QUEUE * 2):
            gl_thread.put(lambda: ran.append(1))

    gl_thread.call(many)
    gl_thread.call(nothing)
    assert len(ran) == LONGEST_QUEUE * 2


def fail_there():
    raise ValueError("wrong")


def test_errors_of_a_function_keep_their_traceback(gl_thread):
    with pytest.raises(ValueError, match="^wrong$") as caught:
        gl_thread.call(fail_there)
    places = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert places[-1] == "fail_there" and places[0].startswith("test_errors")
    assert gl_thread.call(lambda: 3) == 3


def test_errors_of_commands_are_raised_once_by_the_next_call(gl_thread):
    ran = []
    gl_thread.put(fail_there)
    gl_thread.put(lambda: 1 / 0)
    gl_thread.put(lambda: ran.append("after"))
    with pytest.raises(ValueError, match="^wrong$"):
        gl_thread.call(lambda: ran.append("instead"))
    assert ran == ["after"]
    assert gl_thread.call(lambda: 3) == 3


def test_finished_commands_are_released(gl_thread):
    class Resource:
        def __call__(self):
            raise ValueError

    resource, other = Resource(), Resource()
    seen = weakref.ref(resource), weakref.ref(other)
    gl_thread.put(nothing)
    with pytest.raises(ValueError):
        gl_thread.call(resource)
    gl_thread.put(other)
    with pytest.raises(ValueError):
        gl_thread.call(nothing)
    del resource, other
    eventually(lambda: [found() for found in seen] == [None, None], "nothing holds what ran")


def test_finalisers_hand_over_without_a_lock(gl_thread):
    class Resource:
        def __init__(self, buffer):
            self.buffer = buffer

        def __del__(self):
            gl_thread.put_quietly(self.buffer.release)

    resource = Resource(gl_thread.call(lambda: gl_thread.context.buffer(reserve=64)))
    assert count_objects(gl_thread)["Buffer"] == 1
    del resource
    gc.collect()
    assert count_objects(gl_thread)["Buffer"] == 0


# --- fences -------------------------------------------------------------------------------------


def test_a_fence_is_done_when_the_device_passes_it(gl_thread):
    told, ident = Event(), gl_thread.call(get_ident)
    where = []
    fence = gl_thread.add_fence(lambda: (where.append(get_ident()), told.set()))
    told.wait()
    assert where == [ident] and fence.is_done
    other = gl_thread.add_fence()
    while not other.is_done:  # as a coroutine asks
        pass
    assert not gl_thread._fences.pending


def test_commands_run_while_a_fence_is_waited_for(gl_thread, monkeypatch):
    status, told, waits = [TIMEOUT_EXPIRED], Event(), []
    monkeypatch.setattr(gl_thread.gl, "poll_sync", lambda *arguments: status[0])
    monkeypatch.setattr(
        gl_thread.gl, "client_wait_sync", lambda sync, flags, time: waits.append(time) or status[0]
    )
    first, second = gl_thread.add_fence(), gl_thread.add_fence(told.set)
    while len(waits) < 3:
        pass
    assert gl_thread.call(lambda: 3) == 3
    assert not first.is_done and not second.is_done and max(waits) <= 200_000
    status[0] = CONDITION_SATISFIED
    told.wait()
    assert first.is_done and second.is_done


def test_fences_time_out(gl_thread, monkeypatch):
    told = Event()
    held = Held(gl_thread)
    fence = gl_thread.add_fence(told.set)
    monkeypatch.setattr(gl_thread.gl, "poll_sync", lambda *arguments: WAIT_FAILED)
    held.let_go()
    told.wait()
    assert fence.is_done
    with pytest.raises(ContextError, match="context is lost: waiting for the GPU failed; .*stop_s"):
        gl_thread.call(nothing)
        gl_thread.call(nothing)  # the failure may come behind the first


def test_errors_of_notifications_are_raised_by_the_next_call(gl_thread):
    fence = gl_thread.add_fence(fail_there)
    while not fence.is_done:
        pass
    with pytest.raises(ValueError, match="^wrong$"):
        gl_thread.call(nothing)
        gl_thread.call(nothing)


def test_fences_end_with_the_context(gl_thread, monkeypatch):
    monkeypatch.setattr(gl_thread.gl, "poll_sync", lambda *arguments: TIMEOUT_EXPIRED)
    told = []
    held = Held(gl_thread)
    fence = gl_thread.add_fence(lambda: told.append(1))
    gl_thread.put(held.let_go)
    held.let_go()
    gl_thread.release()
    assert told == [1] and fence.is_done


# --- release ------------------------------------------------------------------------------------


def test_release_runs_what_is_queued(gl_thread):
    held, ran = Held(gl_thread), []
    for number in range(5):
        gl_thread.put(lambda number=number: ran.append(number))
    held.let_go()
    gl_thread.release()
    assert ran == [0, 1, 2, 3, 4] and not gl_thread._thread.is_alive()
    assert gl_thread not in live_threads()
    assert isinstance(gl_thread.context.mglo, moderngl.InvalidObject)


def test_calls_after_release_raise(gl_thread):
    gl_thread.release()
    gl_thread.release()
    for use in (gl_thread.put, gl_thread.call, gl_thread.add_fence):
        with pytest.raises(ContextError, match=r"context is released \(core\.stop_shader\)"):
            use(nothing)
    gl_thread.put_quietly(fail_there)


def test_release_inside_a_command(gl_thread):
    gl_thread.put(gl_thread.release)
    gl_thread._thread.join()
    with pytest.raises(ContextError, match="is released"):
        gl_thread.call(nothing)


def test_a_late_call_does_not_block(gl_thread, monkeypatch):
    monkeypatch.setattr(owners, "_CHECK_SECONDS", 0.01)
    held = Held(gl_thread)
    gl_thread._queue.put(gl_thread._stop)  # the thread ends while nobody knows of it
    found = []

    def late():
        with pytest.raises(ContextError, match="is released"):
            gl_thread.call(nothing)
        found.append(1)

    thread = Thread(target=late)
    thread.start()
    while gl_thread._queue.qsize() < 2:
        pass
    held.let_go()
    thread.join()
    assert found == [1]
    gl_thread.release()


def test_an_opening_that_fails_is_raised_here_and_leaves_no_thread():
    before = {*enumerate_threads()}
    with pytest.raises(ValueError, match="^wrong$") as caught:
        GLThread(fail_there)
    assert "fail_there" in [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    eventually(lambda: before >= {*enumerate_threads()}, "its thread ends")


def test_a_context_that_cannot_be_asked_is_released(opengl, monkeypatch):
    made = []
    monkeypatch.setattr(owners.Device, "of", lambda context, gl: made.append(context) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        GLThread(open_context)
    eventually(lambda: isinstance(made[0].mglo, moderngl.InvalidObject), "it is released")


def test_contexts_come_and_go_without_a_trace(opengl):
    """Of ten contexts; each leak would be there nine times, and others may start a few threads."""

    def left():
        gc.collect()
        counts = (len(os.listdir(f"/proc/self/{part}")) for part in ("fd", "task"))
        return len(enumerate_threads()), *counts

    found = []
    for _ in range(10):
        gl_thread = GLThread(open_context)
        gl_thread.call(
            lambda gl_thread=gl_thread: gl_thread.context.buffer(
                reserve=1 << 20
            ).bind_to_uniform_block()
        )
        gl_thread.release()
        if os.path.isdir("/proc/self/fd"):
            found.append(left())
    # The first makes the driver's own threads, and it may open a file at any time.
    for counts in zip(*found[1:], strict=True):
        assert counts[-1] - counts[0] < 4, found


# --- what the device tells ----------------------------------------------------------------------


def test_opengl_errors_are_raised(gl_thread):
    gl_thread.call(lambda: gl_thread.check_errors("nothing"))
    gl_thread.call(lambda: gl_thread.gl.delete_buffers(-1, None))
    with pytest.raises(CoreError, match=r"^kernel 'x': OpenGL refused .*\(GL_INVALID_VALUE: a n"):
        gl_thread.call(lambda: gl_thread.check_errors("kernel 'x'"))
    gl_thread.call(lambda: gl_thread.check_errors("nothing"))


@pytest.mark.parametrize(
    ("codes", "error", "words"),
    [
        ([0x0505], DeviceMemoryError, "upload: the GPU has no memory left .* smaller batches"),
        ([0x0501, 0x0505], DeviceMemoryError, "no memory left"),
        ([0x0502, 0x1234], CoreError, "GL_INVALID_OPERATION: .*; error 0x1234"),
        ([0x0507] * 99, ContextError, "context is lost: the driver reset the GPU; .*stop_shader"),
    ],
)
def test_errors_by_their_kind(gl_thread, monkeypatch, codes, error, words):
    told = iter(codes)
    with monkeypatch.context() as patch:
        patch.setattr(gl_thread.gl, "get_error", lambda: next(told, 0))
        with pytest.raises(error, match=words) as caught:
            gl_thread.call(lambda: gl_thread.check_errors("upload"))
    assert type(caught.value) is error


def test_a_gpu_reset_raises_and_loses_the_context(gl_thread, monkeypatch):
    monkeypatch.setattr(gl_thread.gl, "get_reset_status", None)
    gl_thread.call(gl_thread.check_reset)
    told = iter([0, 0x8253])  # drivers tell it once
    monkeypatch.setattr(gl_thread.gl, "get_reset_status", lambda: next(told, 0))
    gl_thread.call(gl_thread.check_reset)
    words = "reset the GPU because of what this program ran; its te"
    with pytest.raises(ContextError, match=words):
        gl_thread.call(gl_thread.check_reset)
    for use in (gl_thread.call, gl_thread.put, gl_thread.add_fence):
        with pytest.raises(ContextError, match=words):
            use(nothing)
    gl_thread.release()
    assert not gl_thread._thread.is_alive() and isinstance(
        gl_thread.context.mglo, moderngl.InvalidObject
    )
