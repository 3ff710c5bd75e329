"""A user's context, used in the thread in which it is current."""

from threading import Thread, current_thread

import pytest

from core.backends.shader.runtime.caller_thread import CallerThread
from core.backends.shader.runtime.context import ContextError, open_context
from tests.core.backends.shader.test_gl_thread import fail_there, in_thread, nothing
from tests.helpers import release_context


def in_own_context(test):
    """Run a test in a new thread that has a context, which is gone afterwards."""
    failures = []

    def run():
        context = open_context()
        try:
            test(context)
        except BaseException as error:
            failures.append(error)
        finally:
            release_context(context)

    thread = Thread(target=run, name="mine")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def test_a_user_context_is_used_in_its_thread(opengl):
    def test(context):
        gl_thread, ran = CallerThread(context), []
        gl_thread.put(lambda: ran.append(current_thread().name))
        assert gl_thread.call(lambda: current_thread().name) == "mine" and ran == ["mine"]
        assert gl_thread.device.version >= 330 and gl_thread.context is context
        fence = gl_thread.add_fence(lambda: ran.append("past"))
        while not fence.is_done:
            pass
        assert ran == ["mine", "past"]
        gl_thread.put(fail_there)
        with pytest.raises(ValueError, match="^wrong$"):
            gl_thread.call(nothing)
        gl_thread.release()
        with pytest.raises(ContextError, match="is released"):
            gl_thread.put(nothing)
        context.buffer(reserve=4).release()  # it still works

    in_own_context(test)


def test_a_users_context_works_in_its_thread_only(opengl):
    def test(context):
        gl_thread, ran = CallerThread(context), []

        def elsewhere():
            words = "thread 'mine' and was called in thread 'other', .*start_shader"
            for use in (gl_thread.put, gl_thread.call, gl_thread.add_fence):
                with pytest.raises(ContextError, match=words):
                    use(nothing)
            with pytest.raises(ContextError, match=words):
                gl_thread.release()
            gl_thread.put_quietly(lambda: ran.append(current_thread().name))
            return True

        assert in_thread(elsewhere) and ran == []
        gl_thread.call(nothing)
        assert ran == ["mine"]
        gl_thread.release()

    in_own_context(test)
