"""Fences: points in the stream of commands that the device reports as passed."""

from collections import deque
from collections.abc import Callable

from core.backends.shader.runtime.device_errors import lost_context
from core.backends.shader.runtime.gl_functions import GLFunctions

_GPU_COMMANDS_COMPLETE = 0x9117
_TIMEOUT_EXPIRED, _WAIT_FAILED = 0x911B, 0x911D


class Fence:
    """A point after all commands so far.

    Attributes:
        notify: called once in the GL thread when the device has passed the point.
    """

    __slots__ = ("_is_past", "_wake", "notify", "sync")

    def __init__(self, wake: Callable[[], None], notify: Callable[[], None] | None):
        self._wake, self.notify = wake, notify
        self._is_past = False
        self.sync: int | None = None  # OpenGL's sync object

    @property
    def is_done(self) -> bool:
        """Whether the device has passed the fence, without waiting.

        Raises:
            ContextError: the context is lost.
        """
        if not self._is_past:
            self._wake()
        return self._is_past

    def end(self) -> None:
        """Mark the fence as passed, and notify."""
        self._is_past = True
        notify, self.notify = self.notify, None
        if notify is not None:
            notify()


class Fences:
    """The pending fences, the oldest first. In the GL thread only."""

    def __init__(self, gl: GLFunctions):
        self._gl = gl
        self.pending: deque[Fence] = deque()

    def add(self, fence: Fence) -> None:
        """Set a fence after all commands so far, and send the commands to the device."""
        fence.sync = self._gl.fence_sync(_GPU_COMMANDS_COMPLETE, 0)
        self.pending.append(fence)
        self._gl.flush()

    def poll(self) -> None:
        """End the fences that the device has passed, in order."""
        while self.pending and self._is_past(self._gl.poll_sync(self.pending[0].sync, 0, 0)):
            self._end_first()

    def wait(self, nanoseconds: int) -> None:
        """Wait for the oldest fence up to a time; other threads of Python run meanwhile."""
        if self._is_past(self._gl.client_wait_sync(self.pending[0].sync, 0, nanoseconds)):
            self._end_first()

    def finish(self) -> None:
        """Wait for all pending fences."""
        self._gl.finish()
        while self.pending:
            self._end_first()

    def _is_past(self, status: int) -> bool:
        if status == _WAIT_FAILED:
            self._fail()
        return status != _TIMEOUT_EXPIRED

    def _end_first(self) -> None:
        fence = self.pending.popleft()
        self._gl.delete_sync(fence.sync)
        fence.end()

    def _fail(self) -> None:
        """End all fences with an error, as a lost device never passes them."""
        while self.pending:
            self._end_first()
        raise lost_context("waiting for the GPU failed")
