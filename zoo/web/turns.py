"""One thread for the models of all pages, which take turns.

Each page has at most one frame that waits: a newer one replaces it. A frame that waits for too long
is given back, and the page sends a newer one: so what is shown is recent, however many pages there
are. Messages wait in their order, before the page's frame.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from queue import SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

from core.backends.cpu.tiers import lasting_work

#: Seconds that a frame may wait before the page is asked for a newer one.
LONGEST_WAIT = 0.15

#: Messages of a page that may wait; a page that sends more is closed.
MOST_MESSAGES = 256

#: Largest bytes of messages, images included: of one page, and of all pages together.
MOST_BYTES = 64_000_000
MOST_BYTES_OF_ALL = 256_000_000

LOGGER = logging.getLogger("zoo.web")

Value = TypeVar("Value")


class MessageOverflowError(Exception):
    """A page sends faster than the app works."""


@dataclass(eq=False)
class Job(Generic[Value]):
    """A function to call for a page in the models' thread; the others run in the event loop."""

    run: Callable[[], Value]
    done: Callable[[Value], None]
    failed: Callable[[Exception], None]
    dropped: Callable[[str], None]  # with the reason
    size: int = 0  # in bytes, of what waits with it
    since: float = field(default_factory=monotonic)


class Outcome(NamedTuple):
    """The value that a function returned, or its error."""

    value: object = None
    error: Exception | None = None


def outcome_of(function: Callable[[], object]) -> Outcome:
    """Call a function.

    >>> outcome_of(lambda: next(iter(())))
    Outcome(value=None, error=StopIteration())
    """
    try:
        return Outcome(function())
    except Exception as error:
        return Outcome(error=error)
    except BaseException as error:  # such as sys.exit(), which must not end the server
        return Outcome(error=RuntimeError(error_text(error)))


def error_text(error: BaseException) -> str:
    """Return the type and the text of an error, whose text an app may compute, and fail.

    >>> error_text(ValueError("no hand"))
    'ValueError: no hand'
    """
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:
        return type(error).__name__


class PageQueue:
    """The waiting frame and messages of one page."""

    def __init__(self, turns: Turns):
        self._turns = turns
        self._frame: Job[Any] | None = None
        self._messages: deque[Job[Any]] = deque()
        self._bytes = 0
        self._expiry: asyncio.TimerHandle | None = None
        self.is_owed = False  # its turn came between two of its frames

    def put_frame(self, job: Job[Any]) -> None:
        """Let a frame wait; it replaces the one that waited."""
        self._drop("newer")
        self._frame = job
        loop = asyncio.get_running_loop()
        self._expiry = loop.call_later(LONGEST_WAIT, self._drop, "waited")
        self._turns.wake(self)

    def put_message(self, job: Job[Any]) -> None:
        """Let a message wait for those before it.

        Raises:
            MessageOverflowError: too many wait.
        """
        if (
            len(self._messages) >= MOST_MESSAGES
            or self._bytes + job.size > MOST_BYTES
            or self._turns.bytes + job.size > MOST_BYTES_OF_ALL
        ):
            raise MessageOverflowError
        self._messages.append(job)
        self._count_bytes(job.size)
        self._turns.wake(self)

    def take(self) -> Job[Any] | None:
        """Return the job whose turn it is, if one waits."""
        if self._messages:
            first = self._messages.popleft()
            self._count_bytes(-first.size)
            return first
        job, self._frame = self._frame, None
        self._cancel_expiry()
        return job

    @property
    def is_waiting(self) -> bool:
        """Whether a job waits."""
        return bool(self._messages or self._frame)

    def leave(self) -> None:
        """Drop waiting jobs: the page is gone."""
        self._cancel_expiry()
        self._frame = None
        self._messages.clear()
        self._count_bytes(-self._bytes)

    def _count_bytes(self, size: int) -> None:
        self._bytes += size
        self._turns.bytes += size

    def _drop(self, reason: str) -> None:
        self._cancel_expiry()
        job, self._frame = self._frame, None
        if job is not None:
            job.dropped(reason)

    def _cancel_expiry(self) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
            self._expiry = None


class Turns:
    """Runs the jobs of pages, one page after the other."""

    def __init__(self) -> None:
        self._row: deque[PageQueue] = deque()
        self._task: asyncio.Task[None] | None = None
        self._awake = asyncio.Event()
        self.bytes = 0  # of the messages of all pages that wait

    def wake(self, queue: PageQueue) -> None:
        """A page has a job: it comes last in the row, or first if its turn was in vain."""
        if queue not in self._row:
            (self._row.appendleft if queue.is_owed else self._row.append)(queue)
            queue.is_owed = False
        # An application that is mounted into another one is not told when that starts.
        if self._task is None or self._task.done():
            self._awake = asyncio.Event()  # of this event loop
            self._task = asyncio.create_task(self._run())
        self._awake.set()

    async def _run(self) -> None:
        worker = _Worker()
        try:
            while True:
                while not self._row:
                    self._awake.clear()
                    await self._awake.wait()
                await self._take_turn(worker, self._row.popleft())
        finally:
            worker.close()

    async def _take_turn(self, worker: _Worker, queue: PageQueue) -> None:
        job = queue.take()
        if job is None:
            queue.is_owed = True
            return
        outcome = await worker.outcome_of(job.run)
        _settle(job, outcome)
        if queue.is_waiting and queue not in self._row:
            self._row.append(queue)

    async def call(self, function: Callable[[], Value]) -> Value:
        """Run a function in the models' thread, such as for a request of REST."""
        queue = PageQueue(self)
        future: asyncio.Future[Callable[[], Value]] = asyncio.get_running_loop().create_future()

        def settle(value: Value) -> None:
            if not future.done():
                future.set_result(lambda: value)

        def fail(error: Exception) -> None:
            def again() -> Value:
                raise error

            if not future.done():
                future.set_result(again)  # futures take no StopIteration

        queue.put_message(Job(function, settle, fail, dropped=lambda reason: None))
        try:
            return (await future)()
        finally:
            queue.leave()

    def close(self) -> None:
        """Stop, and end the thread after its current job."""
        if self._task is not None:
            self._task.cancel()


def _settle(job: Job[Any], outcome: Outcome) -> None:
    try:
        if outcome.error is not None:
            job.failed(outcome.error)
        else:
            job.done(outcome.value)
    except Exception as error:  # of one page, while others wait
        LOGGER.error("an answer could not be sent", exc_info=error)


class _Worker:
    """A thread that does not keep the process from ending: functions of apps may take minutes."""

    def __init__(self) -> None:
        self._jobs: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        Thread(target=self._work, name="zoo-web", daemon=True).start()

    async def outcome_of(self, function: Callable[[], object]) -> Outcome:
        """Call a function in the thread."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Outcome] = loop.create_future()

        def settle(outcome: Outcome) -> None:
            if not future.done():
                future.set_result(outcome)

        def work() -> None:
            outcome = outcome_of(function)
            with suppress(RuntimeError):  # the server has ended
                loop.call_soon_threadsafe(settle, outcome)

        self._jobs.put(work)
        return await future

    def close(self) -> None:
        self._jobs.put(None)

    @lasting_work
    def _work(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()
