"""The thread of OpenGL: order, waiting, errors, fences and release."""

import gc
import os
import traceback
import weakref
from threading import Event, Thread, active_count, get_ident

import moderngl
import numpy as np
import pytest

from core.backends.shader.runtime import gl_thread as owners
from core.backends.shader.runtime.context import ContextError, open_context
from core.backends.shader.runtime.device_errors import DeviceMemoryError
from core.backends.shader.runtime.gl_thread import LONGEST_QUEUE, Owner, live_owners
from core.errors import CoreError
from tests.core.shader.conftest import count_objects

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
    """Keeps the thread of an owner busy until it is let go."""

    def __init__(self, owner):
        self.begun, self._go = Event(), Event()
        owner.put(self._hold)
        self.begun.wait()

    def _hold(self):
        self.begun.set()
        self._go.wait()

    def let_go(self):
        self._go.set()


def test_all_runs_in_order_in_one_thread(owner):
    ran = []
    for number in range(100):
        owner.put(lambda number=number: ran.append((number, get_ident())))
    ident = owner.call(get_ident)
    assert ran == [(number, ident) for number in range(100)]
    assert ident != get_ident() and in_thread(lambda: owner.call(get_ident)) == ident


def test_the_context_works_there(owner):
    values = np.arange(6, dtype=np.float32)

    def copied():
        buffer = owner.context.buffer(values)
        try:
            return np.frombuffer(buffer.read(), np.float32)
        finally:
            buffer.release()

    assert owner.call(copied).tolist() == values.tolist()


def test_a_call_inside_a_command_runs_at_once(owner):
    ran = []

    def outer():
        owner.put(lambda: ran.append("put"))
        ran.append(owner.call(lambda: "call"))

    owner.call(outer)
    owner.call(nothing)
    assert ran == ["call", "put"]


def test_put_waits_only_where_the_queue_is_long(owner):
    held, ran = Held(owner), []
    for number in range(LONGEST_QUEUE):  # returns though nothing runs
        owner.put(lambda number=number: ran.append(number))
    assert ran == []
    seen = []

    def one_more():
        owner.put(nothing)
        seen.append(len(ran))

    thread = Thread(target=one_more)
    thread.start()
    while owner._queue.qsize() < LONGEST_QUEUE + 2:  # it waits for its own mark behind them
        assert not seen
    held.let_go()
    thread.join()
    assert seen == [LONGEST_QUEUE]


def test_a_command_may_put_more_than_the_queue_takes(owner):
    ran = []

    def many():
        for _ in range(LONGEST_QUEUE * 2):
            owner.put(lambda: ran.append(1))

    owner.call(many)
    owner.call(nothing)
    assert len(ran) == LONGEST_QUEUE * 2


def fail_there():
    raise ValueError("wrong")


def test_what_a_function_raises_is_raised_with_its_place(owner):
    with pytest.raises(ValueError, match="^wrong$") as caught:
        owner.call(fail_there)
    places = [frame.name for frame in traceback.extract_tb(caught.value.__traceback__)]
    assert places[-1] == "fail_there" and places[0].startswith("test_what")
    assert owner.call(lambda: 3) == 3


def test_what_a_command_raises_the_next_call_raises_once(owner):
    ran = []
    owner.put(fail_there)
    owner.put(lambda: 1 / 0)
    owner.put(lambda: ran.append("after"))
    with pytest.raises(ValueError, match="^wrong$"):
        owner.call(lambda: ran.append("instead"))
    assert ran == ["after"]
    assert owner.call(lambda: 3) == 3


def test_nothing_that_ran_is_kept_alive(owner):
    class Thing:
        def __call__(self):
            raise ValueError

    thing, other = Thing(), Thing()
    seen = weakref.ref(thing), weakref.ref(other)
    owner.put(nothing)
    with pytest.raises(ValueError):
        owner.call(thing)
    owner.put(other)
    with pytest.raises(ValueError):
        owner.call(nothing)
    del thing, other
    assert [found() for found in seen] == [None, None]


