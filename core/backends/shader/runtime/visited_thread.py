"""A GL thread whose context another thread uses itself, as long as that is the only caller.

On a server with an H200 passing a command to the GL thread and its result back takes 20 to 70
microseconds, making the context current in the calling thread and in none again 7 to 16. So the
thread that made the context, its guest, runs commands itself. It leaves the context behind after
each visit: only then can another thread take it, or the guest have a context of its own. Once
another thread calls, all commands are run by the GL thread, and a thread that then calls often
enough without others becomes the next guest: NVIDIA's driver takes 35 ms for the first visit.

Commands of the guest whose results nobody waits for are queued, and run together.
"""

from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from threading import RLock, Thread, get_ident
from time import perf_counter
from typing import TYPE_CHECKING, Any

from core.backends.shader.runtime.context import ContextError
from core.backends.shader.runtime.current_context import (
    EglContext,
    current_context,
    is_thread_free,
)
from core.backends.shader.runtime.fences import Fence
from core.backends.shader.runtime.future import Future
from core.backends.shader.runtime.gl_thread import (
    ENDED,
    EXIT_SECONDS,
    FORKED,
    LIVE,
    LONGEST_QUEUE,
    RELEASED,
    GLThread,
    Result,
    do_nothing,
    refuse_in_child,
)

if TYPE_CHECKING:
    import moderngl

#: Commands that wait for a visit, at most, and the seconds after a visit in which they wait.
MOST_WAITING = 32
LONGEST_PAUSE = 0.0005

#: Calls in a row after which a thread becomes the guest: of one that was a guest before, and else.
CALLS_OF_KNOWN, CALLS_OF_NEW = 50, 1000

#: Result of a visit that is not possible now.
_REFUSED: Any = object()


def new_gl_thread(opening: "Callable[[], moderngl.Context]") -> GLThread:
    """Return a GL thread for the context that a function opens.

    The calling thread becomes its guest if it has no context of OpenGL, and EGL makes the new one.

    Raises:
        ContextError: this process is the child of one with a context.
        Exception: error of ``opening``.
    """
    refuse_in_child()
    if not is_thread_free():
        return GLThread(opening)
    context = opening()
    egl = current_context()
    if egl is None:  # the context is of another window system
        context.__exit__(None, None, None)
        context.release()
        return GLThread(opening)
    return VisitedThread(context, egl)


