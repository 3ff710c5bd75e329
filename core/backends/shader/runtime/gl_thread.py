"""The thread of all OpenGL calls, and the queue of its commands.

A context works in one thread at a time, and moving it costs as much as waking a thread. So one
thread keeps the context, and other threads queue functions. They wait only for values to read.
"""

import atexit
import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread, get_ident
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakSet

from core.backends.shader.runtime import device_errors
from core.backends.shader.runtime.context import ContextError, Device
from core.backends.shader.runtime.fences import Fence, Fences
from core.backends.shader.runtime.future import Future, raise_error_of
from core.backends.shader.runtime.gl_functions import GLFunctions

if TYPE_CHECKING:
    import moderngl

Result = TypeVar("Result")

#: The most commands in the queue; a thread that adds more waits.
LONGEST_QUEUE = 1000
#: Longest delay of a new command while the thread waits for a fence.
FENCE_NANOSECONDS = 100_000
#: Time for the current command when Python ends.
EXIT_SECONDS = 5.0
_CHECK_SECONDS = 1.0  # interval of checks by waiting threads that the GL thread is alive


RELEASED = (
    "the OpenGL context is released (core.stop_shader): tensors of it are gone, make new ones; "
    "the next use of the shader backend makes a new context"
)
ENDED = "the OpenGL context is released: Python is ending"
FORKED = (
    "the OpenGL context was made before the fork of this process, where neither it nor a new one "
    "works: start processes with multiprocessing.get_context('spawn'), or fork before the first "
    "use of the shader backend"
)

LIVE: WeakSet["GLThread"] = WeakSet()
_was_opened = _is_child = False  # whether a context was opened in this process, or before its fork