def test_finalisers_hand_over_without_a_lock(owner):
    class Thing:
        def __init__(self, buffer):
            self.buffer = buffer

        def __del__(self):
            owner.put_quietly(self.buffer.release)

    thing = Thing(owner.call(lambda: owner.context.buffer(reserve=64)))
    assert count_objects(owner)["Buffer"] == 1
    del thing
    gc.collect()
    assert count_objects(owner)["Buffer"] == 0


# --- fences -------------------------------------------------------------------------------------


def test_a_fence_tells_when_the_device_is_past_it(owner):
    told, ident = Event(), owner.call(get_ident)
    where = []
    fence = owner.add_fence(lambda: (where.append(get_ident()), told.set()))
    told.wait()
    assert where == [ident] and fence.is_done
    other = owner.add_fence()
    while not other.is_done:  # as a coroutine asks
        pass
    assert not owner._fences.pending


def test_commands_run_while_a_fence_is_waited_for(owner, monkeypatch):
    status, told, waits = [TIMEOUT_EXPIRED], Event(), []
    monkeypatch.setattr(owner.gl, "poll_sync", lambda *arguments: status[0])
    monkeypatch.setattr(
        owner.gl, "client_wait_sync", lambda sync, flags, time: waits.append(time) or status[0]
    )
    first, second = owner.add_fence(), owner.add_fence(told.set)
    while len(waits) < 3:
        pass
    assert owner.call(lambda: 3) == 3
    assert not first.is_done and not second.is_done and max(waits) <= 200_000
    status[0] = CONDITION_SATISFIED
    told.wait()
    assert first.is_done and second.is_done


def test_no_fence_waits_for_ever(owner, monkeypatch):
    told = Event()
    held = Held(owner)
    fence = owner.add_fence(told.set)
    monkeypatch.setattr(owner.gl, "poll_sync", lambda *arguments: WAIT_FAILED)
    held.let_go()
    told.wait()
    assert fence.is_done
    with pytest.raises(ContextError, match="context is lost: waiting for the GPU failed; .*stop_s"):
        owner.call(nothing)
        owner.call(nothing)  # the failure may come behind the first


def test_what_a_notification_raises_the_next_call_raises(owner):
    fence = owner.add_fence(fail_there)
    while not fence.is_done:
        pass
    with pytest.raises(ValueError, match="^wrong$"):
        owner.call(nothing)
        owner.call(nothing)


def test_fences_end_with_the_context(owner, monkeypatch):
    monkeypatch.setattr(owner.gl, "poll_sync", lambda *arguments: TIMEOUT_EXPIRED)
    told = []
    held = Held(owner)
    fence = owner.add_fence(lambda: told.append(1))
    owner.put(held.let_go)
    held.let_go()
    owner.release()
    assert told == [1] and fence.is_done


# --- release ------------------------------------------------------------------------------------


def test_release_runs_what_is_queued(owner):
    held, ran = Held(owner), []
    for number in range(5):
        owner.put(lambda number=number: ran.append(number))
    held.let_go()
    owner.release()
    assert ran == [0, 1, 2, 3, 4] and not owner._thread.is_alive()
    assert owner not in live_owners()
    assert isinstance(owner.context.mglo, moderngl.InvalidObject)


def test_after_release_it_says_so(owner):
    owner.release()
    owner.release()
    for use in (owner.put, owner.call, owner.add_fence):
        with pytest.raises(ContextError, match=r"context is released \(core\.stop_shader\)"):
            use(nothing)
    owner.put_quietly(fail_there)


def test_release_inside_a_command(owner):
    owner.put(owner.release)
    owner._thread.join()
    with pytest.raises(ContextError, match="is released"):
        owner.call(nothing)


