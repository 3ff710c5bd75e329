"""The context in the calling thread while it is alone, and in the GL thread when it is not."""

import asyncio
from threading import Event, Thread, get_ident

import numpy as np
import pytest

import core
from core.backends.shader.runtime import current_context, memory_blocks, visited_thread
from core.backends.shader.runtime.context import ContextError, open_context
from core.backends.shader.runtime.gl_thread import GLThread, live_threads
from core.backends.shader.runtime.visited_thread import (
    CALLS_OF_KNOWN,
    CALLS_OF_NEW,
    MOST_WAITING,
    VisitedThread,
    new_gl_thread,
)
from core.backends.shader.runtime.waiting import passed
from core.engine.backends import load_backend
from tests.core.backends.shader.test_gl_thread import fail_there, in_thread, nothing
from tests.helpers import PATIENCE, release_context, skip_or_fail


@pytest.fixture
def visited(opengl):
    """A GL thread whose guest is the thread of the test."""
    if not current_context.is_thread_free():
        skip_or_fail("there is no EGL, or another context is current in this thread")
    gl_thread = new_gl_thread(open_context)
    yield gl_thread
    gl_thread.release()
    assert gl_thread not in live_threads() and current_context.is_thread_free()


def test_the_guest_runs_its_commands_in_order(visited):
    assert isinstance(visited, VisitedThread)
    ran = []
    for number in range(100):
        visited.put(lambda number=number: ran.append((number, get_ident())))
    assert visited.call(get_ident) == get_ident()
    assert ran == [(number, get_ident()) for number in range(100)]
    assert current_context.is_thread_free()  # between visits the context is in no thread


def test_commands_wait_for_others_but_not_for_long(visited, monkeypatch):
    monkeypatch.setattr(visited_thread, "LONGEST_PAUSE", 1000)
    visited.call(nothing)
    ran = []
    for number in range(MOST_WAITING - 1):
        visited.put(lambda number=number: ran.append(number))
    assert ran == []
    visited.put(nothing)
    assert len(ran) == MOST_WAITING - 1
    visited.put(lambda: ran.append("put"))
    visited.submit(lambda: ran.append("submitted"))
    assert ran[-2:] == ["put", "submitted"]
    monkeypatch.setattr(visited, "_due", 0.0)
    visited.put(lambda: ran.append("late"))
    assert ran[-1] == "late"


def test_another_thread_is_served_by_the_gl_thread(visited, monkeypatch):
    monkeypatch.setattr(visited_thread, "LONGEST_PAUSE", 1000)
    visited.call(nothing)
    ran = []
    visited.put(lambda: ran.append("the guest's"))
    idents = in_thread(lambda: (visited.call(get_ident), get_ident()))
    assert ran == ["the guest's"] and idents[0] == visited._thread.ident != idents[1]
    assert visited.call(get_ident) == visited._thread.ident  # the guest is not alone any more
    for _ in range(CALLS_OF_KNOWN + 2):
        visited.call(nothing)
    assert visited.call(get_ident) == get_ident()


def test_a_thread_that_is_alone_for_long_becomes_the_guest(visited):
    def alone():
        found = [visited.call(get_ident) for _ in range(CALLS_OF_NEW + 3)]
        return found[0], found[-1], get_ident(), current_context.is_thread_free()

    first, last, own, is_free = in_thread(alone)
    assert first == visited._thread.ident and last == own and is_free


def test_threads_in_turn_and_at_once(visited):
    """Every change of the thread is one of the context, and no command is lost or doubled."""
    ran, count, threads = [], 60, 4

    def work(name):
        for number in range(count):
            visited.put(lambda number=number: ran.append((name, number)))
            if number % 7 == 0:
                assert visited.call(lambda: 3) == 3

    workers = [Thread(target=work, args=(name,)) for name in range(threads)]
    for worker in workers:
        worker.start()
    work("here")
    for worker in workers:
        worker.join()
    visited.call(nothing)
    for name in ("here", *range(threads)):
        assert [n for who, n in ran if who == name] == list(range(count))


def test_errors_are_raised_as_by_the_gl_thread(visited):
    visited.put(fail_there)
    visited.put(lambda: 1 / 0)
    with pytest.raises(ValueError, match="^wrong$"):
        visited.call(nothing)
    assert visited.call(lambda: 3) == 3
    with pytest.raises(ValueError, match="^wrong$"):
        visited.call(fail_there)
    assert visited.call(lambda: 3) == 3 and current_context.is_thread_free()