class VisitedThread(GLThread):
    """A GL thread with a guest, at first the thread that makes it.

    Args:
        context: context of moderngl, current in the calling thread; in no thread afterwards.
        egl: the same context.
    """

    def __init__(self, context: "moderngl.Context", egl: EglContext):
        self._prepare()
        self._egl = egl
        self._wakes: SimpleQueue[None] = SimpleQueue()
        self._turn = RLock()  # of the thread in which the context is current
        self._is_over = False  # whether the context is released
        self._due = 0.0  # time from which commands of the guest do not wait
        self._guest = self._latest = get_ident()  # no guest: 0
        self._visitors = {self._guest}  # threads that had the context
        self._calls = 0  # of the latest thread since another one called
        try:
            self._open(lambda: context)
        except BaseException:
            self._destroy()
            raise
        self._ident = 0
        egl.leave()
        self._thread = Thread(target=self._serve_guests, name="core-shader", daemon=True)
        self._thread.start()
        LIVE.add(self)

    # --- in the calling thread --------------------------------------------------------------

    def put(self, command: Callable[[], Any]) -> None:
        """Queue a function; the guest runs the queue if functions have waited long enough."""
        if self._closed is not None:
            raise ContextError(self._closed)
        here, queue = get_ident(), self._queue
        if here == self._ident:  # after the running command
            queue.put(command)
        elif (here == self._latest and self._guest) or self._is_guest(here):
            queue.put(command)
            if queue.qsize() >= MOST_WAITING or perf_counter() > self._due:
                self._visit(here, do_nothing)
        else:
            self._add(command)
            if queue.qsize() > LONGEST_QUEUE:
                self._wait_for(Future(do_nothing))

    def submit(self, command: Callable[[], Any]) -> None:
        """Queue a function; the guest runs it at once."""
        self.put(command)
        here = get_ident()
        if here == self._guest and here != self._ident and not self._queue.empty():
            self._visit(here, do_nothing)

    def put_quietly(self, command: Callable[[], Any]) -> None:
        """Queue a function from a finaliser; it waits for the guest's next visit."""
        if self._closed is None:
            self._queue.put(command)
            if not self._guest:
                self._wakes.put(None)

    def call(self, function: Callable[[], Result]) -> Result:
        """Run a function after all queued commands, and return its result."""
        here = get_ident()
        if here == self._ident:
            return function()
        if self._closed is not None:
            raise ContextError(self._closed)
        if self._is_guest(here):
            found: Result = self._visit(here, partial(self._answer, function))
            if found is not _REFUSED:
                return found
        answer = Future(function, self._raise_stored_error)
        self._wait_for(answer)
        result: Result = answer.taken()
        return result

    def add_fence(self, notify: Callable[[], None] | None = None) -> Fence:
        """Add a fence after all commands so far, which the GL thread polls."""
        fence = super().add_fence(notify)
        self._wakes.put(None)
        return fence

    def release(self) -> None:
        """Run the queued commands, release the context and end the thread."""
        if self._closed in (ENDED, FORKED):
            return
        here = get_ident()
        if self._first_release.acquire(blocking=False):
            self._closed = self._closed or RELEASED
            if here in self._visitors and here != self._ident:
                self._visit(here, self._end)  # else the GL thread does it
            self._add(self._stop)
        if here != self._ident:
            self._thread.join()

    def _leave_at_exit(self) -> None:
        if self._closed is None:
            self._closed = ENDED
            self._is_running = False
            here = get_ident()
            if here in self._visitors and here != self._ident:
                self._visit(here, self._end)
            self._add(do_nothing)
            self._thread.join(EXIT_SECONDS)

    def _add(self, command: Callable[[], Any]) -> None:
        self._queue.put(command)
        self._wakes.put(None)

    def _is_guest(self, here: int) -> bool:
        """Whether the calling thread is the guest; a thread that is alone for long becomes it."""
        if here != self._latest:
            self._latest, self._guest, self._calls = here, 0, 0
            return False
        if self._guest:
            return True
        self._calls += 1
        needed = CALLS_OF_KNOWN if here in self._visitors else CALLS_OF_NEW
        if self._calls >= needed:
            self._calls = 0
            if is_thread_free():
                self._guest = here  # from the next call on: the GL thread leaves before
        return False

    def _answer(self, function: Callable[[], Result]) -> Result:
        self._raise_stored_error()
        return function()

    def _visit(self, here: int, function: Callable[[], Result]) -> Result:
        """Run the queue and a function in this thread, unless the context cannot be current here.

        It may be called within itself, by finalisers and signal handlers, at any point.
        """
        turn, egl, before = self._turn, self._egl, self._ident
        is_nested, has_entered = bool(turn._is_owned()), False  # type: ignore[attr-defined]
        try:
            if (not is_nested and not turn.acquire(blocking=False)) or self._is_over:
                return _REFUSED
            if not is_nested or not egl.is_current():
                has_entered = True
                if not egl.enter(is_first=here not in self._visitors):
                    has_entered, self._guest = False, 0
                    return _REFUSED
                self._visitors.add(here)
            self._ident = here
            self._run_queue()
            return function()
        finally:
            if not self._is_over:
                self._ident = before
                if has_entered:
                    self.gl.flush()
                    egl.leave()
                    self._due = perf_counter() + LONGEST_PAUSE
            if not is_nested and turn._is_owned():  # type: ignore[attr-defined]
                turn.release()

    def _run_queue(self) -> None:
        """Run the queued commands; their errors are raised by the next call, Ctrl-C at once."""
        queue = self._queue
        while not queue.empty():
            try:
                queue.get()()
            except Exception as error:
                self.error = self.error or error
        if self._fences.pending:
            self._run(self._fences.poll)

    # --- in the GL thread -------------------------------------------------------------------

    def _serve_guests(self) -> None:
        """Run the thread: wait for commands that the guest does not run."""
        while self._is_running and not self._is_over:
            self._wakes.get()
            if not self._queue.empty() or self._fences.pending:
                with self._turn:
                    if not self._is_over:
                        self._serve_alone()
        with self._turn:
            if not self._is_over:
                self._egl.enter(is_first=True)
                self._end()

    def _serve_alone(self) -> None:
        """Run commands, with the context, until there is a guest."""
        self._egl.enter(is_first=True)
        self._ident = get_ident()
        queue, pending = self._queue, self._fences.pending
        while self._is_running:
            while self._is_running and not queue.empty():
                self._is_sent = False
                self._run(queue.get())
                if pending:
                    self._run(self._fences.poll)
            self._send()
            if not self._is_running or (self._guest and queue.empty()):
                break
            self._wakes.get()
        self._ident = 0
        self._egl.leave()

    def _end(self) -> None:
        super()._end()
        self._is_over = True