def test_a_call_that_came_too_late_does_not_wait_for_ever(owner, monkeypatch):
    monkeypatch.setattr(owners, "_LOOK_SECONDS", 0.01)
    held = Held(owner)
    owner._queue.put(owner._stop)  # the thread ends while nobody knows of it
    found = []

    def late():
        with pytest.raises(ContextError, match="is released"):
            owner.call(nothing)
        found.append(1)

    thread = Thread(target=late)
    thread.start()
    while owner._queue.qsize() < 2:
        pass
    held.let_go()
    thread.join()
    assert found == [1]
    owner.release()


def test_an_opening_that_fails_is_raised_here_and_leaves_no_thread():
    before = active_count()
    with pytest.raises(ValueError, match="^wrong$") as caught:
        Owner(fail_there)
    assert "fail_there" in [f.name for f in traceback.extract_tb(caught.value.__traceback__)]
    while active_count() > before:
        pass


def test_a_context_that_cannot_be_asked_is_released(opengl, monkeypatch):
    made = []
    monkeypatch.setattr(owners.Device, "of", lambda context, gl: made.append(context) or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Owner(open_context)
    while not isinstance(made[0].mglo, moderngl.InvalidObject):
        pass


def test_contexts_come_and_go_without_a_trace(opengl):
    def left():
        gc.collect()
        return active_count(), *(len(os.listdir(f"/proc/self/{part}")) for part in ("fd", "task"))

    found = []
    for _ in range(10):
        owner = Owner(open_context)
        owner.call(
            lambda owner=owner: owner.context.buffer(reserve=1 << 20).bind_to_uniform_block()
        )
        owner.release()
        if os.path.isdir("/proc/self/fd"):
            found.append(left())
    # The first makes the driver's own threads, and it may open a file at any time: what each
    # context leaves behind would be there nine times.
    for counts in zip(*found[1:], strict=True):
        assert max(counts) - min(counts) <= 1, found


# --- what the device tells ----------------------------------------------------------------------


def test_refused_commands_are_told(owner):
    owner.call(lambda: owner.check_errors("nothing"))
    owner.call(lambda: owner.gl.delete_buffers(-1, None))
    with pytest.raises(CoreError, match=r"^kernel 'x': OpenGL refused .*\(GL_INVALID_VALUE: a n"):
        owner.call(lambda: owner.check_errors("kernel 'x'"))
    owner.call(lambda: owner.check_errors("nothing"))


@pytest.mark.parametrize(
    ("codes", "error", "words"),
    [
        ([0x0505], DeviceMemoryError, "upload: the GPU has no memory left .* smaller batches"),
        ([0x0501, 0x0505], DeviceMemoryError, "no memory left"),
        ([0x0502, 0x1234], CoreError, "GL_INVALID_OPERATION: .*; error 0x1234"),
        ([0x0507] * 99, ContextError, "context is lost: the driver reset the GPU; .*stop_shader"),
    ],
)
def test_errors_by_their_kind(owner, monkeypatch, codes, error, words):
    told = iter(codes)
    with monkeypatch.context() as patch:
        patch.setattr(owner.gl, "get_error", lambda: next(told, 0))
        with pytest.raises(error, match=words) as caught:
            owner.call(lambda: owner.check_errors("upload"))
    assert type(caught.value) is error


def test_a_reset_is_told_and_the_context_is_lost_for_good(owner, monkeypatch):
    monkeypatch.setattr(owner.gl, "get_reset_status", None)
    owner.call(owner.check_reset)
    told = iter([0, 0x8253])  # drivers tell it once
    monkeypatch.setattr(owner.gl, "get_reset_status", lambda: next(told, 0))
    owner.call(owner.check_reset)
    words = "reset the GPU because of what this program ran; its te"
    with pytest.raises(ContextError, match=words):
        owner.call(owner.check_reset)
    for use in (owner.call, owner.put, owner.add_fence):
        with pytest.raises(ContextError, match=words):
            use(nothing)
    owner.release()
    assert not owner._thread.is_alive() and isinstance(owner.context.mglo, moderngl.InvalidObject)