class GLThread:
    """A thread with an OpenGL context, which runs all functions on the context in order.

    Attributes:
        context: context of moderngl, for functions in `put` and `call` only.
        device: device of the context.
        gl: functions that moderngl lacks, for functions in `put` and `call` only.
        rest: framebuffer of moderngl that is bound when no other may be.
    """

    context: "moderngl.Context"
    device: Device
    gl: GLFunctions
    rest: Any
    owns_context = True  # whether the context is not a user's
    _closed: str | None  # the reason why no commands are accepted
    error: BaseException | None  # error of a command, raised by the next call

    def __init__(self, opening: Callable[[], "moderngl.Context"]):
        """Start the thread and wait for its context; raise the errors of `opening`."""
        refuse_in_child()
        self._prepare()
        ready = Future(partial(self._open, opening))
        self._thread = Thread(target=self._serve, args=(ready,), name="core-shader", daemon=True)
        self._thread.start()
        try:
            self._wait(ready)
            ready.taken()
        except BaseException:  # of the opening, or Ctrl-C
            self._closed = RELEASED
            self._queue.put(self._stop)
            raise
        LIVE.add(self)

    def _prepare(self) -> None:
        self._queue: SimpleQueue[Callable[[], Any]] = SimpleQueue()
        self._closed = None
        self._is_running = True
        self._is_sent = False
        self.error = None
        self._ident = 0  # id of the GL thread while it runs
        self._first_release = Lock()

    def _open(self, opening: Callable[[], "moderngl.Context"]) -> None:
        global _was_opened
        _was_opened = True
        self.context = opening()
        self.gl = GLFunctions(self.context.version_code, self.context.extensions)
        self.device = Device.of(self.context, self.gl)
        self.rest = self.context.detect_framebuffer(0).mglo
        device_errors.drop_errors(self.gl)  # of queries that this driver does not support
        self._fences = Fences(self.gl)
        self._ident = get_ident()

    def put(self, command: Callable[[], Any]) -> None:
        """Queue a function without waiting, unless the queue is full.

        Its error is raised by the next `call`.

        Raises:
            ContextError: the context is released, or was made before a fork.
        """
        if self._closed is not None:
            raise ContextError(self._closed)
        self._add(command)
        if self._queue.qsize() > LONGEST_QUEUE and get_ident() != self._ident:
            self._wait_for(Future(do_nothing))

    def submit(self, command: Callable[[], Any]) -> None:
        """Queue a function that the device should begin soon."""
        self.put(command)

    def put_quietly(self, command: Callable[[], Any]) -> None:
        """Queue a function from a finaliser: without a lock, a wait or an error."""
        if self._closed is None:
            self._queue.put(command)

    def call(self, function: Callable[[], Result]) -> Result:
        """Run a function after all queued commands, and return its result.

        In the GL thread itself the function runs at once.

        Raises:
            ContextError: as for `put`.
            Exception: error of the function, or of an earlier command instead of running it.
        """
        if get_ident() == self._ident:
            return function()
        if self._closed is not None:
            raise ContextError(self._closed)
        answer = Future(function, self._raise_stored_error)
        self._wait_for(answer)
        return answer.taken()

    def add_fence(self, notify: Callable[[], None] | None = None) -> Fence:
        """Add a fence after all commands so far.

        Args:
            notify: called once in the GL thread when the device has passed the fence.
        """
        fence = Fence(self._wake, notify)
        self.put(partial(self._fences.add, fence))
        return fence

    def check_errors(self, what: str) -> None:
        """Raise if OpenGL refused a command since the last check; in the GL thread only.

        Args:
            what: description of the commands, for the message.

        Raises:
            DeviceMemoryError: the GPU has no memory left.
            CoreError: any other refusal.
        """
        self._check(device_errors.check_errors, what)

    def keep_errors(self) -> None:
        """Store errors of OpenGL for the next `call`; in the GL thread only."""
        self._run(partial(self.check_errors, "commands of the shader backend"))

    def check_reset(self) -> None:
        """Raise `ContextError` if the driver reset the GPU; in the GL thread only."""
        self._check(device_errors.check_reset)

    def _check(self, check: Callable[..., None], *what: str) -> None:
        """Run a check, and close the thread if the context is lost."""
        try:
            check(self.gl, *what)
        except ContextError as error:
            self._closed = self._closed or str(error)
            raise

    def finish(self) -> None:
        """Wait for the device, in the GL thread only. Other threads of Python run."""
        self.gl.finish()
        self._is_sent = True

    def release(self) -> None:
        """Run the queued commands, release the context and end the thread."""
        if self._closed in (ENDED, FORKED):
            return
        if self._first_release.acquire(blocking=False):
            self._closed = self._closed or RELEASED  # keeps the reason of a lost context
            self._add(self._stop)
        if get_ident() != self._ident:
            self._thread.join()

    def _add(self, command: Callable[[], Any]) -> None:
        """Queue a command, and wake the thread."""
        self._queue.put(command)

    def _wait_for(self, answer: Future) -> None:
        self._add(answer.run)
        self._wait(answer)

    def _wait(self, answer: Future) -> None:
        while not answer.done.acquire(timeout=_CHECK_SECONDS):
            if not self._thread.is_alive():
                if answer.done.acquire(blocking=False):
                    return
                raise ContextError(self._closed or RELEASED)

    def _wake(self) -> None:
        """Wake the thread to poll a pending fence."""
        if self._closed is not None and not self._thread.is_alive():
            raise ContextError(self._closed)

    def _serve(self, ready: Future) -> None:
        """Run the thread."""
        ready.run()
        if not self._ident:  # the caller raises the error
            self._destroy()
            return
        pending, queue = self._fences.pending, self._queue
        while self._is_running:
            if queue.empty():
                self._send()
            self._is_sent = False
            self._run(queue.get())  # a variable would keep the command's tensors alive
            if pending:
                self._run(self._fences.poll)
        self._end()

    def _send(self) -> None:
        """Flush commands to the device before waiting for further ones."""
        if not self._is_sent:
            self.gl.flush()
        while self._fences.pending and self._queue.empty():
            self._run(partial(self._fences.wait, FENCE_NANOSECONDS))

    def _run(self, command: Callable[[], Any]) -> None:
        try:
            command()
        except BaseException as error:
            if self.error is None:
                self.error = error

    def _raise_stored_error(self) -> None:
        raise_error_of(self)

    def _stop(self) -> None:
        self._is_running = False

    def _end(self) -> None:
        """Release everything, even after errors."""
        if self._closed is not ENDED:
            self._run(self._fences.finish)
        self._destroy()
        self.error = None
        self._ident = 0  # another thread may get the same id

    def _destroy(self) -> None:
        """End the context, if there is one."""
        with suppress(Exception):
            # A current context would only be marked for deletion.
            self.context.__exit__(None, None, None)
        with suppress(Exception):
            self.context.release()

    def _leave_at_exit(self) -> None:
        """Drop the queue at exit: a thread inside the driver would crash when Python ends."""
        if self._closed is None:
            self._closed = ENDED
            self._is_running = False
            self._add(do_nothing)
            self._thread.join(EXIT_SECONDS)

    def _leave_to_parent(self) -> None:
        """Drop the context and its thread in a child after a fork, as they are the parent's."""
        self._closed = self._closed or FORKED
        self._ident = 0
        # Destroying the context here could deadlock on locks of threads of the parent.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.context))


def do_nothing() -> None:
    """Do nothing: as a command, only wake the thread."""


def refuse_in_child() -> None:
    """Raise in a child forked from a process with OpenGL, where drivers hang or crash.

    Raises:
        ContextError: this process is such a child; the message has the next step.
    """
    if _is_child:
        raise ContextError(FORKED)


def live_threads() -> list[GLThread]:
    """Return the threads whose context is in use."""
    return [gl_thread for gl_thread in list(LIVE) if gl_thread._closed is None]


@atexit.register
def _leave_all_at_exit() -> None:
    for gl_thread in list(LIVE):
        gl_thread._leave_at_exit()


def _leave_all_to_parent() -> None:
    global _is_child
    _is_child = _was_opened
    for gl_thread in list(LIVE):
        gl_thread._leave_to_parent()
    if _is_child:
        _end_without_the_driver()


def _end_without_the_driver() -> None:
    """Skip the drivers' exit handlers at the end of this process.

    NVIDIA's driver would wait for a thread that only the parent has. Python's exit handlers run
    before. Only glibc passes the exit status to exit handlers.
    """
    with suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.on_exit(libc._exit, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all_to_parent)
