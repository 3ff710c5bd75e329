"""A context of one thread, such as a user's own: what uses it runs at once."""

from collections.abc import Callable
from threading import current_thread, get_ident
from typing import TYPE_CHECKING, Any

from core.backends.shader.context import ContextError, adopt_context
from core.backends.shader.owner import LIVE, RELEASED, Owner, Result

if TYPE_CHECKING:
    import moderngl


class InlineOwner(Owner):
    """Runs functions at once, on a context that is current in this thread.

    Attributes:
        entering: called before each function: the user may have set what it needs otherwise.

    Args:
        context: moderngl's, of at least OpenGL 3.3.
        is_ours: whether it goes with the owner; else it stays the user's.

    Raises:
        ContextError: it is no such context.
    """

    def __init__(self, context: "moderngl.Context", is_ours: bool = False):
        self._prepare()
        self._is_ours = is_ours
        self._open(lambda: adopt_context(context))
        self._thread = current_thread()
        self.entering: Callable[[], None] | None = None
        LIVE.add(self)

    def put(self, command: Callable[[], Any]) -> None:
        """Run a function now; what it raises, the next `call` raises."""
        self._enter()
        self._run(command)

    def call(self, function: Callable[[], Result]) -> Result:
        """Run a function now."""
        self._enter()
        self._raise_kept()
        return function()

    def release(self) -> None:
        """Run what finalisers left, and let go of the context."""
        if self._closed is None:
            self._enter()
            self._run(self._fences.finish)
            self._closed, self.entering = RELEASED, None
            if self._is_ours:
                self.context.__exit__(None, None, None)  # one that is current is only marked
                self.context.release()

    def _enter(self) -> None:
        """Check the thread, and run what finalisers and fences left to do."""
        if self._closed is not None:
            raise ContextError(self._closed)
        if get_ident() != self._ident:
            raise ContextError(
                f"the shader backend was given an OpenGL context in thread {self._thread.name!r} "
                f"and was called in thread {current_thread().name!r}, where that does not work: "
                f"call it in {self._thread.name!r} only, or let it make a context of its own "
                "(core.start_shader()), which works in all threads"
            )
        while not self._queue.empty():
            self._run(self._queue.get())
        if self._fences.pending:
            self._run(self._fences.poll)
        if self.entering is not None:
            self.entering()

    def _look(self) -> None:
        self._enter()

    def _leave_at_exit(self) -> None:
        """The context is the user's."""
        self._closed = self._closed or RELEASED