def test_calls_inside_of_commands_run_at_once(visited):
    ran = []

    def outer():
        visited.put(lambda: ran.append("put"))
        ran.append(visited.call(lambda: "call"))

    visited.call(outer)
    visited.call(nothing)
    assert ran == ["call", "put"]


def test_a_visit_within_a_visit_leaves_the_context(visited):
    """As a signal handler makes it between two steps of a visit."""
    found = []

    class Interrupted:
        def enter(self, is_first):
            if not found:
                found.append(0)
                found[0] = visited.call(get_ident)  # the outer visit has the turn already
            return egl.enter(is_first)

        def __getattr__(self, name):
            return getattr(egl, name)

    egl = visited._egl
    visited._egl = Interrupted()
    assert visited.call(get_ident) == get_ident() and found == [get_ident()]
    assert current_context.is_thread_free() and visited._ident == 0


def test_an_interruption_comes_at_once_and_loses_nothing_else(visited, monkeypatch):
    monkeypatch.setattr(visited_thread, "LONGEST_PAUSE", 1000)
    visited.call(nothing)
    ran = []

    def interrupted():
        raise KeyboardInterrupt

    visited.put(interrupted)
    visited.put(lambda: ran.append("after"))
    with pytest.raises(KeyboardInterrupt):
        visited.call(nothing)
    assert current_context.is_thread_free() and not visited._turn._is_owned()
    visited.call(nothing)
    assert ran == ["after"]


def test_a_fence_is_polled_while_the_guest_waits(visited):
    told = Event()
    visited.add_fence(told.set)
    assert told.wait(PATIENCE)
    asyncio.run(asyncio.wait_for(passed(visited), PATIENCE))


def test_with_another_context_commands_go_to_the_gl_thread(visited):
    own = open_context()
    try:
        assert not current_context.is_thread_free()
        assert visited.call(get_ident) == visited._thread.ident
        assert in_thread(lambda: 1) == 1 and own.buffer(reserve=4).size == 4  # still current
        assert type(other := new_gl_thread(open_context)) is GLThread
        other.release()
        assert own.buffer(reserve=4).size == 4
    finally:
        release_context(own)


def test_calls_after_release_raise(visited):
    visited.release()
    for use in (visited.put, visited.submit, visited.call, visited.add_fence):
        with pytest.raises(ContextError, match=r"context is released \(core\.stop_shader\)"):
            use(nothing)
    visited.put_quietly(fail_there)


@pytest.mark.parametrize("release", [in_thread, lambda release: release()])
def test_any_thread_may_release_it(opengl, release):
    gl_thread, ran = new_gl_thread(open_context), []
    gl_thread.put(lambda: ran.append(1))
    release(gl_thread.release)
    assert ran == [1] and not gl_thread._thread.is_alive() and gl_thread not in live_threads()


def test_release_inside_a_command(opengl):
    gl_thread = new_gl_thread(open_context)
    gl_thread.put(gl_thread.release)
    gl_thread._thread.join(PATIENCE)
    assert not gl_thread._thread.is_alive()
    with pytest.raises(ContextError, match="is released"):
        gl_thread.call(nothing)


def test_values_whose_command_never_ran_raise(opengl, monkeypatch):
    """A signal may strike between taking a command from the queue and running it."""
    core.stop_shader()
    monkeypatch.setattr(visited_thread, "LONGEST_PAUSE", 1000)  # no command runs before it is read
    with core.backend("shader"):
        x = core.tensor(np.float32([1, 2]))
        session = load_backend("shader").session
        with monkeypatch.context() as patch:
            patch.setattr(session.gl_thread, "put", nothing_of)
            lost = x + 1.0
        for use in (lost.numpy, lambda: (lost * 2.0).numpy()):
            with pytest.raises(core.CoreError, match="compute them again"):
                use()
        assert (x + 1.0).tolist() == [2, 3]
        with monkeypatch.context() as patch:
            patch.setattr(session.memory, "begin", interrupt)
            half = x + 2.0
            with pytest.raises(KeyboardInterrupt):
                half.numpy()
        with pytest.raises(core.CoreError, match="compute them again") as caught:
            half.numpy()
        assert caught.value is memory_blocks.UNFINISHED
    core.stop_shader()


def nothing_of(command):
    pass


def interrupt():
    raise KeyboardInterrupt
