"""A context of one thread, such as a user's own: what uses it runs at once."""

from collections.abc import Callable
from contextlib import suppress
from threading import current_thread, local
from typing import TYPE_CHECKING, Any

from core.backends.shader.runtime.context import ContextError, adopt_context
from core.backends.shader.runtime.device_errors import drop_errors
from core.backends.shader.runtime.gl_thread import ENDED, FORKED, LIVE, RELEASED, GLThread, Result

if TYPE_CHECKING:
    import moderngl

_TAKEN = (
    "the OpenGL context that the shader backend was given is released: its tensors are gone; "
    "call core.stop_shader(), the next use makes a context of its own"
)


class CallerThread(GLThread):
    """Runs functions at once, on a context that is current in this thread.

    Attributes:
        entering: called before functions, but not before those that run inside others.
        leaving: called after them.

    Args:
        context: moderngl's, of at least OpenGL 3.3.
        is_ours: whether it goes with the gl_thread; else it stays the user's.

    Raises:
        ContextError: it is no such context.
    """

    def __init__(self, context: "moderngl.Context", is_ours: bool = False):
        self._prepare()
        self.is_ours = is_ours
        self._open(lambda: adopt_context(context))
        self._thread = current_thread()
        self._here = local()  # numbers of threads are used again
        self._here.is_ours = True
        self._kind = type(context.mglo)
        self._is_inside = False
        self.entering: Callable[[], None] | None = None
        self.leaving: Callable[[], None] | None = None
        LIVE.add(self)

    def put(self, command: Callable[[], Any]) -> None:
        """Run a function now; what it raises, the next `call` raises."""
        self._do(self._run, command)

    def call(self, function: Callable[[], Result]) -> Result:
        """Run a function now."""
        return self._do(self._answered, function)

    def release(self) -> None:
        """Run what finalisers left, and let go of the context."""
        if self._closed is None:
            self._do(self._run, self._fences.finish)
        if self._closed in (ENDED, FORKED) or not self._first_release.acquire(blocking=False):
            return
        self._closed = self._closed or RELEASED
        self.entering = self.leaving = None
        if self.is_ours:
            self._destroy()

    def _run(self, command: Callable[[], Any]) -> None:
        """As there, but Ctrl-C is for this thread, and now."""
        try:
            command()
        except Exception as error:
            self.error = self.error or error

    def _answered(self, function: Callable[[], Result]) -> Result:
        self._raise_kept()
        return function()

    def _do(self, way: Callable[[Any], Result], function: Callable[[], Any]) -> Result:
        """Run a function between what comes before and after."""
        self._check_place()
        if self._is_inside:  # of another one, as when garbage is collected
            return way(function)
        self._is_inside = True
        try:
            self._enter()
            return way(function)
        finally:
            self._leave()
            self._is_inside = False

    def _enter(self) -> None:
        """What finalisers and fences left to do."""
        if not self.is_ours:
            drop_errors(self.gl)  # of the user's own commands
        while not self._queue.empty():
            self._run(self._queue.get())
        if self._fences.pending:
            self._run(self._fences.poll)
        if self.entering is not None:
            self.entering()

    def _leave(self) -> None:
        if not self.is_ours:  # later they would pass for the user's
            self.keep_errors()
        if self.leaving is not None:
            self._run(self.leaving)

    def _check_place(self) -> None:
        """Raise where the context is not, or not any more."""
        if self._closed is None and type(self.context.mglo) is not self._kind:
            self._closed = _TAKEN
        if self._closed is None and not hasattr(self._here, "is_ours"):
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
        if self.is_ours:
            with suppress(Exception):
                self.context.release()

    def _look(self) -> None:
        self.put(_nothing)

    def _leave_at_exit(self) -> None:
        """A context of the user's stays his."""
        if self._closed is None:
            self._closed = ENDED
            if self.is_ours and hasattr(self._here, "is_ours"):
                self._destroy()


def _nothing() -> None:
    """Let what is due be done."""
