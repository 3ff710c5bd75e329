"""The one thread in which OpenGL is called, and the queue of what it is to do there.

A context works in one thread at a time, and to move it costs as much as to wake a thread. So one
thread has it for ever, and others hand it functions. They wait only for what they read back.
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

#: Commands in the queue; who adds more waits.
LONGEST_QUEUE = 1000
#: How long a new command may wait for the thread while it waits for a fence.
FENCE_NANOSECONDS = 100_000
_LOOK_SECONDS = 1.0  # how often who waits looks whether the thread still lives
_EXIT_SECONDS = 5.0  # that the command of the moment gets when Python ends

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
_was_opened = _is_child = False  # whether a context ever was; and before the fork that made us


class GLThread:
    """Makes an OpenGL context in a thread of its own and runs all that uses it there, in order.

    Attributes:
        context: moderngl's; to be used in the functions that are given to `put` and `call`.
        device: what it runs on.
        gl: functions that moderngl has not, for the same place.
        rest: what is bound for drawing where no buffer of the backend may be; moderngl's.
    """

    context: "moderngl.Context"
    device: Device
    gl: GLFunctions
    rest: Any
    is_ours = True  # the context, not a user's
    _closed: str | None  # why nothing is taken any more
    error: BaseException | None  # of a command; the next call raises it

    def __init__(self, opening: Callable[[], "moderngl.Context"]):
        """Start the thread and wait for its context; raise what `opening` raises there."""
        refuse_in_child()
        self._prepare()
        ready = Future(partial(self._open, opening))
        self._thread = Thread(target=self._serve, args=(ready,), name="core-shader", daemon=True)
        self._thread.start()
        try:
            self._wait(ready)
            ready.taken()
        except BaseException:  # of the opening, or Ctrl-C meanwhile
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
        self._ident = 0  # of the thread of OpenGL, while it is at work
        self._first_release = Lock()

    def _open(self, opening: Callable[[], "moderngl.Context"]) -> None:
        global _was_opened
        _was_opened = True
        self.context = opening()
        self.gl = GLFunctions(self.context.version_code, self.context.extensions)
        self.device = Device.of(self.context, self.gl)
        self.rest = self.context.detect_framebuffer(0).mglo
        device_errors.drop_errors(self.gl)  # of questions that this driver does not know
        self._fences = Fences(self.gl)
        self._ident = get_ident()

    def put(self, command: Callable[[], Any]) -> None:
        """Run a function after all before, and do not wait, unless the queue is long.

        What it raises, the next `call` raises.

        Raises:
            ContextError: the context is released, or was made before a fork.
        """
        if self._closed is not None:
            raise ContextError(self._closed)
        self._queue.put(command)
        if self._queue.qsize() > LONGEST_QUEUE and get_ident() != self._ident:
            self._wait_for(Future(_nothing))

    def put_quietly(self, command: Callable[[], Any]) -> None:
        """The same from a finaliser: without a lock, a wait or an error."""
        if self._closed is None:
            self._queue.put(command)

    def call(self, function: Callable[[], Result]) -> Result:
        """Run a function after all before and return what it returns.

        In the thread of OpenGL itself it runs at once.

        Raises:
            ContextError: as of `put`.
            Exception: what the function raises, or in place of running it what a command did.
        """
        if get_ident() == self._ident:
            return function()
        if self._closed is not None:
            raise ContextError(self._closed)
        answer = Future(function, self._raise_kept)
        self._wait_for(answer)
        return answer.taken()

    def add_fence(self, notify: Callable[[], None] | None = None) -> Fence:
        """Set a point after all commands so far.

        Args:
            notify: called once in the thread of OpenGL when the device is past it.
        """
        fence = Fence(self._look, notify)
        self.put(partial(self._fences.add, fence))
        return fence

    def check_errors(self, what: str) -> None:
        """Raise if OpenGL refused a command since the last look; in the thread of OpenGL only.

        Args:
            what: for the message: what ran since.

        Raises:
            DeviceMemoryError: the GPU has no memory left.
            CoreError: any other refusal.
        """
        self._check(device_errors.check_errors, what)

    def keep_errors(self) -> None:
        """Have the next `call` raise what OpenGL refused; in the thread of OpenGL only."""
        self._run(partial(self.check_errors, "commands of the shader backend"))

    def check_reset(self) -> None:
        """Raise `ContextError` if the driver reset the GPU; in the thread of OpenGL only."""
        self._check(device_errors.check_reset)

    def _check(self, check: Callable[..., None], *what: str) -> None:
        """A context that is lost is lost for good."""
        try:
            check(self.gl, *what)
        except ContextError as error:
            self._closed = self._closed or str(error)
            raise

    def finish(self) -> None:
        """Wait for the device; in the thread of OpenGL only. Other threads of Python run."""
        self.gl.finish()
        self._is_sent = True

    def release(self) -> None:
        """Run what is queued, release the context and end the thread. Once is enough."""
        if self._closed in (ENDED, FORKED):
            return
        if self._first_release.acquire(blocking=False):
            self._closed = self._closed or RELEASED  # what is lost stays lost
            self._queue.put(self._stop)
        if get_ident() != self._ident:
            self._thread.join()

    def _wait_for(self, answer: Future) -> None:
        self._queue.put(answer.run)
        self._wait(answer)

    def _wait(self, answer: Future) -> None:
        while not answer.done.acquire(timeout=_LOOK_SECONDS):
            if not self._thread.is_alive():
                if answer.done.acquire(blocking=False):
                    return
                raise ContextError(self._closed or RELEASED)

    def _look(self) -> None:
        """A fence that is not past was asked."""
        if self._closed is not None and not self._thread.is_alive():
            raise ContextError(self._closed)

    def _serve(self, ready: Future) -> None:
        """The life of the thread."""
        ready.run()
        if not self._ident:  # the caller hears why
            self._destroy()
            return
        pending, queue = self._fences.pending, self._queue
        while self._is_running:
            if queue.empty():
                self._send()
            self._is_sent = False
            self._run(queue.get())  # a name for the command would keep its tensors alive
            if pending:
                self._run(self._fences.poll)
        self._end()

    def _send(self) -> None:
        """A thread that has no command sends what it has to the device, before it waits."""
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

    def _raise_kept(self) -> None:
        raise_error_of(self)

    def _stop(self) -> None:
        self._is_running = False

    def _end(self) -> None:
        """Leave nothing behind, whatever fails."""
        if self._closed is not ENDED:
            self._run(self._fences.finish)
        self._destroy()
        self.error = None
        self._ident = 0  # another thread may get the same

    def _destroy(self) -> None:
        """End the context, if there is one."""
        with suppress(Exception):
            # One that is current would only be marked, and stay.
            self.context.__exit__(None, None, None)
        with suppress(Exception):
            self.context.release()

    def _leave_at_exit(self) -> None:
        """Drop what is queued: a thread that is in the driver when Python ends crashes it."""
        if self._closed is None:
            self._closed = ENDED
            self._is_running = False
            self._queue.put(_nothing)
            self._thread.join(_EXIT_SECONDS)

    def _leave_to_parent(self) -> None:
        """In a child after a fork: the context and its thread are the parent's."""
        self._closed = self._closed or FORKED
        self._ident = 0
        # To destroy the context here could wait for ever for locks of threads that are not here.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.context))


def _nothing() -> None:
    """Wake the thread."""


def refuse_in_child() -> None:
    """Raise in a child that was forked from a process with OpenGL: drivers hang or crash there.

    Raises:
        ContextError: this is such a child; it says what to do.
    """
    if _is_child:
        raise ContextError(FORKED)


def live_threads() -> list[GLThread]:
    """Those whose context is in use."""
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
    """End this process, when its time comes, without what drivers do at the end of theirs.

    NVIDIA's then waits for a thread that only the parent has. What Python does at its end comes
    before. Only glibc hands the exit status to what is called at the exit of a process.
    """
    with suppress(AttributeError, OSError):
        libc = ctypes.CDLL(None)
        libc.on_exit(libc._exit, None)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_leave_all_to_parent)
