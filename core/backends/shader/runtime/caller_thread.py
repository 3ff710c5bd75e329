"""Execution in the calling thread, for a context of one thread such as a user's."""

from collections.abc import Callable
from contextlib import suppress
from threading import current_thread, local
from typing import TYPE_CHECKING, Any

from core.backends.shader.runtime.context import ContextError, adopt_context
from core.backends.shader.runtime.device_errors import drop_errors
from core.backends.shader.runtime.gl_thread import (
    ENDED,
    FORKED,
    LIVE,
    RELEASED,
    GLThread,
    Result,
    do_nothing,
)

if TYPE_CHECKING:
    import moderngl

_TAKEN = (
    "the OpenGL context that the shader backend was given is released: its tensors are gone; "
    "call core.stop_shader(), the next use makes a context of its own"
)


class CallerThread(GLThread):
    """Executor of functions in the calling thread, where the context is current.

    Attributes:
        entering: called before functions, except for nested ones.
        leaving: called after functions, except for nested ones.

    Args:
        context: context of moderngl, of at least OpenGL 3.3.
        owns_context: whether to release the context at the end; else it belongs to the user.

    Raises:
        ContextError: the context is invalid or too old.
    """

    def __init__(self, context: "moderngl.Context", owns_context: bool = False):
        self._prepare()
        self.owns_context = owns_context
        self._open(lambda: adopt_context(context))
        self._thread = current_thread()
        self._here = local()  # thread ids are reused
        self._here.is_owner = True
        self._kind = type(context.mglo)
        self._is_inside = False
        self.entering: Callable[[], None] | None = None
        self.leaving: Callable[[], None] | None = None
        LIVE.add(self)

    def put(self, command: Callable[[], Any]) -> None:
        """Run a function now; its exception is raised by the next `call`."""
        self._do(self._run, command)

    def call(self, function: Callable[[], Result]) -> Result:
        """Run a function now."""
        return self._do(self._answered, function)

    def release(self) -> None:
        """Run the commands of finalisers, and release the context."""
        if self._closed is None:
            self._do(self._run, self._fences.finish)
        if self._closed in (ENDED, FORKED) or not self._first_release.acquire(blocking=False):
            return
        self._closed = self._closed or RELEASED
        self.entering = self.leaving = None
        if self.owns_context:
            self._destroy()

    def _run(self, command: Callable[[], Any]) -> None:
        """Run a command like the GL thread, but raise Ctrl-C at once."""
        try:
            command()
        except Exception as error:
            self.error = self.error or error

    def _answered(self, function: Callable[[], Result]) -> Result:
        self._raise_stored_error()
        return function()

    def _do(self, run: Callable[[Any], Result], function: Callable[[], Any]) -> Result:
        """Run a function between `entering` and `leaving`."""
        self._check_thread()
        if self._is_inside:  # nested, as in garbage collection
            return run(function)
        self._is_inside = True
        try:
            self._enter()
            return run(function)
        finally:
            self._leave()
            self._is_inside = False

    def _enter(self) -> None:
        """Run the commands of finalisers and fences."""
        if not self.owns_context:
            drop_errors(self.gl)  # of the user's commands
        while not self._queue.empty():
            self._run(self._queue.get())
        if self._fences.pending:
            self._run(self._fences.poll)
        if self.entering is not None:
            self.entering()

    def _leave(self) -> None:
        if not self.owns_context:  # later they would appear as errors of the user's commands
            self.keep_errors()
        if self.leaving is not None:
            self._run(self.leaving)

    def _check_thread(self) -> None:
        """Raise unless the context is current in this thread and alive."""
        if self._closed is None and type(self.context.mglo) is not self._kind:
            self._closed = _TAKEN
        if self._closed is None and not hasattr(self._here, "is_owner"):
            self._refuse_here()
        if self._closed is not None:
            raise ContextError(self._closed)

    def _refuse_here(self) -> None:
        """Raise in another thread, or see that there is no right one any more."""
        own = self._thread.name
        if self._thread.is_alive():
            raise ContextError(
                f"the shader backend was started for thread {own!r} and was called in thread "
                f"{current_thread().name!r}, where that does not work: call it in {own!r} only, "
                "in coroutines as well (with predict() and numpy(): run_async, predict_async() and "
                "data() go to other threads), or let it make a context of its own that works in "
                "all threads (core.start_shader())"
            )
        self._closed = (
            f"the shader backend was started for thread {own!r}, which has ended: its "
            "tensors are gone; call core.stop_shader(), the next use makes a new context"
        )
        if self.owns_context:
            with suppress(Exception):
                self.context.release()

    def _wake(self) -> None:
        self.put(do_nothing)

    def _leave_at_exit(self) -> None:
        """Leave a user's context to the user at exit."""
        if self._closed is None:
            self._closed = ENDED
            if self.owns_context and hasattr(self._here, "is_owner"):
                self._destroy()
