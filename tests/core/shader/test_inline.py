"""A user's context, used in the thread in which it is current."""

from threading import Thread, current_thread

import pytest

from core.backends.shader.runtime.caller_thread import InlineOwner
from core.backends.shader.runtime.context import ContextError, open_context
from tests.core.shader.test_owner import fail_there, in_thread, nothing


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
            context.__exit__(None, None, None)
            context.release()

    thread = Thread(target=run, name="mine")
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def test_a_users_context_is_used_where_it_is(opengl):
    def test(context):
        owner, ran = InlineOwner(context), []
        owner.put(lambda: ran.append(current_thread().name))
        assert owner.call(lambda: current_thread().name) == "mine" and ran == ["mine"]
        assert owner.device.version >= 330 and owner.context is context
        fence = owner.add_fence(lambda: ran.append("past"))
        while not fence.is_done:
            pass
        assert ran == ["mine", "past"]
        owner.put(fail_there)
        with pytest.raises(ValueError, match="^wrong$"):
            owner.call(nothing)
        owner.release()
        with pytest.raises(ContextError, match="is released"):
            owner.put(nothing)
        context.buffer(reserve=4).release()  # it still works

    in_own_context(test)


def test_a_users_context_works_in_its_thread_only(opengl):
    def test(context):
        owner, ran = InlineOwner(context), []

        def elsewhere():
            words = "thread 'mine' and was called in thread 'other', .*start_shader"
            for use in (owner.put, owner.call, owner.add_fence):
                with pytest.raises(ContextError, match=words):
                    use(nothing)
            with pytest.raises(ContextError, match=words):
                owner.release()
            owner.put_quietly(lambda: ran.append(current_thread().name))
            return True

        assert in_thread(elsewhere) and ran == []
        owner.call(nothing)
        assert ran == ["mine"]
        owner.release()

    in_own_context(test)
